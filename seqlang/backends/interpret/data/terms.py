"""What a field is made of: columns, and what is done to each cell before it is a number.

Everything here is a fixed function of one cell, written down before the data are seen. It makes neighbouring files of
neighbouring files, so that the guarantee of `check` covers the file itself. A scale, a mean or a vocabulary that is
taken from the data would move with every row, for all rows at once: it is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from operator import add, mul, sub, truediv
from typing import TYPE_CHECKING, Any, TypeVar

from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.data.where import number
from seqlang.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NUMBER = r"[0-9.]+(?:[eE][-+]?[0-9]+)?"
_ARITHMETIC = re.compile(rf"^(.+?)\s*([-+*/])\s*({_NUMBER})$")
_FROM_DATA = re.compile(r"^(.+?)\s*[-+*/]\s*(max|min|mean|average|median|sd|std|var|range|norm|sum|count)(\(.*\))?$")
_FITTED = re.compile(r"^(standardi[sz]e|normali[sz]e|scale|zscore|z_score|minmax|whiten|rank|one_hot|onehot)\(.*\)$")
_WORDS = re.compile(r"^(.+?)\s*\{(.*)\}$")
Number = TypeVar("Number")
_WRAPPED = re.compile(r"^(project|log1p)\((.*)\)$")


@record
class Term:
    """One column or a run of them, `first` to `last` (the same: one column), with what happens to each cell.

    `words` are (word, numbers) of a fixed vocabulary, `other` the numbers of any other word (None: an error). Without
    words a cell must be a number. `changes` are applied to every number in their order.
    """

    first: str
    last: str
    words: tuple[tuple[str, tuple[float, ...]], ...] = ()
    other: tuple[float, ...] | None = None
    changes: tuple[tuple[str, float], ...] = ()

    @property
    def width(self) -> int:
        """Numbers that one cell makes."""
        return len(self.words[0][1]) if self.words else 1

    def numbers(self, cell: str) -> tuple[float, ...] | None:
        """What a cell stands for; None if it is no number, or a word that is not in the vocabulary."""
        if self.words:
            found = dict(self.words).get(cell.strip(), self.other)
        else:
            value = number(cell)
            found = None if value is None else (value,)
        for name, by in self.changes if found is not None else ():
            found = tuple(changed(name, by, v) for v in found or ())
        return found

    def changed_all(self, values: NDArray[Any]) -> NDArray[Any]:
        """`changes`, made to an array of numbers; each as `changed` makes it."""
        import numpy as np

        for name, by in self.changes:
            with np.errstate(all="ignore"):
                if name in _OPERATORS:
                    values = _OPERATORS[name](values, by)
                else:  # numpy's own functions may differ in the last place
                    values = np.array([changed(name, by, v) for v in values.tolist()])
        return values


_OPERATORS: dict[str, Callable[[Any, float], Any]] = {"+": add, "-": sub, "*": mul, "/": truediv}


@record
class Recipe:
    """What a field is made of: its terms in order; `project`: every row is moved into the field's ball."""

    terms: tuple[Term, ...]
    project: bool = False


def changed(name: str, by: float, value: float) -> float:
    """One arithmetic step; what has no value is not a number."""
    if name in _OPERATORS:
        return float(_OPERATORS[name](value, by))
    return math.log1p(value) if value > -1 else math.nan


def recipe(text: str, header: tuple[str, ...]) -> Recipe:
    """Reads `outcome`, `V1..V39`, `a,b,c`, and of each of these

    - `V1/255`, `V1-0.5`, `V1*2`, `V1+1`: arithmetic with a constant, from left to right; `log1p(V1)/20`;
    - `colour{red|green}`: one number a word of a fixed vocabulary, 1 for the cell's word; any other word is all 0;
    - `label{normal.=-1|*=1}`: a number for each word, `*` for any other;
    - `project(..)` around all of it: every row on its own is moved to the nearest point of the field's ball.

    Raises SpecError E0617 for what is none of these, E0625 for what would be taken from the data.
    """
    text = text.strip()
    wrapped = _WRAPPED.match(text)
    if wrapped and wrapped[1] == "project" and text not in header and _balanced(wrapped[2]):
        return Recipe(recipe(wrapped[2], header).terms, True)
    if text in header:
        return Recipe((Term(text, text),))
    return Recipe(tuple(_term(part.strip(), header) for part in listed(text)))


