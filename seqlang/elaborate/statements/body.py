"""Pass 4: the step, statement by statement, with the cells placed where they tick."""

from __future__ import annotations

from seqlang.diagnostics.suggest import hint
from seqlang.elaborate.expressions.cells import emit, release, relevelled
from seqlang.elaborate.expressions.conditions import known_if
from seqlang.elaborate.expressions.expect import expect, translated
from seqlang.elaborate.expressions.levels import level_of
from seqlang.elaborate.expressions.public import require_public
from seqlang.elaborate.state import Binder, Current, Scope, State, fresh_variable, translate
from seqlang.elaborate.statements.noises import RETURN, life_of
from seqlang.elaborate.statements.scaled_draws import scaled_draw
from seqlang.elaborate.typed import Typed
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.kinds import TRUTH, UNKNOWN, describe, elements
from seqlang.syntax import tree


def body(state: State, file: tree.File) -> tuple[p.Statement, ...]:
    """The statements of a step in order of evaluation."""
    statements: list[p.Statement] = []
    waiting: list[p.Cell] = []
    stops = 0
    for position, node in enumerate(file.statements):
        state.current = Current()
        stops += isinstance(node, tree.Stop)
        made = _statement(state, position, node, stops)
        before, waiting = emit(state, waiting)
        statements += before
        if isinstance(node, tree.Update):
            ready, waiting = release(state, waiting)  # a look-back in an update stores the memory as it was before
            statements += ready
        statements += made
        state.step.updated |= {s.memory for s in made if isinstance(s, p.Update)}
        state.step.defined |= {s.name for s in made if isinstance(s, p.Define | p.Report | p.Draw)}
        ready, waiting = release(state, waiting)
        statements += ready
    _unused_functions(state, file)
    return (*statements, *waiting)


def _unused_functions(state: State, file: tree.File) -> None:
    """A function that nothing calls is looked at once, so that its mistakes are found."""
    for symbol in list(state.given.symbols.values()):
        node = symbol.statement
        if symbol.kind == "function" and symbol.name not in state.usage.called and isinstance(node, tree.Let):
            variables = [fresh_variable(state, n.name, m.Records()) for n in node.parameters or ()]
            scope = Scope(
                "body",
                len(file.statements),
                bindings={v.letter: Typed(m.Bound(v), UNKNOWN) for v in variables},
                binders=tuple(Binder(v, m.Records(), True) for v in variables),
                lookback=True,
                calls=(symbol.name,),
            )
            state.current = Current()
            used = set(state.usage.used)
            translate(state, scope, node.value)
            state.usage.used |= used
            state.cells.queue = []


def _statement(state: State, position: int, node: tree.Statement, stops: int) -> list[p.Statement]:
    if _is_repeated(state, node):
        return []
    match node:
        case tree.Let(parameters=None) if node.name.name in state.given.changing:
            return _let(state, position, node)
        case tree.MemoryDeclaration():
            return _memory(state, position, node)
        case tree.Statistic():
            return _statistic(state, position, node)
        case tree.Draw() if node.name.name in state.given.changing:
            return _draw(state, position, node)
        case tree.Report():
            return _report(state, position, node)
        case tree.Update():
            return _update(state, position, node)
        case tree.Stop():
            return _stop(state, position, node, stops)
        case _:
            return []


def _is_repeated(state: State, node: tree.Statement) -> bool:
    """A second declaration of a name: the first one counts."""
    match node:
        case tree.Let() | tree.MemoryDeclaration() | tree.Statistic() | tree.Draw() | tree.Report():
            return state.given.symbols[node.name.name].statement is not node
        case _:
            return False


def _let(state: State, position: int, node: tree.Let) -> list[p.Statement]:
    name = node.name.name
    state.current.defining = name
    typed = translate(state, Scope("body", position, own=name), node.value)
    public = require_public(state, "let", name, node.value.span)
    state.names.kinds[name] = typed.kind
    if typed.kind.name == "law":
        law, fixed = _fix_memory(state, name, typed.expression, node)
        state.names.inlined[name] = Typed(law, typed.kind, typed.size)
        return fixed
    if not public or not _has_value(state, typed, node.value):
        state.names.levels[name] = p.Level.PUBLIC  # as if it were: one mistake, one message
    return _define(state, name, typed, "let", node)


def _fix_memory(state: State, name: str, law: m.Expression, node: tree.Let) -> tuple[m.Expression, list[p.Statement]]:
    """A law that changes is inlined where it is read; the memory that it reads must stay as it is here."""
    names = {n.name for n in m.walk(law) if isinstance(n, m.MemoryValue)}
    made: list[p.Statement] = []
    for memory in sorted(names):
        own = f"{name}.{memory}"
        made.append(
            p.Define(own, m.MemoryValue(memory, memory in state.step.updated), "let", p.Level.PUBLIC, node.name.span)
        )
        state.names.kinds[own], state.names.levels[own] = state.names.kinds.get(memory, UNKNOWN), p.Level.PUBLIC

    def fixed(e: m.Expression) -> m.Expression:
        return m.Local(f"{name}.{e.name}") if isinstance(e, m.MemoryValue) else m.rebuild(e, fixed)

    return (fixed(law) if names else law), made


def _has_value(state: State, typed: Typed, node: tree.Expression) -> bool:
    if typed.kind.name in ("label", "set", "region"):
        state.problems.add(
            "E0301", f"a changing name holds a number, vector, list or truth value, not {describe(typed.kind)}",
            node.span, describe(typed.kind),
        )  # fmt: skip
        return False
    return True


