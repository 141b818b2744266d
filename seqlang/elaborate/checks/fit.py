"""Does each noise fit what it is attached to? And how many coordinates has it?"""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.elaborate.state import State
from seqlang.elaborate.statements.noises import RETURN
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.alphabet import alphabet_of
from seqlang.model.constants import number
from seqlang.model.kinds import TRUTH, UNKNOWN, Kind, describe, join, same
from seqlang.record import replace
from seqlang.source import Span


def fit(state: State, body: Sequence[p.Statement]) -> None:
    """Check every target; give `l2_laplace` the dimension of its target."""
    defines = {s.name: s for s in body if isinstance(s, p.Define)}
    for target, terms in state.noise.terms.items():
        kind = _kind_of_target(state, target)
        if kind is not None and terms:
            _check(state, target, terms, kind, defines)


def _kind_of_target(state: State, target: str) -> Kind | None:
    if target != RETURN:
        return state.names.kinds.get(target, Kind("number") if target in state.declared.parameters else UNKNOWN)
    if not state.step.results:
        state.problems.add(
            "E0418",
            "nothing is returned that noise could be attached to",
            state.noise.targets[RETURN],
            "no `stop` of this file returns a value",
            help="write `stop when C return E`",
        )
        return None
    kind = UNKNOWN
    for found, span in state.step.results:
        if not same(kind, found):
            state.problems.add(
                "E0405",
                "noise on `return` needs results of one kind",
                state.noise.targets[RETURN],
                "",
                [(span, f"this is {describe(found)}, others are {describe(kind)}")],
            )
            return None
        kind = join(kind, found)
    return kind


def _check(state: State, target: str, terms: tuple[m.Term, ...], kind: Kind, defines: dict[str, p.Define]) -> None:
    flips = [t for t in terms if _family(state, t) == "randomized_response"]
    if flips:
        if len(terms) > 1:
            state.problems.add(
                "E0405",
                f"randomised response replaces `{target}`: no other noise can be attached",
                _span(state, flips[0]),
                "the only noise that may be attached here",
            )
            return
        _check_flip(state, target, flips[0], kind, defines)
        return
    for term in terms:
        _check_term(state, target, term, kind)


def _family(state: State, term: m.Term) -> str | None:
    law = state.noise.draws[term.noise].law if term.noise in state.noise.draws else None
    while isinstance(law, m.Law) and law.family == "tree":
        law = law.arguments[0]
    return law.family if isinstance(law, m.Law) else None


def _span(state: State, term: m.Term) -> Span:
    noise = state.noise.draws[term.noise]
    return noise.span if noise.target is not None else state.noise.targets.get(noise.name, noise.span)


def _check_term(state: State, target: str, term: m.Term, kind: Kind) -> None:
    noise = state.noise.draws[term.noise]
    family = _family(state, term)
    place = noise.span if noise.target is not None else state.noise.targets[target]
    named = f"`{target}`"
    if kind.name not in ("number", "vector", "unknown"):
        remedy = "truth values and labels are noised by `randomized_response(p)`"
        state.problems.add(
            "E0405",
            f"nothing can be added to {named}: it is {describe(kind)}",
            place,
            "noise that is added",
            [(state.noise.targets[target], describe(kind))],
            help=remedy if kind.name in ("truth", "label") else "attach the noise to a number or a vector",
        )
    elif family == "sample" or state.names.kinds.get(term.noise, UNKNOWN).name == "set":
        state.problems.add("E0405", "a sample is not noise", place, "a law of sets")
    elif kind.name == "number" and family == "l2_laplace":
        state.problems.add(
            "E0405",
            f"`l2_laplace` is noise for vectors, and {named} is a number",
            place,
            "a law of vectors",
            [(state.noise.targets[target], "a number")],
            help="for numbers write `laplace(b)`",
        )
    elif noise.target is None and not same(kind, state.names.kinds.get(term.noise, UNKNOWN)):
        state.problems.add(
            "E0405",
            f"`{term.noise}` is {describe(state.names.kinds[term.noise])}, and {named} is {describe(kind)}",
            place,
            "",
            [(noise.span, "drawn here")],
            help="attach a law: `attach laplace(b) to v` gives each coordinate its own noise",
        )
    elif kind.dimension is not None and family == "l2_laplace" and noise.target is not None:
        state.noise.draws[term.noise] = replace(noise, law=_with_dimension(noise.law, kind.dimension))


def _with_dimension(law: m.Expression, dimension: m.Expression) -> m.Expression:
    match law:
        case m.Law(family="tree", arguments=(inner,)):
            return replace(law, arguments=(_with_dimension(inner, dimension),))
        case m.Law(family="l2_laplace", arguments=(scale,)):
            return replace(law, arguments=(scale, dimension))
        case _:
            return law


def _check_flip(state: State, target: str, term: m.Term, kind: Kind, defines: dict[str, p.Define]) -> None:
    if kind == TRUTH or (target == RETURN and kind.name == "label" and len(state.usage.labels) > 1):
        return
    base = _base(state, target)
    values = (
        None
        if base is None
        else alphabet_of(base, defines, state.declared.fields, lambda e: number(e, state.declared.values))
    )
    if values is not None and len(values) > 1:
        return
    why = "only one value is known" if values or kind.name == "label" else "not plainly finite"
    state.problems.add(
        "E0406",
        f"randomised response needs a finite set of values, and `{target}` has none",
        state.noise.draws[term.noise].span,
        "tells the truth, or one of the other values",
        [(state.noise.targets[target], f"{describe(kind)}: {why}")],
        help="attach it to a field in `{a, b}`, to a truth value such as `statistic s = x >= c`, or to `return`",
    )


def _base(state: State, target: str) -> m.Expression | None:
    if target in state.declared.fields:
        return m.Field(target)
    if target in state.names.inlined:
        return state.names.inlined[target].expression
    return state.names.bases.get(target, m.Local(target))
