"""What an expression reads, through statistics and cells: plain data, noised names, choices, hidden coins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from seqlang.laws.facts import facts
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.record import field, mutable_record, record


@record
class Contents:
    """`plain`: reads data without noise. `noised`: noisy readings that the expression makes in this step; `celled`:
    those that a cell made. `flips`: randomised responses. `choices`: draws from laws that read data. `loose`: noise
    read by the name of its draw. `coins`: other draws that do not look at data (signs, samples)."""

    plain: bool = False
    noised: frozenset[m.Noised] = frozenset()
    celled: frozenset[m.Noised] = frozenset()
    flips: frozenset[m.Noised] = frozenset()
    choices: frozenset[str] = frozenset()
    loose: frozenset[str] = frozenset()
    coins: frozenset[str] = frozenset()

    def __or__(self, other: Contents) -> Contents:
        if other is NOTHING or self is NOTHING:
            return self if other is NOTHING else other
        return Contents(
            self.plain or other.plain,
            self.noised | other.noised,
            self.celled | other.celled,
            self.flips | other.flips,
            self.choices | other.choices,
            self.loose | other.loose,
            self.coins | other.coins,
        )

    @property
    def noisy(self) -> bool:
        """Holds noise that a term could hold."""
        return bool(self.noised or self.loose)

    @property
    def settled(self) -> bool:
        """Known once its choices, flips and the noisy readings of its cells are known: nothing plain, no own noise."""
        return not (self.plain or self.noised or self.loose)

    @property
    def public(self) -> bool:
        return self.settled and not (self.celled or self.flips or self.choices or self.coins)


NOTHING = Contents()


@mutable_record
class Reader:
    """Looks things up in a program's parts; results are kept, as statistics are read many times."""

    fields: dict[str, p.Input]
    noises: dict[str, p.Noise]
    records_are_private: bool
    defines: dict[str, tuple[int, p.Define]] = field(default_factory=dict)
    cells: dict[str, p.Cell] = field(default_factory=dict)
    draws: dict[str, p.Draw] = field(default_factory=dict)
    _known: dict[str, Contents] = field(default_factory=dict)
    _seen: dict[int, tuple[m.Expression, Contents]] = field(default_factory=dict)

    def integrate_out(self, body: Sequence[p.Statement]) -> None:
        """Work out every statistic and cell, in order. What reads itself, by `previous`, needs several rounds: each
        starts from what the last one found, until nothing is added."""
        grew = True
        while grew:
            grew = False
            for statement in body:
                self._seen.clear()
                match statement:
                    case p.Cell(name=name):
                        key, found = f"cell {name}", self._cell(statement)
                    case p.Define(name=name, expression=expression):
                        key, found = f"local {name}", self.contents(expression)
                    case _:
                        continue
                grew = grew or self._known.get(key, NOTHING) != found
                self._known[key] = found
        self._seen.clear()

    def contents(self, expression: m.Expression) -> Contents:
        """What it reads."""
        if id(expression) not in self._seen:  # kept beside the expression, so that its identity stays its own
            self._seen[id(expression)] = (expression, self._look(expression))
        return self._seen[id(expression)][1]

    def _look(self, expression: m.Expression) -> Contents:
        match expression:
            case m.Field(name=name):
                return NOTHING if self.fields[name].kind == "public" else Contents(plain=True)
            case m.Records():
                return Contents(plain=True) if self.records_are_private else NOTHING
            case m.Noised() if self.is_flip(expression):
                return Contents(flips=frozenset({expression}))
            case m.Noised():
                return Contents(noised=frozenset({expression}))
            case m.Local(name=name):
                return self._known.get(f"local {name}", NOTHING)
            case m.CellValue(name=name):
                return self._known.get(f"cell {name}", NOTHING) | self._joined(m.children(expression))
            case m.Drawn(name=name):
                return self._drawn(name)
            case _:
                return self._joined(m.children(expression))

    def _joined(self, parts: Iterable[m.Expression]) -> Contents:
        found = NOTHING
        for part in parts:
            found = found | self.contents(part)
        return found

    def is_flip(self, reading: m.Noised) -> bool:
        laws = [self.noises[t.noise].law for t in reading.terms if t.noise in self.noises]
        return any(isinstance(law, m.Law) and law.family == "randomized_response" for law in laws)

    def _cell(self, cell: p.Cell) -> Contents:
        found = self._joined(p.expressions_in(cell))
        return Contents(
            found.plain, frozenset(), found.noised | found.celled, found.flips, found.choices, found.loose, found.coins
        )

    def _drawn(self, name: str) -> Contents:
        if name in self.noises:
            law = self.noises[name].law
            if self.contents(law).plain:  # a sample of records, where how many there are is private
                return Contents(plain=True, coins=frozenset({name}))
            continuous = isinstance(law, m.Law) and law.family == "uniform" and len(law.arguments) == 2
            noise = continuous or (isinstance(law, m.Law) and facts(law.family).noise)
            return Contents(loose=frozenset({name})) if noise else Contents(coins=frozenset({name}))
        draw = self.draws.get(name)
        if draw is None or self.contents(draw.law).public:
            return Contents(coins=frozenset({name}))
        return Contents(choices=frozenset({name}))  # its law reads data, or noise that protects data elsewhere
