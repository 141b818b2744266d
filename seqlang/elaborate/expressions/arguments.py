"""The arguments of a call, brought into the order of a signature."""

from __future__ import annotations

from seqlang.diagnostics.suggest import hint
from seqlang.elaborate.names.builtins import AGGREGATES, Signature
from seqlang.elaborate.state import State
from seqlang.syntax import tree


def positional(state: State, node: tree.Call, name: str, signature: Signature) -> list[tree.Expression | None] | None:
    """The arguments in the order of the signature (None: left out); None if they do not fit, which is then reported."""
    slots: list[tree.Expression | None] = [None] * len(signature.names)
    for at, argument in enumerate(node.arguments):
        match argument:
            case tree.Positional(value=value) if at < len(slots):
                slots[at] = value
            case tree.Keyword(name=key, value=value) if key.name in signature.names:
                slots[signature.names.index(key.name)] = value
            case tree.Keyword() | tree.OverTime() | tree.OverSet():
                _does_not_fit(state, name, signature, argument)
                return None
            case _:
                break
    missing = any(slot is None for slot in slots[: len(slots) - signature.optional])
    if missing or len(node.arguments) > len(slots):
        wanted = ", ".join(signature.names)
        state.problems.add(
            "E0306",
            f"`{name}` takes {len(signature.names)} argument{'s' * (len(signature.names) != 1)}, "
            f"not {len(node.arguments)}",
            node.span,
            f"its arguments are ({wanted})",
            help=_MECHANISM if name == "exponential" and len(node.arguments) > 1 else None,
        )
        return None
    return slots


def _does_not_fit(
    state: State, name: str, signature: Signature, argument: tree.Keyword | tree.OverTime | tree.OverSet
) -> None:
    if isinstance(argument, tree.Keyword):
        key = argument.name
        state.problems.add(
            "E0306",
            f"`{name}` has no argument `{key.name}`",
            key.span,
            "unknown argument",
            help=_no_budget(name, key.name, signature)
            or hint(key.name, signature.names)
            or f"it takes {', '.join(signature.names)}",
        )
    else:
        state.problems.add(
            "E0319",
            f"`{name}` takes no range",
            argument.span,
            f"a range belongs to {', '.join(f'`{fold}`' for fold in AGGREGATES)}",
            help=f"write `{name}(sum(.. over steps))` if the sum is meant",
        )


_MECHANISM = (
    "`exponential(mean)` is one-sided noise; the exponential mechanism is a draw with weights: "
    "`draw c ~ {v: exp(eps / 2 * score(v)) for v in S}`"
)


def _no_budget(name: str, key: str, signature: Signature) -> str | None:
    """Laws take scales; who passes a budget is told how the two are related."""
    if key not in ("eps", "epsilon", "sensitivity") or "scale" not in signature.kinds:
        return None
    return f"noise is given by its scale: `{name}({signature.names[0]})`" + (
        ", such as `laplace(sensitivity / eps)`" if name == "laplace" else ""
    )
