"""Random programs for the engines: nested aggregates whose letters are used again, windows, memory, lists, look-backs.

The letters of binders come from a pool of two, so that most programs use one twice: in nested and in neighbouring
aggregates, inside and outside of what is kept from step to step. A memory is read above and below its update.
Everything is small: at most two streams of a few whole numbers, four or five steps, no rounding.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

STEPS = 4
RECORDS = 3
LETTERS = ("i", "j")
SETS = ("1..2", "0..2", "{2, 0, 1}", "[3, 1]", "1..1")
COMPARISONS = (">=", "<=", ">", "<", "==", "!=")
FOLDS = ("sum", "sum", "sum", "max", "min", "count", "mean", "argmax", "argmin")


@dataclass(frozen=True)
class Inside:
    """Where an expression stands: the letters that are bound there, with the largest value of each, and what may be
    read. `records` are the letters that are numbers of records. `fixed`: every set around it is constant, so that folds
    over time may stand here."""

    letters: tuple[tuple[str, int], ...] = ()
    records: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    fixed: bool = True
    public: bool = False

    def binding(self, letter: str, most: int, fixed: bool) -> Inside:
        others = tuple((name, high) for name, high in self.letters if name != letter)
        records = tuple(name for name in self.records if name != letter)
        return replace(self, letters=(*others, (letter, most)), records=records, fixed=self.fixed and fixed)

    def binding_record(self, letter: str) -> Inside:
        inside = self.binding(letter, RECORDS, True)
        return replace(inside, records=(*inside.records, letter))


@dataclass
class Writer:
    """Writes one program. `streams` are names with their values."""

    rng: random.Random
    streams: dict[str, tuple[int, ...]]
    memory: bool
    report: bool
    draws: tuple[str, ...] = ()
    data: bool = False

    def number(self, here: Inside, depth: int) -> str:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.12:
            return self.leaf(here)
        make: list[Callable[[Inside, int], str]] = [self.arithmetic, self.arithmetic, self.choice, self.over_set]
        make += [self.over_set, self.of_list]
        if here.fixed and not here.public:
            make += [self.over_time] * 3 + [self.previous] + [self.history] * self.report
        return rng.choice(make)(here, depth - 1)

    def leaf(self, here: Inside) -> str:
        rng = self.rng
        found = ["step", str(rng.randrange(4)), "a"]
        found += [name for name, _ in here.letters] * 2
        if self.memory:
            found += ["w", "w"]
        if not here.public:
            found += [*here.numbers] * 2 + [*self.draws]
            if self.data:
                found += [f"{name}[{at}]" for name in self.streams for at in (*here.records, *here.records, "2")]
            else:
                found += [*self.streams] * 2
            found += [f"{name}[{self.position(here)}]" for name in here.lists]
        return rng.choice(found)

    def position(self, here: Inside) -> str:
        """From 1 to 2, the length of every list."""
        inside = [name for name, most in here.letters if most > 0]
        return self.rng.choice(["1", "2", *(f"1 + min({name}, 1)" for name in inside)])

    def arithmetic(self, here: Inside, depth: int) -> str:
        rng = self.rng
        one, other = self.number(here, depth), self.number(here, rng.randrange(depth + 1))
        return rng.choice(
            [f"({one} + {other})", f"({one} - {other})", f"({one} * {other})", f"max({one}, {other})",
             f"min({one}, {other})", f"abs({one})", f"clip({one}, -1, {other})", f"-({one})", f"({one} % 3)",
             f"floor({one} / 2)", f"ceil({one} / 2)", f"({one} ^ 2)", f"sqrt(abs({one}))",
             f"dot([{one}, 1], [2, {other}])",
             f"norm([{one}, 0])", f"length([{one}, {other}])", f"exp(min({one}, 1))", f"log(1 + abs({one}))",
             f"log2(1 + abs({one}))", f"sum(zeros(2)) + {one}", f"sum(project([{one}, 0], ball(1, 2)))",
             f"sum(clip_norm([{one}, 0], 2))", f"sort([{one}, 0, {one} / 2])[2]",
             f"zeta(2) * {one}", f"log1p(abs({one}))",
             f"sum(k for k in {{1, {one}}})",
             f"{{k: k for k in {{1, 2}}}}.pmf({one})", f"binomial(2, 0.5).cdf({one})", f"normal(0, 1).pdf({one})"]
        )  # fmt: skip

    def condition(self, here: Inside, depth: int) -> str:
        rng = self.rng
        if depth > 0 and rng.random() < 0.25:
            word = rng.choice(("and", "or"))
            return f"({self.condition(here, depth - 1)} {word} {self.condition(here, depth - 1)})"
        if depth > 0 and rng.random() < 0.1:
            return f"(not {self.condition(here, depth - 1)})"
        return f"{self.number(here, depth - 1)} {rng.choice(COMPARISONS)} {self.number(here, 0)}"

    def choice(self, here: Inside, depth: int) -> str:
        return f"(if {self.condition(here, depth)} then {self.number(here, depth)} else {self.number(here, depth)})"

    def binder(self, here: Inside) -> tuple[str, str, Inside]:
        """(letter, set, where the body stands)."""
        rng = self.rng
        letter = rng.choice(LETTERS)
        if here.letters and rng.random() < 0.25:
            outer, most = rng.choice(here.letters)
            return letter, f"0..{outer}", here.binding(letter, most, True)
        if self.data and rng.random() < 0.6:
            return letter, "records", here.binding_record(letter)
        if not here.public and not self.data and rng.random() < 0.08:
            stream, values = rng.choice([*self.streams.items()])
            return letter, f"0..max({stream}, 0)", here.binding(letter, max(values), False)
        chosen = rng.choice(SETS)
        return letter, chosen, here.binding(letter, max(int(c) for c in chosen if c.isdigit()), True)

    def over_set(self, here: Inside, depth: int) -> str:
        rng = self.rng
        letter, chosen, inside = self.binder(here)
        operator = rng.choice(FOLDS)
        body = self.condition(inside, depth) if operator == "count" else self.number(inside, depth)
        where = ""
        if operator in ("sum", "count") and rng.random() < 0.2:
            where = f" where {self.condition(inside, depth - 1)}"
        return f"{operator}({body} for {letter} in {chosen}{where})"

    def of_list(self, here: Inside, depth: int) -> str:
        rng = self.rng
        operator = rng.choice(("sum", "max", "min", "mean", "argmax", "argmin", "count"))
        if operator == "count":
            return f"count([{self.condition(here, depth)}, {self.condition(here, 0)}])"
        return f"{operator}({self.listed(here, depth)})"

    def listed(self, here: Inside, depth: int) -> str:
        """A list of two numbers."""
        rng = self.rng
        if here.lists and rng.random() < 0.2:
            return rng.choice(here.lists)
        if rng.random() < 0.3:
            return f"[{self.number(here, depth - 1)}, {self.number(here, depth - 1)}]"
        letter = rng.choice(LETTERS)
        chosen, most = rng.choice((("1..2", 2), ("{2, 1}", 2), ("[0, 1]", 1)))
        return f"[{self.number(here.binding(letter, most, True), depth - 1)} for {letter} in {chosen}]"

    def over_time(self, here: Inside, depth: int) -> str:
        rng = self.rng
        span = rng.choice(["over steps", f"over last {self.length(here)}"] + ["since r"] * self.report)
        operator = rng.choice(FOLDS)
        body = self.condition(here, depth) if operator == "count" else self.number(here, depth)
        where = ""
        if operator in ("sum", "count") and rng.random() < 0.3:
            where = f" where {self.condition(here, depth - 1)}"
        return f"{operator}({body}{where} {span})"

    def length(self, here: Inside) -> str:
        rng = self.rng
        if here.letters and rng.random() < 0.4:
            return f"1 + {rng.choice(here.letters)[0]}"
        if rng.random() < 0.1:  # another one in each step
            return rng.choice(("1 + min(step, 2)", "3 - step", *(["w"] if self.memory else [])))
        return rng.choice(("1", "2", "3", "9"))

    def previous(self, here: Inside, depth: int) -> str:
        return f"previous({self.number(here, depth)}, {self.rng.randrange(3)})"

    def history(self, here: Inside, depth: int) -> str:
        rng = self.rng
        inside = replace(here, letters=())  # a list of its own for each letter is asked of few engines
        found = f"history({self.number(inside if rng.random() < 0.8 else here, depth)}, r)"
        return rng.choice((f"sum({found})", f"length({found})", f"sum(1 + z for z in {found})"))


def random_program(rng: random.Random, *, plain: bool = False, data: bool = False) -> str:
    """`plain`: nothing is drawn but the model's entries; `data`: these are records, which are there from the start."""
    streams = {"x": rng.choice(((0, 1), (-1, 1), (0, 1, 2)))}
    if rng.random() < 0.3:
        streams["y"] = (0, 1)
    memory, report = rng.random() < 0.5, rng.random() < 0.5
    draws = () if plain or rng.random() < 0.7 else ("z",)
    writer = Writer(rng, streams, memory, report, draws, data)
    here, lines = Inside(), []
    depth = rng.choice((2, 3, 3, 4))
    for n in range(1, rng.choice((2, 3, 4))):
        if rng.random() < 0.3:
            lines.append(f"statistic l{n} = {writer.listed(here, depth)}")
            here = replace(here, lists=(*here.lists, f"l{n}"))
        else:
            lines.append(f"statistic s{n} = {writer.number(here, depth)}")
            here = replace(here, numbers=(*here.numbers, f"s{n}"))
    extra = []
    if memory:
        shown = "w + (if r then 1 else 0)" if report else "1 - w"
        new = rng.choice((shown, "w + step", f"{writer.number(Inside(public=True), 2)}", "2 * w"))
        when = rng.choice(("", " when r" if report else " when step % 2 == 0", " when step > 1"))
        extra.append(f"update w = {new}{when}")
    if report:
        extra.append(f"report r when {writer.condition(here, 1)}")
    for line in extra[::-1]:
        # What reads a statistic stands below it; `r` is read below its report only.
        free = re.search(r"\b[sl][1-9]", line) is None and not (line.startswith("update") and " r" in line)
        lines.insert(rng.randrange(len(lines) + 1) if free else len(lines), line)
    if memory and report and any(" r" in line for line in lines if line.startswith("update")):
        lines.sort(key=lambda line: 2 if line.startswith("update") else 1 if line.startswith("report") else 0)
        lines.append(f"statistic last = w + {writer.number(here, 2)}")
    header = ["algorithm random", "param a = 2"]
    values = {name: "{" + ", ".join(map(str, letters)) + "}" for name, letters in streams.items()}
    fields = ", ".join(f"{name} in {letters}" for name, letters in values.items())
    header.append(f"dataset {fields} size {RECORDS}" if data else f"stream {fields}")
    header.append("model m: " + ", ".join(f"{name} ~ uniform({letters})" for name, letters in values.items()))
    if draws:
        law, life = rng.choice(("bernoulli(0.25)", "uniform({0, 2})")), rng.choice(("once", "each step"))
        header.append(f"draw z ~ {law} {life}")
    if memory:
        header.append("memory w = 1")
    when = writer.condition(here, 2)
    ends = [f"stop when {when} return high", f"stop when step >= {STEPS} return low"]
    return "\n".join([*header, *lines, *ends]) + "\n"
