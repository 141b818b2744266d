"""Forged certificates, and whether what they state can be true: written apart from what verifies them.

`forged` changes one part of a certificate's JSON at random. `spec_of` writes a model as the text of a spec, so that the
parser and elaboration can say whether any spec means it.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

from seqlang.model import program as p
from seqlang.model.domain import Domain, Interval
from seqlang.model.expression import CellValue, Density, Expression, Noised, Number
from seqlang.model.life import EachReport, EachStep, Life, Once
from seqlang.model.print import show_adjacency, show_domain, show_expression
from seqlang.model.program import Program
from seqlang.record import replace

Raw = dict[str, Any]
Place = tuple[Any, Any]  # a list or an object of the JSON, and the position or key in it

# ---- one random change

EXPRESSIONS = frozenset({
    "Number", "Truth", "ParameterValue", "StepNumber", "Field", "Local", "CellValue", "MemoryValue", "Reported",
    "Drawn", "Noised", "Apply", "Choice", "Index",
})  # fmt: skip
WORDS: tuple[frozenset[str], ...] = (
    frozenset({"+", "-", "*", "/", "max", "min"}), frozenset({">=", "<=", ">", "<", "==", "!="}),
    frozenset({"and", "or"}), frozenset({"abs", "negate", "exp", "sqrt", "log", "floor"}),
    frozenset({"sum", "mean", "count", "max", "min", "argmax", "argmin", "last", "list"}),
    frozenset({"stream", "dataset", "public"}), frozenset({"statistic", "let"}), frozenset({"one", "every"}),
    frozenset({"l1", "l2", "linf"}), frozenset({"pure", "dp", "rdp", "zcdp"}), frozenset({"strong", "weak"}),
    frozenset({"PUBLIC", "HIDDEN", "PRIVATE"}), frozenset({"laplace", "gaussian", "gumbel", "logistic", "exponential"}),
    frozenset({"geometric", "randomized_response", "bernoulli", "poisson"}),
)  # fmt: skip
FREE = frozenset({"name", "title", "documentation"})
"""Parts of a model that mean nothing: `name` is the algorithm's. Nor does the letter of a variable."""


def places_in(value: Any) -> Iterator[Place]:
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        if key not in ("is", "letter"):
            yield value, key
        if isinstance(part, dict | list):
            yield from places_in(part)


def names_in(model: Raw) -> list[str]:
    """What the model calls things."""
    found = [holder[key] for holder, key in places_in(model) if key in ("name", "noise", "report", "memory", "target")]
    return sorted({name for name in found if isinstance(name, str) and name})


def forged(rng: random.Random, raw: Raw) -> Raw:
    """A copy with one random change of its model, of its gates or of what is claimed."""
    made = copy.deepcopy(raw)
    model = made["model"]
    parts = [part for part in model if part not in FREE and isinstance(model[part], dict | list) and model[part]]
    part = rng.choice(parts)
    holder, key = rng.choice([(model, part), *places_in(model[part])])
    holder[key] = _other(rng, holder[key], model)
    return made


def _other(rng: random.Random, value: Any, model: Raw) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return rng.choice([0, 1, 2, value + 1, -value])
        case None:
            return rng.choice([{"is": "Number", "value": {"fraction": "2"}}, copy.deepcopy(_expression(rng, model))])
        case str():
            words = [word for group in WORDS if value in group for word in sorted(group)]
            return rng.choice(words or names_in(model))
        case {"fraction": str()}:
            return {"fraction": rng.choice(["0", "1", "1/1000", "1000", "1/2"])}
        case {"is": ("Once" | "EachStep" | "EachReport")}:
            return rng.choice([{"is": "Once"}, {"is": "EachStep"}])
        case {"is": ("Replace" | "AddRemove") as kind, "count": count}:
            return {"is": "AddRemove" if kind == "Replace" else "Replace", "count": count}
        case {"is": ("AllSteps" | "LastSteps")}:
            return rng.choice([{"is": "AllSteps"}, {"is": "LastSteps", "count": _expression(rng, model)}])
        case {"is": kind} if kind in EXPRESSIONS:
            return _other_expression(rng, value, model)
        case list() if value:
            return _other_list(rng, value)
        case dict() if "is" in value:
            return None
    return None


def _expression(rng: random.Random, model: Raw) -> Any:
    found = [holder[key] for holder, key in places_in(model) if isinstance(holder[key], dict)]
    return rng.choice([part for part in found if part.get("is") in EXPRESSIONS] or [{"is": "StepNumber"}])


def _other_expression(rng: random.Random, value: Raw, model: Raw) -> Any:
    if value["is"] == "Noised" and rng.randrange(2):
        return value["base"]
    other = copy.deepcopy(_expression(rng, model))
    return rng.choice([
        other,
        {"is": "Apply", "operator": rng.choice(["+", "*", "-"]), "arguments": [value, other]},
        {"is": "Apply", "operator": "negate", "arguments": [value]},
        {"is": "Apply", "operator": "*", "arguments": [{"is": "Number", "value": {"fraction": "2"}}, value]},
    ])  # fmt: skip


def _other_list(rng: random.Random, value: list[Any]) -> list[Any]:
    at, to = rng.randrange(len(value)), rng.randrange(len(value))
    made = list(value)
    match rng.randrange(3):
        case 0:
            del made[at]
        case 1:
            made.insert(to, copy.deepcopy(made[at]))
        case _:
            made[at], made[to] = made[to], made[at]
    return made


# ---- a model as the text of a spec


