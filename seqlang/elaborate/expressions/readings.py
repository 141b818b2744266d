"""What a name means where it is read: constant, field, memory, noisy reading, report, label."""

from __future__ import annotations

from seqlang.diagnostics.suggest import hint
from seqlang.elaborate.names.builtins import CALLABLE
from seqlang.elaborate.names.symbols import Symbol, reads_memory
from seqlang.elaborate.state import Reading, Scope, State
from seqlang.elaborate.typed import ERROR, Typed
from seqlang.model import expression as m
from seqlang.model.kinds import LABEL, NUMBER, TRUTH, UNKNOWN, Kind, elements, law_of
from seqlang.model.program import Level
from seqlang.source import Span
from seqlang.syntax import tree


def read_name(state: State, scope: Scope, node: tree.Name) -> Typed:
    """The value of a bare name."""
    bound = scope.bindings.get(node.name)
    if bound is not None:
        state.current.size += bound.size
        return bound
    symbol = state.given.symbols.get(node.name)
    if symbol is None:
        return _undeclared(state, scope, node)
    state.usage.used.add(node.name)
    if not _may_be_read(state, scope, node, symbol):
        return ERROR
    plain = _plain(state, scope, node, symbol)
    if plain.kind.name == "law" or plain is ERROR:
        return plain
    return _noisy(state, scope, node, plain)


# ---- names that nothing declares


def _undeclared(state: State, scope: Scope, node: tree.Name) -> Typed:
    if node.name == "records":
        return _records(state, scope, node.span)
    if scope.mode == "claim" and (node.name in state.usage.labels or node.name == "stops"):
        return Typed(m.Label(node.name), TRUTH)
    if scope.labels and node.name not in CALLABLE:
        state.usage.labels.setdefault(node.name, []).append(node.span)
        return Typed(m.Label(node.name), LABEL)
    if node.name in CALLABLE:
        state.problems.add(
            "E0207",
            f"`{node.name}` is a function: it needs arguments",
            node.span,
            "no arguments here",
            help=f"write `{node.name}(..)`",
        )
        return ERROR
    what = "is neither a name of this file nor a label that it returns" if scope.mode == "claim" else "is not defined"
    state.problems.add(
        "E0203",
        f"`{node.name}` {what}",
        node.span,
        "unknown name",
        help=None if state.problems.many else hint(node.name, _known(state, scope)),
    )
    return ERROR


def _known(state: State, scope: Scope) -> list[str]:
    known = ["step", *state.given.symbols, *scope.bindings] + (["records"] if _dataset(state) else [])
    return [*known, *state.usage.labels, "stops"] if scope.mode == "claim" else known


def _dataset(state: State) -> bool:
    return any(s.kind == "dataset" for s in state.given.symbols.values())


def _records(state: State, scope: Scope, span: Span) -> Typed:
    if not _dataset(state):
        state.problems.add(
            "E0203",
            "`records` needs a dataset",
            span,
            "there are no records in this file",
            help="`records` are the positions 1..N of a `dataset`; entries of a `stream` are read by their name",
        )
        return ERROR
    if state.given.records_are_private and scope.mode == "body":
        state.current.readings.append(Reading("records", span, Level.PRIVATE, False))
    return Typed(m.Records(), Kind("set", NUMBER))


# ---- may it be read here?


def _may_be_read(state: State, scope: Scope, node: tree.Name, symbol: Symbol) -> bool:
    name = node.name
    if symbol.kind == "function":
        state.problems.add(
            "E0207",
            f"`{name}` is a function: it needs arguments",
            node.span,
            "no arguments here",
            [(symbol.span, "defined here")],
            help=f"write `{name}(..)`",
        )
        return False
    hidden = symbol.kind == "draw" and scope.mode == "plain"  # a let that reads a draw is told to be a statistic
    if scope.mode in ("constant", "plain") and (name in state.given.changing or hidden):
        _not_constant(state, scope, node, symbol)
        return False
    if scope.mode == "model" and (symbol.kind not in ("param", "let", "model", "memory") or _varying_let(state, name)):
        _not_in_model(state, node, symbol)
        return False
    if scope.mode == "entry" and (
        symbol.kind in ("memory", "statistic", "draw", "report") or _varying_let(state, name)
    ):
        state.problems.add(
            "E0417",
            f"`{name}` is not part of an entry",
            node.span,
            "only fields and constants may stand here",
            [(symbol.span, "defined here")],
            help="adjacency compares the entries of two inputs: say it with their fields",
        )
        return False
    return _is_above(state, scope, node, symbol)


def _varying_let(state: State, name: str) -> bool:
    return state.given.symbols[name].kind == "let" and name in state.given.changing


def _not_constant(state: State, scope: Scope, node: tree.Name, symbol: Symbol) -> None:
    state.problems.add(
        "E0213",
        f"`{node.name}` is not a constant",
        node.span,
        "must be known before the first step",
        [(symbol.span, "defined here")],
        help="only numbers, params, and lets of these may stand here",
    )


def _not_in_model(state: State, node: tree.Name, symbol: Symbol) -> None:
    field = symbol.kind in ("stream", "dataset", "public")
    state.problems.add(
        "E0410",
        f"the law may not read `{node.name}`",
        node.span,
        "drawn later in this model" if field else "has no value yet when the entry of a step is drawn",
        [(symbol.span, "defined here")],
        help="a model's law reads fields that it drew earlier, memory as it is at the beginning of the step, `step` "
        "and constants"
        + (f"; to read the last one, keep it: `update last = {node.name}`" if symbol.kind == "report" else ""),
    )


