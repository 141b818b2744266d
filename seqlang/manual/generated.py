"""What a page has from the catalogues of the language: the types of arguments, and what a law declares of itself.

An argument is described on the page by a line "- `NAME`: ..", after whose name its type is put in.
"""

from __future__ import annotations

from seqlang.laws.facts import Facts, facts, names
from seqlang.manual.page import Page
from seqlang.operators.catalogue import OPERATORS
from seqlang.record import replace

TYPES = {
    "number": "a number",
    "vector": "a vector",
    "truth": "a truth value",
    "collection": "a vector, list or set",
    "ball": "`ball(r, d)`",
    "scale": "a number above 0",
    "ratio": "a number strictly between 0 and 1",
    "probability": "a number from 0 to 1",
    "natural": "a whole number from 0",
    "count": "a whole number from 1",
    "law": "a law",
    "set": "a set",
}
"""The kinds of arguments, of functions and of laws, in words."""

_SUPPORTS = {
    "line": "all real numbers",
    "half line": "the numbers from 0",
    "whole numbers": "all whole numbers",
    "counts": "the whole numbers from 0",
    "listed": "a few values",
    "arguments": "what its arguments say",
}
_COSTS = {
    "linear": "translating a draw by u costs |u| / {0}",
    "upwards": "translating a draw upwards by u costs u / {0}; downwards it cannot be translated",
    "whole": "translating a draw by a whole number u costs |u| log(1 / {0}); by no other number can it be translated",
    "stairs": "translating a draw by u costs {0} ceil(|u| / {1})",
}
_NORMS = {
    "l1": ", and the costs of several coordinates add up",
    "l2": ", with the Euclidean length of a vector u",
    "abs": ", for single numbers only",
}


NO_EXACT_LAW = frozenset({"sum_of", "tree"})
"""Laws that `solve` does not integrate as noise of what is compared. tests/manual asks it about all."""


def completed(page: Page) -> Page:
    """The page with what the catalogues say."""
    if page.kind == "law" and page.name in names():
        declared = facts(page.name)
        typed = _with_types(page.text, {p.name: p.kind for p in declared.parameters}, declared.optional)
        return replace(page, text=_before_example(typed, law_facts(declared)))
    if page.kind == "function" and page.name in OPERATORS:
        return replace(page, text=_with_types(page.text, dict(OPERATORS[page.name].arguments or ()), 0))
    return page


def law_facts(declared: Facts) -> str:
    """What the law declares, as a list."""
    lines = ["As declared:", "", f"- values: {_SUPPORTS[declared.support]}" + _kind(declared)]
    lines.append(f"- as noise: {'yes' if declared.noise else 'no'}" + (", symmetric around 0" * declared.symmetric))
    arguments = [f"`{p.name}`" for p in declared.parameters]
    if declared.noise and not declared.joint:
        verb = "has no" if declared.name in NO_EXACT_LAW else "has the"
        lines.append(f"- as noise of a number that is compared: `solve` {verb} exact law")
    if declared.translation is not None:
        cost = _COSTS[declared.translation.kind].format(*arguments)
        lines.append(f"- in a pure proof: {cost}{_NORMS[declared.translation.norm]}")
    if declared.curve is not None:
        lines.append("- in proofs of `rdp`, `zcdp` and `dp`: by the Renyi divergence of the law from its translate")
    return "\n".join(lines)


def _kind(declared: Facts) -> str:
    return {"density": "; it has a density (`.pdf`)", "points": "; it sits on points (`.pmf`)"}.get(declared.kind, "")


def _with_types(text: str, kinds: dict[str, str], optional: int) -> str:
    left_out = list(kinds)[len(kinds) - optional :]
    for name, kind in kinds.items():
        words = TYPES[kind] + (", may be left out" * (name in left_out))
        text = text.replace(f"\n- `{name}`: ", f"\n- `{name}` ({words}): ", 1)
    return text


def _before_example(text: str, facts_of_it: str) -> str:
    head, fence, rest = text.partition("\n```")
    return f"{head}\n{facts_of_it}\n{fence}{rest}"
