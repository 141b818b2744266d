"""Pass 3: draws with a constant law, and what is attached to whom (rule 2.4: one draw per attach, target and life)."""

from __future__ import annotations

from fractions import Fraction

from seqlang.diagnostics.suggest import hint
from seqlang.elaborate.expressions.aggregates import is_report
from seqlang.elaborate.expressions.expect import expect, translated
from seqlang.elaborate.expressions.levels import level_of
from seqlang.elaborate.names.symbols import Symbol, names_in
from seqlang.elaborate.state import Current, Scope, State, translate
from seqlang.model import expression as m
from seqlang.model.constants import evaluate
from seqlang.model.kinds import UNKNOWN, elements
from seqlang.model.life import EachReport, EachStep, Life, Once
from seqlang.model.noise_factors import combine, divide, scale
from seqlang.model.program import Level, Noise
from seqlang.syntax import tree

RETURN = "return"


def find_targets(state: State, file: tree.File) -> None:
    """Which names carry noise: known before anything is read."""
    for statement in file.statements:
        if isinstance(statement, tree.Attach):
            for target in statement.targets:
                name = target.name.name if target.name else RETURN
                symbol = state.given.symbols.get(name)
                if symbol is None or symbol.kind not in ("memory", "model", "function"):
                    state.noise.targets.setdefault(name, target.span)


def noises(state: State, file: tree.File) -> None:
    """Enter every noise, and the terms of every target."""
    for position, statement in enumerate(file.statements):
        state.current = Current()
        if isinstance(statement, tree.Draw) and statement.name.name not in state.given.changing:
            _constant_draw(state, position, statement)
    for position, statement in enumerate(file.statements):
        state.current = Current()
        if isinstance(statement, tree.Attach):
            _attach(state, position, statement)


def life_of(state: State, node: tree.Life | None) -> Life:
    """`each step` unless it is said."""
    match node:
        case None | tree.LifeStep():
            return EachStep()
        case tree.LifeOnce():
            return Once()
        case tree.LifeReport(report=report):
            return EachReport(report.name) if is_report(state, report, "each") else EachStep()


def _constant_draw(state: State, position: int, node: tree.Draw) -> None:
    name = node.name.name
    if state.given.symbols[name].statement is not node:
        return  # declared twice: the first one counts
    law = translated(state, Scope("plain", position), node.law, "law", "`draw` takes a law")
    state.names.kinds[name] = elements(law.kind) if law.kind.name == "law" else UNKNOWN
    state.names.levels[name] = max(Level.HIDDEN, level_of(state, law.expression))
    state.noise.draws[name] = Noise(
        name, resolved(state, law.expression), life_of(state, node.life), None, node.name.span
    )


def resolved(state: State, law: m.Expression) -> m.Expression:
    """A law chosen by a constant `if`, made the chosen law."""
    while isinstance(law, m.Choice):
        test = evaluate(law.test, state.declared.values)
        if not isinstance(test, bool):
            break
        law = law.yes if test else law.no
    return law


# ---- attach


def _attach(state: State, position: int, node: tree.Attach) -> None:
    targets = [t for t in node.targets if _may_carry_noise(state, t)]
    if any(_is_draw(state, n) for n in names_in(node.noise)):
        terms = _linear(state, position, node.noise)
        if terms is None:
            return
        _no_life(state, node)
        for target in targets:
            _add(state, target, tuple(m.Term(z, factor) for z, factor in terms.items()))
        return
    law = translate(state, Scope("plain", position), node.noise)
    if not expect(state, law, "law", node.noise.span, "`attach` takes a law, or draws that are declared"):
        return
    life = life_of(state, node.life)
    for target in targets:
        name = target.name.name if target.name else RETURN
        noise = Noise(_name(state, name, life), resolved(state, law.expression), life, name, node.noise.span)
        state.noise.draws[noise.name] = noise
        _add(state, target, (m.Term(noise.name, m.Number(Fraction(1))),))


def _name(state: State, target: str, life: Life) -> str:
    match life:
        case Once():
            word = "once"
        case EachStep():
            word = "step"
        case EachReport(report=report):
            word = report
    name, count = f"{target}.{word}", 1
    while name in state.noise.draws:
        count += 1
        name = f"{target}.{word}.{count}"
    return name


