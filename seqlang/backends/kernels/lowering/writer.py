"""Writes the operations of a kernel in order: simple ones as they are, loops and branches as blocks of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from seqlang.backends.kernels.operations import ZERO, Block, Code, Kind, Leave, Op, Purpose, Sample, Sampler, indented
from seqlang.record import record, replace

T = TypeVar("T")
STREAMS = {"noise": "s_noise", "inputs": "s_inputs"}
_CONSTANT = re.compile(r"k_\d+")
_WORDS = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_ASSIGNED = re.compile(r"\s*(\w+) = ")
FEW = 24
"""A branch of at most this many simple lines is computed whether it is taken or not."""


@record
class Line:
    """`name = text`"""

    name: str
    text: str


@record
class Check:
    """`bad` becomes `site` where `condition` holds (and no earlier fault was found)."""

    condition: str
    site: int


@record
class Nested:
    """Lines that stand together, as a loop or a branch."""

    lines: tuple[str, ...]


Item = Line | Check | Nested | Sample | Leave
Branch = tuple[Sequence[Item], str]
"""What has to be written first, and the text of the value."""


class Writer:
    """`kinds` are those of all names that were assigned."""

    def __init__(self) -> None:
        self.kinds: dict[str, Kind] = {}
        self.header: list[str] = []
        self._items: list[Item] = []
        self._names = 0

    # ---- simple operations

    def fresh(self, prefix: str = "t") -> str:
        """A name that nothing else in the kernel has."""
        self._names += 1
        return f"{prefix}_{self._names}"

    def assign(self, name: str, text: str, kind: Kind = "number") -> str:
        """Writes `name = text` and gives the name."""
        self.kinds[name] = kind
        self._items.append(Line(name, text))
        return name

    def named(self, text: str, kind: Kind = "number") -> str:
        """A name for the value of this text, computed here once."""
        return text if text.isidentifier() else self.assign(self.fresh(), text, kind)

    def check(self, condition: str, site: int) -> None:
        """Writes a fault of that site where the test holds."""
        self._items.append(Check(condition, site))

    def sample(self, sampler: Sampler, purpose: Purpose) -> str:
        """Writes a draw, and gives the name of the variate."""
        return self._sampled(Sample(self.fresh("z"), sampler, purpose))

    def coin(self, chance: str, purpose: Purpose) -> str:
        """1 with this chance, else 0."""
        if _CONSTANT.fullmatch(chance):
            return self._sampled(Sample(self.fresh("z"), "uniform", purpose, below=chance))
        return self.named(f"(1.0 if {self.sample('uniform', purpose)} < {chance} else 0.0)")

    def _sampled(self, op: Sample) -> str:
        self.kinds[op.target] = "number"
        self._items.append(op)
        return op.target

    def leave(self, op: Leave) -> None:
        """Writes that the run ends here where `op.when` holds."""
        self._items.append(op)

    def text(self, *lines: str) -> None:
        """Lines that are no assignment of a scalar."""
        self._items.append(Nested(lines))

    # ---- blocks

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """What is written inside stands under `head` (a `for`, an `if`)."""
        outer, self._items = self._items, []
        try:
            yield
        finally:
            inner, self._items = self._items, outer
            self._items.append(Nested((head, *indented(_lines(inner) or ["pass"]))))

    @contextmanager
    def loop(self, length: str) -> Iterator[str]:
        """What is written inside is done for each number below `length` (or from the first of two on): its name."""
        i = self.fresh("i")
        with self.block(f"for {i} in range({length}):"):
            yield i

    @contextmanager
    def where(self, test: str | None) -> Iterator[None]:
        """What is written inside is done where the test holds (None: always)."""
        with self.block(f"if {test or 'True'}:"):
            yield

    def capture(self, write: Callable[[], T]) -> tuple[list[Item], T]:
        """What `write` writes, taken out, and what it gives."""
        outer, self._items = self._items, []
        try:
            found = write()
            return self._items, found
        finally:
            self._items = outer

    def put(self, items: Sequence[Item]) -> None:
        """Writes what `capture` has taken out."""
        self._items.extend(items)

    def only_where(self, guard: str, items: Sequence[Item]) -> None:
        """Items whose names are used only where the name `guard` holds: there are no faults and draws elsewhere."""
        if not any(isinstance(i, Nested) and _may_fail(i.lines) for i in items):
            self.put(_under(items, guard))
            return
        for name in _stored(_lines(items)):
            kind = self.kinds.get(name, "label")
            self.assign(name, ZERO[kind], kind)
        with self.where(guard):
            self.put(items)

    def guarded(self, guard: str | None, items: Sequence[Item], name: str = "", text: str = "") -> None:
        """Where the name `guard` holds (None: always), `items` are done, and a name that exists becomes a text.

        Few simple lines are computed always, and the new value chosen, so that no branch is left.
        """
        if guard is not None and not _simple(items):
            with self.block(f"if {guard}:"):
                self.guarded(None, items, name, text)
            return
        self.put(items if guard is None else _under(items, guard))
        if name:
            self.assign(name, text if guard is None else f"({text} if {guard} else {name})", self.kinds[name])

    def choice(self, test: str, kind: Kind, yes: Branch, no: Branch) -> str:
        """The text of `yes` where `test` holds, else of `no`; what they need is written, where it may stand."""
        (first, one), (second, other) = yes, no
        if not first and not second:
            return f"({one} if {test} else {other})"
        which = self.named(test, "truth")
        if _simple(first) and _simple(second):
            self.put(_under(first, which))
            if second:
                self.put(_under(second, self.assign(self.fresh(), f"not {which}", "truth")))
            return f"({one} if {which} else {other})"
        result = self.fresh("f")
        self.kinds[result] = kind
        inner = indented([*_lines(first), f"{result} = {one}"])
        rest = indented([*_lines(second), f"{result} = {other}"])
        self._items.append(Nested((f"if {which}:", *inner, "else:", *rest)))
        return result

    # ---- the end

    def take(self) -> tuple[Op, ...]:
        """The operations so far, simple lines next to each other as one."""
        items, self._items = self._items, []
        found: list[Op] = []
        waiting: list[str] = []

        def flush() -> None:
            if waiting:
                found.append(self._code(tuple(waiting)))
                waiting.clear()

        for item in items:
            if isinstance(item, (Line, Check)):
                waiting.extend(_lines([item]))
                continue
            flush()
            found.append(Block(item.lines) if isinstance(item, Nested) else item)
        flush()
        return tuple(found)

    def _code(self, lines: tuple[str, ...]) -> Code:
        reads: dict[str, None] = {}
        writes: dict[str, Kind] = {}
        for line in lines:
            target, _, text = line.partition(" = ")
            for name in _WORDS.findall(text):
                if name not in writes:
                    reads[name] = None
            writes[target] = self.kinds.get(target, "label")
        return Code(lines, tuple(reads), tuple(writes.items()))


def _lines(items: Sequence[Item]) -> list[str]:
    found: list[str] = []
    for item in items:
        match item:
            case Line(name, text):
                found.append(f"{name} = {text}")
            case Check(condition, site):
                found.append(f"bad = ({site} if bad == 0 and ({condition}) else bad)")
            case Nested(lines):
                found.extend(lines)
            case Sample():
                found.extend(sample_lines(item))
            case Leave():
                raise AssertionError("a stop stands in no block")
    return found


def sample_lines(op: Sample) -> list[str]:
    """A draw from the stream of one run."""
    variate = f"{op.sampler}_of_word(next_word({STREAMS[op.purpose]}))"
    line = f"{op.target} = {variate if op.below is None else f'(1.0 if {variate} < {op.below} else 0.0)'}"
    return [line] if op.when is None else [f"{op.target} = 0.0", f"if {op.when}:", f"    {line}"]


def _may_fail(lines: Sequence[str]) -> bool:
    """Whether there is a fault or a draw in lines of text."""
    return any(line.lstrip().startswith("bad = ") or "s_noise" in line or "s_inputs" in line for line in lines)


def _stored(lines: Sequence[str]) -> list[str]:
    """The names that the lines assign, but for arrays and loops."""
    found = (_ASSIGNED.match(line) for line in lines)
    return list(dict.fromkeys(m[1] for m in found if m is not None and m[1] != "bad"))


def _simple(items: Sequence[Item]) -> bool:
    """Whether nothing is changed by these but names of their own."""
    own = all(i.name.startswith("t_") for i in items if isinstance(i, Line))
    return own and len(items) <= FEW and all(isinstance(i, (Line, Check, Sample)) for i in items)


def _under(items: Sequence[Item], guard: str) -> list[Item]:
    """The same where `guard` holds; lines have no effect of their own, so they stay."""
    found: list[Item] = []
    for item in items:
        match item:
            case Sample(when=None):
                found.append(replace(item, when=guard))
            case Check(condition, site):
                found.append(Check(f"{guard} and ({condition})", site))
            case _:
                found.append(item)
    return found