def _balanced(text: str) -> bool:
    depth = 0
    for c in text:
        depth += {"(": 1, ")": -1}.get(c, 0)
        if depth < 0:
            return False
    return depth == 0


def listed(text: str) -> list[str]:
    """The parts between commas that stand in no brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def _term(text: str, header: tuple[str, ...]) -> Term:
    if text in header:
        return Term(text, text)
    _refuse_fitted(text)
    wrapped = _WRAPPED.match(text)
    if wrapped and wrapped[1] == "log1p" and _balanced(wrapped[2]):
        return _with(_term(wrapped[2].strip(), header), "log1p", 0.0)
    column, inside = with_words(text)
    if inside is not None:
        return _vocabulary(text, column, inside)
    step = _ARITHMETIC.match(text)
    if step:
        by = number(step[3])
        if by is None or (by == 0 and step[2] == "/"):
            raise problem("E0617", f"`{text}`: `{step[3]}` is not a number to calculate with")
        return _with(_term(step[1].strip(), header), step[2], by)
    ends = [e.strip() for e in text.split("..")]
    if len(ends) == 2 and all(ends):
        return Term(ends[0], ends[1])
    return Term(text, text)


def _with(term: Term, name: str, by: float) -> Term:
    return Term(term.first, term.last, term.words, term.other, (*term.changes, (name, by)))


def _refuse_fitted(text: str) -> None:
    found = _FITTED.match(text) or _FROM_DATA.match(text)
    if found:
        what = found[1] if text.startswith(found[1] + "(") else found[2]
        message = f"`{text}`: `{what}` would be taken from the data, and no noise covers that"
        raise problem("E0625", message, "write a constant that is known without the data, or release it in the spec")


def _vocabulary(text: str, column: str, inside: str) -> Term:
    entries = [w.strip() for w in inside.split("|")]
    if not inside.strip() or entries == ["*"]:
        message = f"`{text}`: a vocabulary taken from the data is not private, and is not made"
        raise problem("E0625", message, f"list the words that are known without the data: {column}{{a|b|c}}")
    if not any("=" in w for w in entries):
        if len(set(entries)) < len(entries) or "" in entries:
            raise problem("E0617", f"`{text}`: a word stands twice in the vocabulary, or is empty")
        k = len(entries)
        rows = tuple((w, tuple(1.0 if i == j else 0.0 for j in range(k))) for i, w in enumerate(entries))
        return Term(column, column, rows, (0.0,) * k)
    found, other = assigned(text, inside, number)
    table = tuple((word, (value,)) for word, value in found.items()) or (("*", (0.0,)),)
    return Term(column, column, table, None if other is None else (other,))


def with_words(text: str) -> tuple[str, str | None]:
    """The column of `label{a=1|b=2}` and what stands in its braces; None without braces."""
    found = _WORDS.match(text.strip())
    return (text.strip(), None) if found is None else (found[1].strip(), found[2])


def assigned(text: str, inside: str, read: Callable[[str], Number | None]) -> tuple[dict[str, Number], Number | None]:
    """The number of each word of `a=1|b=2|*=0`, and that of any other word, the one after `*` (None: there is none).
    `text` is all that was written, for messages; `read` makes a number of what stands after `=`, or None. Raises
    SpecError E0617."""
    table: dict[str, Number] = {}
    for entry in (e.strip() for e in inside.split("|")):
        word, _, value = entry.rpartition("=")
        found = read(value)
        if not word or found is None or word.strip() in table:
            raise problem("E0617", f"`{text}`: `{entry}` is not of the form WORD=NUMBER, or its word stands twice")
        table[word.strip()] = found
    other = table.pop("*", None)
    return table, other


def per_column(text: str, header: tuple[str, ...]) -> dict[str, str]:
    """Column -> what is made of it; runs of columns are written out. Raises SpecError as `recipe`."""
    wrapped = _WRAPPED.match(text.strip())
    inner = wrapped[2] if wrapped and wrapped[1] == "project" and _balanced(wrapped[2]) else text
    found: dict[str, str] = {}
    for part in (part.strip() for part in listed(inner)):
        for term in recipe(part, header).terms:
            if term.first in header and term.last in header:
                run = header[header.index(term.first) : header.index(term.last) + 1]
                found |= {column: part if len(run) == 1 else _of_one(part, term, column) for column in run}
    return found


def _of_one(part: str, term: Term, column: str) -> str:
    return re.sub(rf"{re.escape(term.first)}\s*\.\.\s*{re.escape(term.last)}", lambda _: column, part)
