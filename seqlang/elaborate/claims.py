"""Pass 6: what is claimed, with sensible arguments."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, cast

from seqlang.diagnostics.suggest import hint
from seqlang.elaborate.claim_text import claim_text
from seqlang.elaborate.expressions.arguments import positional
from seqlang.elaborate.expressions.expect import translated
from seqlang.elaborate.expressions.laws import short
from seqlang.elaborate.names.builtins import NOTIONS
from seqlang.elaborate.state import Current, Scope, State, translate
from seqlang.model import expression as m
from seqlang.model.constants import Undefined, evaluate
from seqlang.model.program import Claim, Privacy
from seqlang.operators.groups import LESS, MORE, ORDERINGS, STRICT
from seqlang.syntax import tree


def claims(state: State, file: tree.File) -> tuple[Claim, ...]:
    """Every claim that makes sense; the others are reported."""
    made: list[Claim] = []
    for position, node in enumerate(file.statements):
        if isinstance(node, tree.Claim):
            state.current = Current()
            claim = _claim(state, position, node)
            if claim is not None:
                made.append(claim)
    return tuple(made)


def _claim(state: State, position: int, node: tree.Claim) -> Claim | None:
    privacy, condition = None, None
    if node.kind == "operating":
        condition = _condition(state, position, node.body)
        good = condition is not None
    else:
        privacy = _privacy(state, position, node.body)
        good = privacy is not None
    horizon = _horizon(state, position, node.within)
    expected = _expected(state, node.expect)
    model = _model(state, node)
    if not good:
        return None
    return Claim(
        kind=node.kind,
        text=claim_text(node),
        privacy=privacy,
        horizon=horizon,
        model=model,
        per_step=node.per_step,
        condition=condition,
        label=None if node.label is None else node.label.value,
        expect=expected,
        span=node.span,
    )


def _expected(state: State, node: tree.Name | None) -> Literal["refuted", "unknown"] | None:
    if node is None:
        return None
    if node.name not in ("refuted", "unknown"):
        state.problems.add(
            "E0509",
            f"`{node.name}` is not a verdict that can be expected",
            node.span,
            "unknown verdict",
            help=hint(node.name, ["refuted", "unknown"])
            or "write `expect refuted` or `expect unknown`; without `expect` the claim should be proved",
        )
        return None
    return cast(Literal["refuted", "unknown"], node.name)


def _model(state: State, node: tree.Claim) -> str | None:
    if node.model is None:
        if node.kind == "weak":
            state.problems.add(
                "E0505", "a weak claim names the model that it is under", node.span, "under which model?",
                help="write `claim weak .. under MODEL`",
            )  # fmt: skip
        return None
    name = node.model.name
    state.usage.used.add(name)
    symbol = state.given.symbols.get(name)
    if symbol is None or symbol.kind != "model":
        models = [s.name for s in state.given.symbols.values() if s.kind == "model"]
        state.problems.add(
            "E0504",
            f"there is no model `{name}`",
            node.model.span,
            "unknown model" if symbol is None else f"a {symbol.kind}",
            [] if symbol is None else [(symbol.span, "defined here")],
            help=hint(name, models)
            or (f"the models are {', '.join(models)}" if models else "declare one: `model null: x ~ LAW`"),
        )
    return name


def _horizon(state: State, position: int, node: tree.Expression | None) -> m.Expression | None:
    if node is None:
        return None
    typed = translated(state, Scope("plain", position), node, "number", "`within` takes a number of steps")
    value = evaluate(typed.expression, state.declared.values)
    if isinstance(value, Undefined) or (isinstance(value, Fraction) and (value < 1 or value.denominator != 1)):
        shown = value.reason if isinstance(value, Undefined) else f"is {short(value)}"
        state.problems.add("E0508", "a number of steps is a whole number from 1", node.span, shown)
    return typed.expression


# ---- privacy


def _privacy(state: State, position: int, node: tree.Expression) -> Privacy | None:
    notions = ", ".join(f"`{n}({', '.join(s.names)})`" for n, s in NOTIONS.items())
    if not isinstance(node, tree.Call) or not isinstance(node.function, tree.Name) or node.function.name not in NOTIONS:
        name = node.function.name if isinstance(node, tree.Call) and isinstance(node.function, tree.Name) else None
        state.problems.add(
            "E0501",
            "a privacy claim says how private" if name is None else f"`{name}` is not a notion of privacy",
            node.span if name is None else cast(tree.Call, node).function.span,
            "not a notion of privacy",
            help=(hint(name, NOTIONS) if name else None) or f"there are {notions}",
        )
        return None
    name = node.function.name
    slots = positional(state, node, name, NOTIONS[name])
    if slots is None:
        return None
    arguments: list[m.Expression] = []
    places: list[tree.Expression] = []
    for slot in slots:
        if slot is not None:
            typed = translated(state, Scope("plain", position), slot, "number", f"argument of `{name}`")
            arguments.append(typed.expression)
            places.append(slot)
    _check(state, name, arguments, places)
    return Privacy(cast(Literal["pure", "dp", "rdp", "zcdp"], name), tuple(arguments))


def _check(state: State, name: str, arguments: Sequence[m.Expression], places: Sequence[tree.Expression]) -> None:
    for argument, place, meaning in zip(arguments, places, NOTIONS[name].names, strict=True):
        value = evaluate(argument, state.declared.values)
        if isinstance(value, Undefined):
            state.problems.add("E0312", f"the {meaning} has no value: {value.reason}", place.span, value.reason)
        elif isinstance(value, Fraction) and meaning == "delta" and value >= 1 and _reads_parameters(argument):
            _says_nothing(state, f"a delta of {short(value)}", place)
        elif isinstance(value, Fraction):
            _check_value(state, meaning, value, place)


def _reads_parameters(bound: m.Expression) -> bool:
    """Other parameters may make another bound of it."""
    return any(isinstance(node, m.ParameterValue) for node in m.walk(bound))


def _says_nothing(state: State, bound: str, place: tree.Expression) -> None:
    state.problems.add(
        "W0611", "this claim says nothing at these parameters", place.span, f"{bound} allows everything",
        help="choose parameters at which it promises something, or drop the claim",
    )  # fmt: skip


def _check_value(state: State, meaning: str, value: Fraction, place: tree.Expression) -> None:
    shown = f"is {short(value)}"
    if meaning == "delta" and value >= 1:
        state.problems.add(
            "E0502", "a claim with delta >= 1 says nothing", place.span, shown,
            help="delta is a probability; useful ones are far below 1 / (number of people)",
        )  # fmt: skip
    elif meaning == "delta" and value <= 0:
        state.problems.add("E0502", "delta must lie above 0", place.span, shown, help="for delta = 0 write `pure(eps)`")
    elif meaning == "order" and float(value) <= 1:
        state.problems.add(
            "E0503", "a Renyi order lies above 1", place.span, shown, help="the limit at 1 is no claim of its own"
        )
    elif meaning in ("eps", "rho") and value < 0:
        state.problems.add("E0503", f"{meaning} cannot be negative", place.span, shown)


# ---- operating characteristics


def _condition(state: State, position: int, node: tree.Expression) -> m.Expression | None:
    if isinstance(node, tree.Call) and isinstance(node.function, tree.Name) and node.function.name in NOTIONS:
        state.problems.add(
            "E0506", "a privacy claim says whether it is strong or weak", node.span, "strong or weak?",
            help=f"write `claim strong {node.function.name}(..)`, the worst case, or `claim weak .. under MODEL`",
        )  # fmt: skip
        return None
    compared = isinstance(node, tree.Binary) and node.operator in ORDERINGS
    typed = translate(state, Scope("claim", position), node)
    random = any(isinstance(n, m.Apply) and n.operator in ("probability", "expected") for n in m.walk(typed.expression))
    if typed.kind.name == "unknown":
        return None
    if not compared or not random:
        state.problems.add(
            "E0506",
            "a claim compares a `probability` or an `expected` value with a bound",
            node.span,
            "no comparison" if not compared else "nothing random in it",
            help="write `claim probability(reject) <= 0.05 under null` or `claim expected(step) <= 17 under null`; "
            "privacy claims begin with `claim strong` or `claim weak`",
        )
        return None
    loose = _loose(typed.expression)
    if loose is not None:
        state.problems.add(
            "E0506",
            "what a run ends with differs from run to run",
            node.span,
            f"`{loose}` stands outside of `probability(..)` and `expected(..)`",
            help=f"write `expected({loose})`",
        )
        return None
    _check_probability(state, typed.expression, node)
    return typed.expression


def _check_probability(state: State, claim: m.Expression, node: tree.Expression) -> None:
    """`probability(C) <= 1` holds of every algorithm, `probability(C) > 1` of none."""
    if not isinstance(claim, m.Apply) or not isinstance(node, tree.Binary) or claim.operator != node.operator:
        return
    first, second = claim.arguments
    left = isinstance(first, m.Apply) and first.operator == "probability"
    side = second if left else first
    bound = evaluate(side, state.declared.values)
    if not (left or (isinstance(second, m.Apply) and second.operator == "probability")):
        return
    if not isinstance(bound, Fraction):
        return
    most = node.operator in LESS if left else node.operator in MORE
    strict = node.operator in STRICT
    empty = (bound > 1 or (bound == 1 and not strict)) if most else (bound < 0 or (bound == 0 and not strict))
    never = (bound < 0 or (bound == 0 and strict)) if most else (bound > 1 or (bound == 1 and strict))
    if (empty or never) and _reads_parameters(side):  # a claim that never holds is refuted, like any other
        if empty:
            _says_nothing(state, f"a bound of {short(bound)} on a probability", node.right if left else node.left)
    elif empty or never:
        state.problems.add(
            "E0510", "a probability lies between 0 and 1", (node.right if left else node.left).span,
            f"{short(bound)}: " + ("this says nothing" if empty else "this never holds"),
            help="write a bound between 0 and 1",
        )  # fmt: skip


def _loose(expression: m.Expression) -> str | None:
    """A random value outside of probability() and expected()."""
    match expression:
        case m.Apply(operator="probability" | "expected"):
            return None
        case m.StepNumber():
            return "step"
        case m.Local(name=name) | m.Reported(name=name) | m.Label(name=name) | m.Field(name=name):
            return name
        case m.MemoryValue(name=name) | m.Drawn(name=name):
            return name
        case _:
            return next((found for c in m.children(expression) if (found := _loose(c)) is not None), None)