def spec_of(program: Program) -> str:
    """The text of a spec that means this model, if any does. Where noise was attached to a name it is written at the
    end, with the life that it has."""
    lines = [f"algorithm {program.name or 'forged'}"]
    lines += [f"param {x.name}{_limit(x.domain)} = {_number(x.value)}" for x in program.parameters]
    size = "" if program.size is None else f" size {show_expression(program.size)}"
    for field in program.inputs:
        lines.append(f"{field.kind} {field.name} in {show_domain(field.domain)}{size * (field.kind == 'dataset')}")
    for model in _read_models(program):
        laws = ", ".join(f"{name} ~ {show_expression(law)}" for name, law in model.laws)
        lines.append(f"model {model.name}: {laws}")
    lines.append(f"adjacent {show_adjacency(program.adjacency)}")
    lines += [f"memory {x.name} = {show_expression(x.initial)}" for x in program.memories]
    for noise in program.noises:
        if noise.target is None:
            lines.append(f"draw {noise.name} ~ {show_expression(noise.law)}{_life(noise.life)}")
    lines += [line for statement in program.body for line in _statement(program, statement)]
    lines += _attached(program)
    lines += [_claim(claim, claim.privacy) for claim in program.claims if claim.privacy is not None]
    return "\n".join(lines) + "\n"


def _limit(domain: Domain) -> str:
    match domain:
        case Interval(low=None, high=None):
            return ""
        case Interval(low=low, high=None, low_open=is_open) if low is not None:
            return f" {'>' if is_open else '>='} ({show_expression(low)})"
        case Interval(low=None, high=high, high_open=is_open) if high is not None:
            return f" {'<' if is_open else '<='} ({show_expression(high)})"
        case _:
            return f" in {show_domain(domain)}"


def _number(value: Any) -> str:
    return f"({value.numerator} / {value.denominator})" if value.denominator != 1 else str(value.numerator)


def _life(life: Life) -> str:
    match life:
        case Once():
            return " once"
        case EachStep():
            return ""
        case EachReport(report=report):
            return f" each {report}"


def _when(program: Program, when: Expression | None) -> str:
    return "" if when is None else f" when {show_expression(when, program)}"


def _bare(e: Expression | None, name: str) -> Expression | None:
    """Without the noise that is attached to the whole of it."""
    return e.base if isinstance(e, Noised) and e.name == name else e


def _statement(program: Program, statement: p.Statement) -> Iterator[str]:
    match statement:
        case p.Define(name=name, expression=expression, kind=kind):
            yield f"{kind} {name} = {show_expression(expression, program)}"
        case p.Draw(name=name, law=law, life=life):
            yield f"draw {name} ~ {show_expression(law, program)}{_life(life)}"
        case p.Report(name=name, when=when, value=None):
            yield f"report {name}{_when(program, _bare(when, name))}"
        case p.Report(name=name, when=when, value=value) if value is not None:
            shown = _bare(value, name)
            assert shown is not None
            yield f"report {name} = {show_expression(shown, program)}{_when(program, when)}"
        case p.Update(memory=memory, value=value, when=when):
            yield f"update {memory} = {show_expression(value, program)}{_when(program, when)}"
        case p.Stop(when=when, result=result):
            shown = _bare(result, "return")
            returned = "" if shown is None else f" return {show_expression(shown, program)}"
            yield f"stop{_when(program, when)}{returned}"


def _attached(program: Program) -> Iterator[str]:
    for noise in program.noises:
        if noise.target is not None:
            yield f"attach {show_expression(noise.law)} to {noise.target}{_life(noise.life) or ' each step'}"
    draws = {noise.name for noise in program.noises if noise.target is None}
    readings = {node.name: node for node in p.nodes_in(program.body) if isinstance(node, Noised)}
    for name, reading in readings.items():
        for term in reading.terms:
            if term.noise in draws:
                factor = "" if term.factor == Number(1) else f"({show_expression(term.factor)}) * "  # type: ignore[arg-type]
                yield f"attach {factor}{term.noise} to {name}"


def _claim(claim: p.Claim, privacy: p.Privacy) -> str:
    text = f"claim {claim.kind} {privacy.notion}({', '.join(map(show_expression, privacy.arguments))})"
    text += "" if claim.horizon is None else f" within {show_expression(claim.horizon)} steps"
    text += "" if claim.model is None else f" under {claim.model}"
    return text + " per step" * claim.per_step


def meant_by(program: Program) -> Program:
    """The model without what it says beside its meaning, and without what `spec_of` leaves out: claims that are no
    promise of privacy and models that only these are under, cells that nobody reads, defaults of parameters, words,
    and levels, which only say that a value may be private."""
    claims = tuple(replace(c, text="", label=None, expect=None) for c in program.claims if c.privacy is not None)
    read = {n.name for part in (program.body, program.gates) for n in p.nodes_in(part) if isinstance(n, CellValue)}
    body = [s for s in program.body if not isinstance(s, p.Cell) or s.name in read]
    return replace(
        program,
        name="",
        title="",
        documentation="",
        parameters=tuple(replace(x, default=x.value) for x in program.parameters),
        models=_read_models(program),
        body=tuple(replace(s, level=p.Level.PRIVATE) if isinstance(s, p.Define | p.Cell | p.Draw) else s for s in body),
        claims=claims,
    )


def _read_models(program: Program) -> tuple[p.Model, ...]:
    named = {c.model for c in program.claims if c.privacy is not None}
    named |= {n.model for s in program.body for n in p.nodes_in(s) if isinstance(n, Density)}
    return tuple(model for model in program.models if model.name in named)
