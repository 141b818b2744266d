"""Whether a witness rests on how floats are rounded: 0.1 + 0.1 + 0.1 > 0.3 holds in floats, and is false of numbers.

The language's numbers are real: decimals are exact. What no number on a continuous scale enters, runs decide exactly.
For the rest the streams of a witness are run twice against its event, with floats and with rational numbers, and every
comparison (and `floor`, and the side of 0 on which a divisor lies) that reads no noise must come out the same. Where
numbers that are not rational (logarithms, roots) are as close to a jump as rounding may be, nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import floor, isfinite, isinf
from typing import Any

from seqlang.analyses.trials.exactly import ExactCompiler, exactly
from seqlang.analyses.trials.play import Shared
from seqlang.analyses.witnesses.far_from_zero import is_far_from_zero
from seqlang.backends.interpret.code import Code
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.machine import Machine, Outcome
from seqlang.backends.interpret.values import EvaluationError, OutOfReach, each, numbers_in, pairwise
from seqlang.backends.transcript.follow import Phase
from seqlang.model import expression as ir
from seqlang.model.grids import Rounding
from seqlang.model.program import Program, Report, Stop, expressions_read
from seqlang.operators.groups import COMPARE, COMPARISONS, FOLDS, JUMPING, PARTIAL, WHOLE
from seqlang.process.time_limit import poll
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program
from seqlang.source import Span

NEAR = 1e-12  # of the larger of two numbers: floats that are that close may be one number
LONGEST = 3000  # steps that are run twice; longer streams are not looked at
ROUNDED = JUMPING & WHOLE - COMPARISONS
"""Functions that jump, beside comparisons; their values are whole numbers."""
BROKEN = (JUMPING | PARTIAL) - WHOLE - FOLDS
"""Functions that jump, or leave every bound, at some arguments only: 1 / 0 is infinite, 0.3 % 0.1 is 0."""
SCALARS = frozenset({bool, int, float, Fraction})
MOST_KNOWN = 10_000
Comparisons = list[tuple[Any, bool]]
"""Of each comparison (or jump) that floats may decide otherwise, in order: how it came out, and whether rounding may
have decided it."""


def rests_on_rounding(program: Program, ways: Sequence[Sequence[Phase]]) -> bool:
    """Whether a comparison that reads no noise may come out otherwise for real numbers, on one of these ways to follow
    a stream through an event."""
    return any(_differs(program, phases) for phases in ways)


def _differs(program: Program, phases: Sequence[Phase]) -> bool:
    if sum(phase.repeat for phase in phases) > LONGEST:
        return False
    floats, numbers = _run(program, False).comparisons(phases), _run(program, True).comparisons(phases)
    if floats is None or numbers is None:
        return False  # what it reads is told by a region only, or no rational numbers are made of it
    held = [[holds for holds, _ in listed] for listed in (floats, numbers)]
    return held[0] != held[1] or any(close for _, close in numbers)


class _Run:
    """Runs of one program that write down their comparisons, compiled once for all witnesses."""

    def __init__(self, program: Program, exact: bool) -> None:
        self.exact = exact
        self.found: Comparisons = []
        self.told: dict[str, Any] = {}
        compiler = (_LoggingExactly if exact else _Logging)(program, self.found)
        self.machine = Machine(program, Shared(None, False), self._observed, compiler)
        self.logs = compiler.logs
        self.datasets = [i.name for i in program.inputs if i.kind == "dataset"]

    def comparisons(self, phases: Sequence[Phase]) -> Comparisons | None:
        """Those on the way to follow a stream through an event; None where a step has no value."""
        self.found.clear()
        if not self.logs:
            return []
        machine, exact, datasets = self.machine, self.exact, self.datasets
        machine.restart(Shared(None, False))
        try:
            for phase in phases:
                entry = {name: exactly(v, True) if exact else v for name, v in phase.entry.items()}
                for _ in range(phase.repeat):
                    poll()
                    if machine.step_number == 0 and datasets:
                        machine.load({name: entry[name] for name in datasets})
                    self.told.clear()
                    self.told.update(phase.observed)
                    if machine.stopped:
                        return list(self.found)
                    machine.step({} if datasets else entry)
        except OutOfReach:
            self.found.append((None, True))
        except (EvaluationError, KeyError, TypeError, ValueError, OverflowError, ZeroDivisionError):
            return None
        return list(self.found)

    def _observed(self, machine: Machine, statement: Report | Stop, happened: Outcome | None) -> Outcome:
        if isinstance(statement, Report):
            value = self.told.get(statement.name)
            own = happened.value if happened is not None else None
            shown = own if isinstance(value, tuple) or value is True else value
            return Outcome(value is not None, exactly(shown, True) if self.exact else shown)
        stop = self.told.get("stop")
        return Outcome(stop is not None and stop[0] == statement.index, None if stop is None else stop[1])


_run = remembered_of_program(_Run)


class _Logging(Compiler):
    """Writes down every comparison without noise, as it is evaluated, in `found`."""

    def __init__(self, program: Program, found: Comparisons) -> None:
        self.found = found
        self.logs = False  # whether there is anything to write down
        super().__init__(program)

    def _apply(self, operator: str, arguments: tuple[ir.Expression, ...], span: Span) -> Code:
        code: Code = super()._apply(operator, arguments, span)
        compared = operator in ir.COMPARISONS
        if not (compared or operator in ROUNDED | BROKEN) or not code.reads:
            return code
        if all(self.grids.of(a).exact for a in arguments):
            return code
        if self._is_sure(operator, arguments) or _reads_noise(self.program, arguments):
            return code
        self.logs = True
        sides = [self.compile(a).run for a in arguments]
        if not compared:
            return Code(self._jump(operator, sides, code), code.reads)
        plain = COMPARE.get(operator)

        def run(m: Any) -> Any:
            values = [side(m) for side in sides]
            holds = code.run(m)
            # transcripts subtract floats, also where runs compare whole numbers
            numbers = plain is not None and not any(isinstance(v, (tuple, str)) for v in values)
            seen = plain(*values) if plain is not None and numbers else holds
            self.found.append((seen, _close(*values)))
            return holds

        return Code(run, code.reads)

    def _jump(self, operator: str, sides: Sequence[Callable[[Any], Any]], code: Code) -> Callable[[Any], Any]:
        """A function that jumps; of numbers that it has met it knows the value. (0.0 and -0.0 are equal, and not
        one number here.)"""
        known: dict[Any, tuple[Any, Any, bool]] = {}

        def run(m: Any) -> Any:
            values = [side(m) for side in sides]
            kinds = [v.__class__ for v in values]
            scalar = SCALARS.issuperset(kinds)
            key = (*kinds, *values)
            if scalar and key in known:
                holds, seen, close = known[key]
            else:
                written = len(self.found)
                holds = code.run(m)
                del self.found[written:]  # the arguments once more
                seen = _side_of_jump(operator, values) if operator in BROKEN else holds
                close = any(_close(*ends) for ends in _ends(operator, values))
                if scalar and len(known) < MOST_KNOWN and 0 not in values:
                    known[key] = holds, seen, close
            self.found.append((seen, close))
            return holds

        return run

    def _is_sure(self, operator: str, arguments: tuple[ir.Expression, ...]) -> bool:
        """Whether floats are on the right side of the jump: rounding once keeps the order, and the sign."""
        if operator == "%":
            return all(self.grids.of(a).rounding == Rounding.NEVER for a in arguments)
        decides = arguments[1:] if operator == "/" else arguments
        if operator in ROUNDED | {"log1p"}:
            return False
        return bool(self.grids.agree(decides)) or (operator in BROKEN and is_far_from_zero(self.program, decides[0]))


class _LoggingExactly(_Logging, ExactCompiler):
    """The same with rational numbers."""


def _side_of_jump(operator: str, values: Sequence[Any]) -> Any:
    """On which side of each place where the function breaks its arguments lie."""
    match operator, values:
        case "%", (a, b):
            return pairwise(lambda x, y: floor(x / y) if y and isfinite(x) else None, a, b)
        case "/", (_, b):
            return each(_sign, b)
        case "log1p", (a,):
            return each(lambda x: (x > -1) - (x < -1), a)
    return tuple(each(_sign, value) for value in values)


def _sign(x: Any) -> int:
    return int(x > 0) - int(x < 0)


def _ends(operator: str, values: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """What must not be as close as rounding may be: an argument and a place where the function breaks."""
    match operator, values:
        case (("floor" | "ceil"), (a,)):
            yield from ((x, round(x)) for x in numbers_in(a) if isfinite(x))
        case "%", (a, b):
            quotients = numbers_in(pairwise(lambda x, y: x / y if y else 0, a, b))
            yield from ((q, round(q)) for q in quotients if isfinite(q))
        case (("argmax" | "argmin"), (a,)) if isinstance(a, tuple):
            best = sorted(numbers_in(a), reverse=operator == "argmax")
            yield from ((x, best[0]) for x in best[1:])
        case "log1p", (a,):
            yield from ((x, -1) for x in numbers_in(a))
        case "/", (_, b):
            yield from ((1 + x, 1) for x in numbers_in(b) if isinstance(x, float))
        case (("log" | "log2" | "^"), _):
            yield from ((1 + x, 1) for value in values for x in numbers_in(value) if isinstance(x, float))


def _reads_noise(program: Program, arguments: tuple[ir.Expression, ...]) -> bool:
    return any(isinstance(node, ir.Noised | ir.Drawn) for node in expressions_read(program, arguments))


def _close(a: Any, b: Any) -> bool:
    """Floats, in a run with rational numbers, come from logarithms and the like."""
    if not isinstance(a, float) and not isinstance(b, float):
        return False
    if isinstance(a, (tuple, str)) or isinstance(b, (tuple, str)) or isinf(a) or isinf(b):
        return False
    return bool(a != b and abs(a - b) <= NEAR * max(abs(a), abs(b)))
