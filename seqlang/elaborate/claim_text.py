"""A tree back to text: claims are quoted in reports as they are written, on one line."""

from __future__ import annotations

from seqlang.syntax import tree

_IF, _OR, _AND, _NOT, _COMPARE, _RANGE, _SUM, _PRODUCT, _UNARY, _POWER, _ATOM = range(11)
_LEVELS = {
    "or": (_OR, _OR, _AND),
    "and": (_AND, _AND, _NOT),
    **dict.fromkeys((">=", "<=", "==", "!=", ">", "<"), (_COMPARE, _RANGE, _RANGE)),
    "+": (_SUM, _SUM, _PRODUCT),
    "-": (_SUM, _SUM, _PRODUCT),
    "*": (_PRODUCT, _PRODUCT, _UNARY),
    "/": (_PRODUCT, _PRODUCT, _UNARY),
    "%": (_PRODUCT, _PRODUCT, _UNARY),
    "^": (_POWER, _ATOM, _UNARY),
}


def claim_text(claim: tree.Claim) -> str:
    """The claim without its label and `expect`."""
    parts = ["claim"] + ([claim.kind] if claim.kind != "operating" else []) + [text(claim.body)]
    if claim.within is not None:
        parts.append(f"within {_at(claim.within, _SUM)} steps")
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
            return written, _ATOM
        case tree.Truth(value=value):
            return ("true" if value else "false"), _ATOM
        case tree.Name(name=name):
            return name, _ATOM
        case tree.Step():
            return "step", _ATOM
        case tree.Unary(operator="-", operand=operand):
            return f"-{_at(operand, _UNARY)}", _UNARY
        case tree.Unary(operand=operand):
            return f"not {_at(operand, _NOT)}", _NOT
        case tree.Binary(operator=operator, left=left, right=right):
            own, first, second = _LEVELS[operator]
            return f"{_at(left, first)} {operator} {_at(right, second)}", own
        case tree.Range(low=low, high=high):
            return f"{_at(low, _SUM)}..{_at(high, _SUM)}", _RANGE
        case tree.If(test=test, yes=yes, no=no):
            return f"if {text(test)} then {text(yes)} else {text(no)}", _IF
        case tree.Call(function=function, arguments=arguments):
            return f"{_at(function, _ATOM)}({', '.join(_argument(a) for a in arguments)})", _ATOM
        case tree.Index(base=base, at=at):
            return f"{_at(base, _ATOM)}[{text(at)}]", _ATOM
        case tree.Member(base=base, name=name_):
            return f"{_at(base, _ATOM)}.{name_.name}", _ATOM
        case tree.ListOf(items=items):
            return f"[{', '.join(text(i) for i in items)}]", _ATOM
        case tree.ListFor(value=value_, binder=binder):
            return f"[{text(value_)} {_binder(binder)}]", _ATOM
        case tree.SetOf(items=items):
            return f"{{{', '.join(text(i) for i in items)}}}", _ATOM
        case tree.WeightsOf(weights=weights):
            return f"{{{', '.join(_weight(w) for w in weights)}}}", _ATOM
        case tree.WeightsFor(weight=weight, binder=binder):
            return f"{{{_weight(weight)} {_binder(binder)}}}", _ATOM


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
            return f"over last {_at(count, _SUM)}"
        case tree.Since(report=report):
            return f"since {report.name}"
