"""Rule 2.6: `let`, `memory` and `update` are public; what reads more than the transcript is a `statistic`."""

from __future__ import annotations

from seqlang.elaborate.state import Reading, State
from seqlang.model.program import Level
from seqlang.source import Span


def require_public(state: State, word: str, name: str, span: Span) -> bool:
    """Does the statement just translated read only what is public? If not, say which name does not, and the remedy."""
    found = next((r for r in state.current.readings if r.level > Level.PUBLIC), None)
    if found is None:
        return True
    symbol = state.given.symbols.get(found.name)
    secondary = [(symbol.span, "defined here")] if symbol is not None else []
    if found.noised and found.name in state.noise.targets:
        secondary = [(state.noise.targets[found.name], "noise is attached here")]
    state.problems.add(
        "E0209",
        f"`{word} {name}` must be public, and `{found.name}` is {_level(found)}",
        found.span,
        _why(found),
        secondary,
        help=_remedy(word, name),
    )
    return False


def _level(reading: Reading) -> str:
    return "noised" if reading.noised else reading.level.name.lower()


def _why(reading: Reading) -> str:
    if reading.noised:
        return "read with its noise, which nobody is shown"
    return "touches the data" if reading.level is Level.PRIVATE else "randomness that nobody is shown"


def _remedy(word: str, name: str) -> str:
    if word == "let":
        return f"say `statistic {name} = ..`: a statistic may read anything"
    return (
        "keep private quantities in a `statistic`; what memory learns must be reported first, "
        f"`report r = ..`, then `{word} {name} = .. r ..`"
    )