def _define(state: State, name: str, typed: Typed, kind: str, node: tree.Let | tree.Statistic) -> list[p.Statement]:
    level = level_of(state, typed.expression)
    state.names.levels[name] = level
    state.cells.queue = [
        relevelled(state, cell) for cell in state.cells.queue
    ]  # a recursion is as private as what it keeps
    return [p.Define(name, typed.expression, kind, level, node.name.span)]  # type: ignore[arg-type]


def _memory(state: State, position: int, node: tree.MemoryDeclaration) -> list[p.Statement]:
    name = node.name.name
    typed = translate(state, Scope("constant", position), node.initial)
    require_public(state, "memory", name, node.initial.span)
    _has_value(state, typed, node.initial)
    state.names.kinds[name] = typed.kind
    state.step.memories[name] = p.Memory(name, typed.expression, node.name.span)
    return []


def _statistic(state: State, position: int, node: tree.Statistic) -> list[p.Statement]:
    name = node.name.name
    state.current.defining = name
    typed = translate(state, Scope("body", position, own=name), node.value)
    _has_value(state, typed, node.value)
    if typed.kind.name == "law":
        state.problems.add(
            "E0301", "a statistic is a value, not a law", node.value.span, "a law",
            help=f"a random value is `draw {name} ~ LAW`",
        )  # fmt: skip
    state.names.kinds[name] = typed.kind
    return _define(state, name, typed, "statistic", node)


def _draw(state: State, position: int, node: tree.Draw) -> list[p.Statement]:
    name = node.name.name
    typed = translated(state, Scope("body", position, own=name), node.law, "law", "`draw` takes a law")
    level = max(p.Level.HIDDEN, level_of(state, typed.expression))
    state.names.kinds[name] = elements(typed.kind) if typed.kind.name == "law" else UNKNOWN
    state.names.levels[name] = level
    life = life_of(state, node.life)
    scaled = scaled_draw(name, typed.expression, life, state.declared.values, node.name.span)
    if scaled is not None:
        noise, value = scaled
        state.noise.draws[name] = noise
        state.names.inlined[name] = Typed(value, state.names.kinds[name])
        return []
    return [p.Draw(name, typed.expression, life, level, node.name.span)]


def _report(state: State, position: int, node: tree.Report) -> list[p.Statement]:
    name = node.name.name
    scope = Scope("body", position, own=name)
    when, facts = _when(state, scope, node.when)
    terms = state.noise.terms.get(name, ())
    if node.value is None:
        noised = m.Noised(name, when, terms) if terms and when is not None else when
        state.names.kinds[name] = TRUTH
        return [p.Report(name, noised, None, node.name.span)]
    inner = Scope("body", position, own=name, known=facts)
    typed = translate(state, inner, node.value)
    if typed.kind.name in ("law", "set", "label", "region"):
        expect(state, typed, "number", node.value.span, "a report shows a number, vector, list or truth value")
    value = m.Noised(name, typed.expression, terms) if terms else typed.expression
    state.names.bases[name] = typed.expression
    state.names.kinds[name] = typed.kind
    if when is not None:
        state.names.conditions[name] = frozenset({when})
    return [p.Report(name, when, value, node.name.span)]


def _when(
    state: State, scope: Scope, node: tree.Expression | None
) -> tuple[m.Expression | None, frozenset[m.Expression]]:
    if node is None:
        return None, frozenset()
    typed = translated(state, scope, node, "truth", "`when` takes a truth value")
    return typed.expression, known_if(typed.expression)


def _update(state: State, position: int, node: tree.Update) -> list[p.Statement]:
    name = node.name.name
    symbol = state.given.symbols.get(name)
    if symbol is None or symbol.kind != "memory":
        memories = [s.name for s in state.given.symbols.values() if s.kind == "memory"]
        state.problems.add(
            "E0212",
            f"`{name}` is not memory: it cannot be updated",
            node.name.span,
            "unknown name" if symbol is None else f"a {symbol.kind}",
            [] if symbol is None else [(symbol.span, "defined here")],
            help=hint(name, memories) or f"declare it: `memory {name} = 0`",
        )
        return []
    if name in state.step.updated:
        state.problems.add(
            "E0414",
            f"the memory `{name}` has two updates",
            node.name.span,
            "the second update",
            [(symbol.span, "declared here")],
            help="join them: `update w = if C then A else B`",
        )
    state.usage.used.add(name)
    when, facts = _when(state, Scope("body", position), node.when)
    typed = translate(state, Scope("body", position, known=facts), node.value)
    require_public(state, "update", name, node.value.span)
    kind = state.names.kinds.get(name, UNKNOWN)
    if {kind.name, typed.kind.name} in ({"number", "vector"}, {"number", "truth"}, {"vector", "truth"}):
        expect(state, typed, kind.name, node.value.span, f"`{name}` holds {describe(kind)}")
    return [p.Update(name, typed.expression, when, node.name.span)]


def _stop(state: State, position: int, node: tree.Stop, index: int) -> list[p.Statement]:
    when, facts = _when(state, Scope("body", position), node.when)
    if node.result is None:
        return [p.Stop(index, when, None, node.span)]
    typed = translate(state, Scope("body", position, known=facts, labels=True), node.result)
    if typed.kind.name in ("law", "region"):
        expect(state, typed, "number", node.result.span, "a run returns a value or a label")
    terms = state.noise.terms.get(RETURN, ())
    result = m.Noised(RETURN, typed.expression, terms) if terms else typed.expression
    state.step.results.append((typed.kind, node.result.span))
    return [p.Stop(index, when, result, node.span)]
