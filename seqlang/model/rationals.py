"""Which expressions are rational: fractions compute them exactly, in every step of every run."""

from __future__ import annotations

from seqlang.model.constants import has_exact_density
from seqlang.model.expression import (
    Apply,
    Bound,
    CellValue,
    Choice,
    Density,
    Drawn,
    Expression,
    Field,
    Index,
    Label,
    Law,
    Local,
    MemoryValue,
    Noised,
    Number,
    ParameterValue,
    Quantified,
    RealVectors,
    Records,
    Reported,
    Sequence,
    StepNumber,
    Truth,
    children,
)
from seqlang.model.grids import Grids
from seqlang.model.program import Cell, Define, Program, Report, Update, expressions_in
from seqlang.operators.catalogue import OPERATORS

_PLAIN = Number | Truth | Label | ParameterValue | StepNumber | Records
_MADE = Choice | Index | Sequence | Quantified


class Rationals:
    """Of one program."""

    def __init__(self, program: Program, grids: Grids) -> None:
        self.grids = grids
        self._known: dict[int, tuple[Expression, bool]] = {}
        parts: dict[str, list[Expression]] = {x.name: [x.initial] for x in program.memories}
        for statement in program.body:
            match statement:
                case Update(name, value):
                    parts[name].append(value)
                case Define(name) | Cell(name) | Report(name):
                    parts[name] = list(expressions_in(statement))
                case _:
                    pass
        self._named = set(parts)
        while left := {name for name in self._named if not all(map(self.of, parts[name]))}:
            self._named -= left
            self._known.clear()

    def of(self, e: Expression) -> bool:
        """Whether it is made from rational numbers by rational operations alone."""
        if id(e) not in self._known:
            self._known[id(e)] = e, self._is_rational(e)
        return self._known[id(e)][1]

    def _is_rational(self, e: Expression) -> bool:
        match e:
            case Field() | Drawn() | Index(Field()):
                return self.grids.of(e).denominator is not None
            case Local(name) | MemoryValue(name) | CellValue(name) | Reported(name):
                return name in self._named and all(map(self.of, children(e)))
            case Bound(variable):
                return variable.domain is not None and self.of(variable.domain)
            case Noised(_, base, terms):
                return self.of(base) and all(self.of(t.factor) and self.of(Drawn(t.noise)) for t in terms)
            case Apply("^", (base, exponent)):
                return self.grids.of(exponent).denominator == 1 and self.of(base) and self.of(exponent)
            case Apply(operator):
                return OPERATORS[operator].rational and all(map(self.of, children(e)))
            case Quantified(domain=RealVectors()):
                return False
            case Density(_, Law(arguments=arguments) as law, at):
                return has_exact_density(law) and all(map(self.of, (*arguments, at)))
        return isinstance(e, _PLAIN) or (isinstance(e, _MADE) and all(map(self.of, children(e))))