def _is_above(state: State, scope: Scope, node: tree.Name, symbol: Symbol) -> bool:
    """Names are read below their definition; look-backs may look further down, declarations stand anywhere."""
    name = node.name
    anywhere = symbol.kind in ("stream", "dataset", "public") or scope.mode == "claim"
    early = scope.mode in ("constant", "plain")
    anywhere = anywhere or (symbol.kind == "model" and (not early or name in state.declared.models))
    anywhere = anywhere or (symbol.kind == "draw" and name not in state.given.changing)
    anywhere = anywhere or (scope.mode in ("plain", "model", "entry") and symbol.kind in ("param", "let"))
    anywhere = anywhere or (scope.mode == "model" and symbol.kind == "memory")
    anywhere = anywhere or (scope.lookback and symbol.kind in ("statistic", "report", "draw", "let", "memory"))
    if anywhere or symbol.position < scope.position:
        return True
    itself = symbol.position == scope.position
    state.problems.add(
        "E0204",
        f"`{name}` is read in its own definition" if itself else f"`{name}` is read above its definition",
        node.span,
        "has no value yet",
        [] if itself else [(symbol.span, "defined here")],
        help=f"for its value one step ago write `previous({name}, initial)`"
        if symbol.kind in ("statistic", "report", "let", "memory")
        else "a file is read from top to bottom: move the definition up",
    )
    return False


# ---- the plain value


def _plain(state: State, scope: Scope, node: tree.Name, symbol: Symbol) -> Typed:
    name = node.name
    match symbol.kind:
        case "param":
            return Typed(m.ParameterValue(name), NUMBER)
        case "let" if name in state.names.inlined:
            typed = state.names.inlined[name]
            state.current.size += typed.size
            return typed
        case "let" if name not in state.given.changing:
            return ERROR  # its definition is wrong, and was reported
        case "model":
            return _model_law(state, name, node.span)
        case "stream" | "dataset" | "public":
            return _field(state, scope, node, symbol)
        case "memory":
            updated = scope.mode != "model" and name in state.step.updated  # entries are drawn before a step's updates
            return Typed(m.MemoryValue(name, updated), state.names.kinds.get(name, UNKNOWN))
        case "draw":
            return _draw(state, scope, node)
        case "report":
            return _reported(state, scope, node)
        case _:
            return _local(state, scope, node)


def _model_law(state: State, name: str, span: Span) -> Typed:
    model = state.declared.models.get(name)
    if model is None or model.memories:
        statement = state.given.symbols[name].statement
        if reads_memory(state.given.symbols, statement):
            state.problems.add(
                "E0408", f"the law of the model `{name}` changes with memory", span, "used as a law here",
                [(state.given.symbols[name].span, "declared here")], help="write out the law that is meant",
            )  # fmt: skip
        return ERROR
    if len(model.laws) != 1:
        fields = ", ".join(field for field, _ in model.laws)
        state.problems.add(
            "E0408",
            f"the model `{name}` is not one law: it has the fields {fields}",
            span,
            "used as a law here",
            [(model.span, "declared here")],
            help="write out the law that is meant, or name it with `let`",
        )
        return ERROR
    field, law = model.laws[0]
    kind = state.names.kinds.get(field, UNKNOWN)
    return Typed(law, law_of(elements(kind) if state.given.symbols[field].kind == "dataset" else kind))


def _field(state: State, scope: Scope, node: tree.Name, symbol: Symbol) -> Typed:
    kind = state.names.kinds.get(node.name, UNKNOWN)
    if scope.mode in ("entry", "model") and symbol.kind == "dataset":
        kind = elements(kind)
    if symbol.kind != "public":
        state.current.readings.append(Reading(node.name, node.span, Level.PRIVATE, False))
    return Typed(m.Field(node.name), kind)


def _draw(state: State, scope: Scope, node: tree.Name) -> Typed:
    level = state.names.levels.get(node.name, Level.HIDDEN)
    state.current.readings.append(Reading(node.name, node.span, level, False))
    if node.name in state.names.inlined:  # a factor that changes, times a draw
        return state.names.inlined[node.name]
    return Typed(m.Drawn(node.name), state.names.kinds.get(node.name, UNKNOWN))


def _reported(state: State, scope: Scope, node: tree.Name) -> Typed:
    needed = state.names.conditions.get(node.name, frozenset())
    if scope.mode == "body" and not needed <= scope.known:
        state.problems.add(
            "E0210",
            f"`{node.name}` may not have been reported here",
            node.span,
            "there is a value only when its report's condition holds",
            [(state.given.symbols[node.name].span, "reported under a condition")],
            help="give this statement the same `when`, or read it inside `if CONDITION then .. else ..`",
        )
    kind = state.names.kinds.get(node.name, UNKNOWN)
    return Typed(m.Reported(node.name), kind)


def _local(state: State, scope: Scope, node: tree.Name) -> Typed:
    forward = Level.PUBLIC if scope.own == node.name else Level.PRIVATE
    if state.given.symbols[node.name].kind == "let":
        forward = Level.PUBLIC
    level = state.names.levels.get(node.name, forward)
    if level > Level.PUBLIC:
        state.current.readings.append(Reading(node.name, node.span, level, False))
    return Typed(m.Local(node.name), state.names.kinds.get(node.name, UNKNOWN))


# ---- the noisy value


def _noisy(state: State, scope: Scope, node: tree.Name, plain: Typed) -> Typed:
    name = node.name
    if name not in state.noise.targets or scope.own == name or scope.mode not in ("body", "constant"):
        return plain
    if state.given.symbols[name].kind == "report":
        return plain  # what was reported carries its noise already
    state.current.readings.append(Reading(name, node.span, Level.HIDDEN, True))
    if scope.mode == "constant":
        return plain
    terms = state.noise.terms.get(name, ())
    return Typed(m.Noised(name, plain.expression, terms), plain.kind, plain.size + len(terms)) if terms else plain