def _add(state: State, target: tree.Target, terms: tuple[m.Term, ...]) -> None:
    name = target.name.name if target.name else RETURN
    sums = {t.noise: t.factor for t in state.noise.terms.get(name, ())}
    for term in terms:
        sums = combine(sums, {term.noise: term.factor})
    state.noise.terms[name] = tuple(m.Term(noise, factor) for noise, factor in sums.items())


def _may_carry_noise(state: State, target: tree.Target) -> bool:
    if target.name is None:
        return True
    name = target.name.name
    symbol = state.given.symbols.get(name)
    if symbol is None:
        carriers = [s.name for s in state.given.symbols.values() if s.kind not in ("memory", "model", "function")]
        state.problems.add(
            "E0402", f"there is nothing called `{name}` to attach noise to", target.span, "unknown name",
            help=hint(name, carriers),
        )  # fmt: skip
        return False
    state.usage.used.add(name)
    if symbol.kind == "memory":
        state.problems.add(
            "E0401",
            f"noise cannot be attached to the memory `{name}`",
            target.span,
            "memory is public: it holds what was reported",
            [(symbol.span, "declared here")],
            help="attach the noise to the report or statistic from which it is updated",
        )
        return False
    if symbol.kind in ("model", "function"):
        state.problems.add(
            "E0402",
            f"noise cannot be attached to the {symbol.kind} `{name}`",
            target.span,
            f"a {symbol.kind} has no value of its own",
            [(symbol.span, "declared here")],
            help="attach it to the name of a value" + (f": `statistic s = {name}(..)`" * (symbol.kind == "function")),
        )
        return False
    return True


def _is_draw(state: State, name: tree.Name) -> bool:
    symbol = state.given.symbols.get(name.name)
    return symbol is not None and symbol.kind == "draw"


def _no_life(state: State, node: tree.Attach) -> None:
    if node.life is not None:
        state.problems.add(
            "E0407",
            "how long a draw lives is said where it is drawn",
            node.life.span,
            "belongs to the `draw` statement",
            help="move it: `draw z ~ LAW once`",
        )


def _linear(state: State, position: int, node: tree.Expression) -> dict[str, m.Expression] | None:
    """The factors of the draws in a sum such as `-z + 2 * w`."""
    match node:
        case tree.Name() if _is_draw(state, node):
            return _one_draw(state, node, state.given.symbols[node.name])
        case tree.Unary(operator="-", operand=operand):
            return _scaled(_linear(state, position, operand), m.Number(Fraction(-1)))
        case tree.Binary(operator="+" | "-" as operator, left=left, right=right):
            first, second = _linear(state, position, left), _linear(state, position, right)
            if first is None or second is None:
                return None
            return combine(first, second if operator == "+" else scale(second, m.Number(Fraction(-1))))
        case tree.Binary(operator="*", left=left, right=right):
            draws_left = any(_is_draw(state, n) for n in names_in(left))
            if draws_left != any(_is_draw(state, n) for n in names_in(right)):
                factor, rest = (right, left) if draws_left else (left, right)
                return _scaled(_linear(state, position, rest), _factor(state, position, factor))
        case tree.Binary(operator="/", left=left, right=right):
            if not any(_is_draw(state, n) for n in names_in(right)):
                below = _factor(state, position, right)
                return _scaled(_linear(state, position, left), divide(m.Number(Fraction(1)), below))
        case _:
            pass
    state.problems.add(
        "E0403",
        "attached noise is a law, or a sum of draws with constant factors",
        node.span,
        "not of this form",
        help="name the noise, `draw z ~ LAW once`, then `attach -z + 2 * w to T`",
    )
    return None


def _one_draw(state: State, node: tree.Name, symbol: Symbol) -> dict[str, m.Expression] | None:
    state.usage.used.add(node.name)
    if node.name in state.given.changing:
        state.problems.add(
            "E0404",
            f"the law of `{node.name}` is not constant",
            node.span,
            "cannot be attached",
            [(symbol.span, "drawn here")],
            help=f"attached noise has a constant law; a changing one is added by hand: `T + {node.name}`",
        )
        return None
    return {node.name: m.Number(Fraction(1))}


def _scaled(terms: dict[str, m.Expression] | None, factor: m.Expression) -> dict[str, m.Expression] | None:
    return None if terms is None else scale(terms, factor)


def _factor(state: State, position: int, node: tree.Expression) -> m.Expression:
    typed = translated(state, Scope("plain", position), node, "number", "a factor of noise is a number")
    return typed.expression
