"""A tree back to text: claims are quoted in reports as they are written, on one line."""

from __future__ import annotations

from seqlang.model.print import ATOM, BINARY, IF, NOT, RANGE, SUM, UNARY
from seqlang.syntax import tree


def claim_text(claim: tree.Claim) -> str:
    """The claim without its label and `expect`."""
    parts = ["claim"] + ([claim.kind] if claim.kind != "operating" else []) + [text(claim.body)]
    if claim.within is not None:
        parts.append(f"within {_at(claim.within, SUM)} steps")
    if claim.model is not None:
        parts.append(f"under {claim.model.name}")
    if claim.per_step:
        parts.append("per step")
    return " ".join(parts)


def text(node: tree.Expression) -> str:
    """One expression, with the brackets that it needs."""
    return _text(node)[0]


def _at(node: tree.Expression, place: int) -> str:
    written, tightness = _text(node)
    return written if tightness >= place else f"({written})"


def _text(node: tree.Expression) -> tuple[str, int]:
    match node:
        case tree.Number(text=written):
            return written, ATOM
        case tree.Truth(value=value):
            return ("true" if value else "false"), ATOM
        case tree.Name(name=name):
            return name, ATOM
        case tree.Step():
            return "step", ATOM
        case tree.Unary(operator="-", operand=operand):
            return f"-{_at(operand, UNARY)}", UNARY
        case tree.Unary(operand=operand):
            return f"not {_at(operand, NOT)}", NOT
        case tree.Binary(operator=operator, left=left, right=right):
            own, first, second = BINARY[operator]
            return f"{_at(left, first)} {operator} {_at(right, second)}", own
        case tree.Range(low=low, high=high):
            return f"{_at(low, SUM)}..{_at(high, SUM)}", RANGE
        case tree.If(test=test, yes=yes, no=no):
            return f"if {text(test)} then {text(yes)} else {text(no)}", IF
        case tree.Call(function=function, arguments=arguments):
            return f"{_at(function, ATOM)}({', '.join(_argument(a) for a in arguments)})", ATOM
        case tree.Index(base=base, at=at):
            return f"{_at(base, ATOM)}[{text(at)}]", ATOM
        case tree.Member(base=base, name=name_):
            return f"{_at(base, ATOM)}.{name_.name}", ATOM
        case tree.ListOf(items=items):
            return f"[{', '.join(text(i) for i in items)}]", ATOM
        case tree.ListFor(value=value_, binder=binder):
            return f"[{text(value_)} {_binder(binder)}]", ATOM
        case tree.SetOf(items=items):
            return f"{{{', '.join(text(i) for i in items)}}}", ATOM
        case tree.WeightsOf(weights=weights):
            return f"{{{', '.join(_weight(w) for w in weights)}}}", ATOM
        case tree.WeightsFor(weight=weight, binder=binder):
            return f"{{{_weight(weight)} {_binder(binder)}}}", ATOM


def _weight(weight: tree.Weight) -> str:
    return f"{text(weight.value)}: {text(weight.weight)}"


def _binder(binder: tree.ForIn) -> str:
    where = "" if binder.where is None else f" where {text(binder.where)}"
    return f"for {binder.variable.name} in {text(binder.domain)}{where}"


def _argument(argument: tree.Argument) -> str:
    match argument:
        case tree.Positional(value=value):
            return text(value)
        case tree.Keyword(name=name, value=value):
            return f"{name.name} = {text(value)}"
        case tree.OverSet(value=value, binder=binder):
            return f"{text(value)} {_binder(binder)}"
        case tree.OverTime(value=value, where=where, time=time):
            filtered = "" if where is None else f" where {text(where)}"
            return f"{text(value)}{filtered} {_time(time)}"


def _time(time: tree.TimeRange) -> str:
    match time:
        case tree.OverSteps():
            return "over steps"
        case tree.OverLast(count=count):
            return f"over last {_at(count, SUM)}"
        case tree.Since(report=report):
            return f"since {report.name}"
