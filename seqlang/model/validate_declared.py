"""Do the declarations of a program mean anything? Parameters lie in their domains, domains are not empty, sizes
and numbers of neighbours are whole, and laws have arguments that they are made for."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from seqlang.laws.facts import facts
from seqlang.model import domain as d
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.constants import Undefined, Values, evaluate, is_constant, number, values_of
from seqlang.model.limits import holds, suits
from seqlang.model.undefined import parts_without_value
from seqlang.source import NOWHERE


def problems_of_declarations(program: p.Program) -> Iterator[str]:
    """Where a number, a domain or a law is declared that makes no sense at the values of the parameters. What has no
    value that can be computed here is left alone."""
    values = values_of(program)
    for parameter in program.parameters:
        yield from _domain(f"parameter {parameter.name}", parameter.domain, values)
        if holds(parameter.domain, parameter.value, values) is False:
            yield f"the value of {parameter.name} is not in its domain"
        if isinstance(parameter.domain, d.Ball | d.Power):
            yield f"{parameter.name} is one number, and its domain holds vectors"
    for field in program.inputs:
        yield from _domain(f"field {field.name}", field.domain, values)
        of = field.domain.of if isinstance(field.domain, d.Power) else field.domain
        if isinstance(of, d.Interval) and (of.low is None) != (of.high is None):
            yield f"the domain of field {field.name} has one end"
    if len({field.kind for field in program.inputs} - {"public"}) > 1:
        yield "a stream and a data set together"
    if program.size is not None:
        yield from _whole("size", program.size, values, 1)
    yield from _adjacency(program, values)
    for model in program.models:
        yield from _model(program, model)
    for claim in program.claims:
        yield from _claim(claim, values)
    yield from _laws(program, values)
    yield from _positions(program, values)


def _whole(where: str, e: m.Expression, values: Values, least: int) -> Iterator[str]:
    value = evaluate(e, values)
    if isinstance(value, Undefined) or (isinstance(value, Fraction) and (value.denominator != 1 or value < least)):
        yield f"{where} is no whole number from {least}"


def _domain(where: str, domain: d.Domain, values: Values) -> Iterator[str]:
    match domain:
        case d.Interval(low=low, high=high):
            if (low is None and domain.low_open) or (high is None and domain.high_open):
                yield f"the domain of {where} leaves out an end that it does not have"
            ends = [None if e is None else number(e, values) for e in (low, high)]
            open_end = domain.low_open or domain.high_open
            if ends[0] is not None and ends[1] is not None and (ends[0] > ends[1] or (ends[0] == ends[1] and open_end)):
                yield f"the domain of {where} is empty"
        case d.Integers(low=low, high=high):
            if low is None:
                yield f"the domain of {where} has no lower end"
            yield from _domain(where, d.Interval(low, high), values)
            for end in (low, high):
                value = None if end is None else number(end, values)
                if value is not None and value.denominator != 1:
                    yield f"an end of the domain of {where} is not whole"
        case d.Finite(values=listed):
            if not listed:
                yield f"the domain of {where} is empty"
        case d.Ball(radius=radius, dimension=dimension):
            value = number(radius, values)
            if value is not None and value <= 0:
                yield f"the domain of {where} is a ball without a radius"
            yield from _whole(f"the dimension of {where}", dimension, values, 1)
        case d.Power(of=of, dimension=dimension):
            yield from _domain(where, of, values)
            yield from _whole(f"the dimension of {where}", dimension, values, 1)
    if any(isinstance(evaluate(e, values), Undefined) for e in p.expressions_in(domain)):
        yield f"the domain of {where} has an end without a value"


def _adjacency(program: p.Program, values: Values) -> Iterator[str]:
    match program.adjacency:
        case p.Replace(count=count) | p.AddRemove(count=count):
            yield from _whole("the number of entries in which neighbours differ", count, values, 1)
        case p.Within(of=of, radius=radius):
            value = evaluate(radius, values)
            if isinstance(value, Undefined) or (isinstance(value, Fraction) and value <= 0):
                yield "the radius of neighbours is not above 0"
            private = {field.name for field in program.inputs if field.kind != "public"}
            if not private & {node.name for node in m.walk(of) if isinstance(node, m.Field)}:
                yield "neighbours do not differ in a private field"


def _model(program: p.Program, model: p.Model) -> Iterator[str]:
    """Each private field has one law, which reads what was drawn before it."""
    drawn: list[str] = []
    for name, law in model.laws:
        read = {node.name for node in m.walk(law) if isinstance(node, m.Field)}
        if not read <= set(drawn):
            yield f"model {model.name} reads {', '.join(sorted(read - set(drawn)))} before it is drawn"
        if name in drawn:
            yield f"model {model.name} has two laws for {name}"
        if name in program.data_set and any(isinstance(node, m.MemoryValue) for node in m.walk(law)):
            yield f"model {model.name} has a law of records that reads memory"
        drawn.append(name)
    missing = {field.name for field in program.inputs if field.kind != "public"} - set(drawn)
    if missing:
        yield f"model {model.name} has no law for {', '.join(sorted(missing))}"


def _claim(claim: p.Claim, values: Values) -> Iterator[str]:
    if claim.horizon is not None:
        yield from _whole(f"the horizon of {claim.text}", claim.horizon, values, 1)
    parts = {"strong": claim.model or claim.per_step, "weak": claim.model is None or claim.horizon is not None,
             "operating": claim.horizon is not None or claim.per_step}  # fmt: skip
    if parts[claim.kind] or (claim.privacy is None) == (claim.condition is None):
        yield f"{claim.text} has the parts of another kind of claim"
    if claim.privacy is not None:
        wanted = {"pure": ("eps",), "zcdp": ("rho",), "dp": ("eps", "delta"), "rdp": ("order", "eps")}
        meanings = wanted[claim.privacy.notion]
        if len(claim.privacy.arguments) != len(meanings):
            yield f"{claim.text} has {len(claim.privacy.arguments)} arguments"
        for meaning, argument in zip(meanings, claim.privacy.arguments, strict=False):
            value = evaluate(argument, values)
            least = 1 if meaning == "order" else 0
            if isinstance(value, Undefined) or (isinstance(value, Fraction) and (
                value < least or (value == least and meaning in ("order", "delta"))
            )):  # fmt: skip
                yield f"{meaning} of {claim.text} is too small, or has no value"


def _laws(program: p.Program, values: Values) -> Iterator[str]:
    laws = [noise.law for noise in program.noises] + [law for model in program.models for _, law in model.laws]
    laws += [e for statement in program.body for e in p.expressions_in(statement)]
    for node in dict.fromkeys(node for law in laws for node in m.walk(law) if isinstance(node, m.Law)):
        for parameter, argument in zip(facts(node.family).parameters, node.arguments, strict=False):
            if is_constant(argument) and parameter.kind not in ("law", "set"):
                value = evaluate(argument, values)
                if isinstance(value, Undefined) or (isinstance(value, Fraction) and not suits(parameter.kind, value)):
                    yield f"{parameter.name} of {node.family} is not in its domain"
        ends = node.arguments[-2:] if node.family in ("uniform", "conditioned") and len(node.arguments) > 1 else ()
        known = [number(e, values) for e in ends if is_constant(e)]
        if len(known) == 2 and known[0] is not None and known[1] is not None and (
            known[0] > known[1] or (known[0] == known[1] and node.family == "uniform")
        ):  # fmt: skip
            yield f"the lower end of {node.family} lies above the upper one"


def _positions(program: p.Program, values: Values) -> Iterator[str]:
    """Positions in lists and numbers of steps are counted from 1, and constants have values."""
    for statement in program.body:
        keep = statement.keep if isinstance(statement, p.Cell) else None
        if isinstance(keep, p.LastSteps) and is_constant(keep.count):
            yield from _whole("a number of steps that are kept", keep.count, values, 1)
        for expression in p.expressions_in(statement):
            for reason, _ in parts_without_value(expression, values, NOWHERE):
                yield f"a constant has no value: {reason.reason}"
        for node in p.nodes_in(statement):
            at = node.at if isinstance(node, m.Index) and is_constant(node.at) else None
            if at is not None and not isinstance(evaluate(at, values), Undefined):  # an error where it is needed
                yield from _whole("a position in a list", at, values, 1)
            if isinstance(node, m.Density) and node.model is not None:
                laws = [law for model in program.models if model.name == node.model for _, law in model.laws]
                if laws != [node.law]:
                    yield f"a density says it is of {node.model}, and is of another law"
