"""What each engine makes of a program on all sequences of its entries, beside the exact outcomes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from plain_kernels import ByText, streams
from random_programs.engine_paths import Refused, capped

from one_value import meaning as m
from one_value.programs import Outcome, Program
from seqlang.arithmetic.enclosure import range_of
from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import NoNoise
from seqlang.backends.interpret.values import FOR_OTHERS, OUT_OF_STEPS, UNDECIDED, EvaluationError
from seqlang.backends.kernels.lowering.values import CannotCompile
from seqlang.backends.solve.solve import solve
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.backends.transcript.follow import Follower, Phase
from seqlang.backends.transcript.integrals.quadrature import FINE
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.driver import load
from seqlang.model import program as ir
from seqlang.release.exact.functions import NoValue as NoExactValue
from seqlang.release.exact.laws import NotExact
from seqlang.release.exact.plan import obstacles
from seqlang.release.exact.real import Undecided
from seqlang.release.exact.run import ExactRun
from seqlang.release.twin.statements import RETURN
from seqlang.release.twin.twin import Twin, twin_of
from seqlang.release.twin.written import NoTwin
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.source import NOWHERE, Source

NOT_RATIONAL = ("sqrt", "log", "exp", "norm", "project", "clip_norm", "^", ".pmf", ".cdf")
"""Of rational numbers these may be no rational numbers, or are not known to be."""
Entries = tuple[Fraction, ...]
Wanted = dict[Entries, Outcome | None]


class NotDecided(Exception):
    """The engine says that it does not know."""


def wanted(program: Program) -> tuple[Wanted, set[Entries]]:
    """The outcome of each sequence, and the sequences on which numbers that are not rational may be equal."""
    found: Wanted = {}
    near: set[Entries] = set()
    for entries, outcome, close in program.outcomes():
        found[entries] = outcome
        if close:
            near.add(entries)
    return found, near


def by_interpreter(program: ir.Program, entries: Entries) -> Outcome | None:
    machine = Machine(program, NoNoise())
    for entry in entries:
        try:
            outcome = machine.step({"x": _double(entry)})
        except EvaluationError as error:
            return _fault(error)
        if outcome.stopped:
            return machine.step_number, outcome.result
    raise AssertionError


def _fault(error: EvaluationError) -> None:
    if error.diagnostics[0].message in (UNDECIDED, OUT_OF_STEPS):
        raise NotDecided
    return


def _double(x: Fraction) -> Any:
    return x.numerator if x.denominator == 1 else float(x)


def by_numpy(program: ir.Program, runs: list[Entries], steps: int) -> list[Outcome]:
    try:
        found = capped(program, [[{"x": float(x)} for x in run] for run in runs], steps)
    except CannotVectorise as why:
        raise Refused(str(why)) from None
    except EvaluationError as error:
        _fault(error)
        raise
    return [(one.steps, one.result) for one in found]


def by_kernels(program: ir.Program, runs: list[Entries], steps: int) -> list[Outcome]:
    try:
        kernel = ByText(program, *streams([[{"x": float(x)} for x in run] for run in runs]))
    except CannotCompile as why:
        raise Refused(str(why)) from None
    found = kernel.after(steps)
    if found[0].fault:
        if found[0].lacking == FOR_OTHERS:
            raise Refused(FOR_OTHERS)
        if found[0].lacking == UNDECIDED:
            raise NotDecided
        raise EvaluationError(f"{found[0].lacking} has no value", NOWHERE)
    return [(one.steps, one.result) for one in found]


def by_release(program: ir.Program, entries: Entries) -> Outcome | None:
    try:
        run = ExactRun(program)
        for entry in entries:
            look = run.advance({"x": entry.numerator if entry.denominator == 1 else entry})
            if look.stopped:
                return None if look.by == 0 else (look.step, look.result)
    except NotExact as why:
        raise Refused(str(why)) from None
    except Undecided:
        if obstacles(program):
            raise Refused("a private value that may not be rational") from None
        raise NotDecided from None
    except NoExactValue:
        if obstacles(program):
            raise Refused("a private branch without a value is computed too") from None
        return None
    raise AssertionError


BLURRED = "statistic blurred = x\nreport shown = blurred\nattach laplace(1) to blurred\n"
"""With this no program is computed exactly as it is written, and it has a twin."""


def by_twin(program: Twin, entries: Entries) -> Outcome | None:
    """The twin counts entries and what it returns in units. Its noise changes neither the step nor what is returned."""
    run = ExactRun(program.loaded.program)
    try:
        for entry in entries:
            look = run.advance({name: entry * scale for name, scale in program.scales} or {"x": entry})
            if look.stopped:
                units = dict(program.shown).get(RETURN, 1)
                return None if look.by == 0 else (look.step, Fraction(look.result) / units)
    except NotExact as why:
        raise Refused(str(why)) from None
    except NoExactValue:
        if obstacles(program.loaded.program):
            raise Refused("a private branch without a value is computed too") from None
        return None
    raise AssertionError


def _twin(text: str, exact: Wanted, near: set[Entries]) -> str:
    try:
        made = twin_of(load(Source("random", text + BLURRED)))
    except NoTwin as why:
        return f"refuses: {why}"
    return _one_by_one(by_twin, made, exact, near)


def by_transcripts(program: ir.Program, entries: Entries, wanted: Outcome) -> str | None:
    """The transcript that is wanted must be certain."""
    try:
        follower = Follower(program)
        phases = []
        for step in range(1, wanted[0] + 1):
            last = step == wanted[0]
            phases.append(Phase({"x": _double(entries[step - 1])}, {"stop": None}, 1))
            if last:
                return _certain(follower, phases, program, wanted)
    except Unsupported as why:
        raise Refused(str(why)) from None
    raise AssertionError


def _certain(follower: Any, phases: list[Phase], program: ir.Program, wanted: Outcome) -> str | None:
    stops = [s.index for s in program.body if isinstance(s, ir.Stop)]
    found = []
    for index in stops:
        last = Phase(phases[-1].entry, {"stop": (index, float(wanted[1]))}, 1)
        found.append(follower.log_probability([*phases[:-1], last], FINE).log)
    return None if 0.0 in found else f"the transcript has log probability {found}"


def same(a: Any, b: Any) -> bool:
    """Outcomes: the step, and the number, which for rational numbers is the nearest double."""
    if a is not None and abs(a[1]) == math.inf:
        a = None  # engines take 1 / 0 for an infinite number
    if a is None or b is None:
        return a is b
    (step, value), (other, exact) = a, b
    if step != other:
        return False
    return abs(float(value) - float(exact)) <= 1e-11 * (1 + abs(float(exact)))


def law(program: Program, found: Wanted) -> dict[tuple[int, float], float] | None:
    """The exact law under even entries; None where some sequence has no value."""
    chances: dict[tuple[int, float], float] = {}
    if len(found) < len(program.letters) ** program.steps:
        return None
    for outcome in found.values():
        if outcome is None:
            return None
        key = outcome[0], round(float(outcome[1]), 9)
        chances[key] = chances.get(key, 0.0) + 1 / len(found)
    return chances


def by_solve(program: ir.Program) -> tuple[dict[tuple[int, float], float], float]:
    try:
        solution = solve(program, "even")
    except Unsolved as why:
        raise Refused(str(why)) from None
    found: dict[tuple[int, float], float] = {}
    for step, row in enumerate(solution.table.tolist(), 1):
        for outcome, chance in zip(solution.outcomes, row, strict=True):
            if chance > 0:
                assert isinstance(outcome, float)
                found[step, outcome] = chance
    return found, solution.error + solution.lost


def judged(program: Program) -> Iterator[tuple[str, str]]:
    """(engine, what it made of it): `agrees`, `refuses` with the reason, or what differs. Raises SpecError."""
    exact, near = wanted(program)
    if not exact:
        return
    made = load(Source("random", program.text)).program
    valid = [entries for entries, outcome in exact.items() if outcome is not None]
    yield "interpreter", _one_by_one(by_interpreter, made, exact, near)
    yield "release", _one_by_one(by_release, made, exact, near)
    yield "numpy", _together(by_numpy, made, valid, program.steps, exact, near)
    yield "kernels", _together(by_kernels, made, valid, program.steps, exact, near)
    if not any(name in program.text for name in NOT_RATIONAL):  # or the twin rounds numbers to its grid
        yield "twin", _twin(program.text, exact, near)
    yield "transcripts", _transcripts(made, exact, near)
    yield "solve", _solved(program, made, exact, near)


def proved(program: Program) -> str:
    """The same of the value that proofs take for what a program returns, which is a constant."""
    exact, near = wanted(program)
    if not exact:
        return "refuses: infinite"
    (outcome, *_) = exact.values()
    made = load(Source("random", program.text)).program
    result = next(s.result for s in made.body if isinstance(s, ir.Stop))
    assert result is not None
    value = evaluate_number(facts_of(made), result)
    if value is None:
        return "refuses: near" if near else "refuses: not known"
    if outcome is None:
        return f"DIFFERS: {value}, not no value"
    low, high = (m.real(Fraction(end)) if math.isfinite(end) else end for end in range_of(value, {}))
    number, far = m.real(outcome[1]), 1e-12 * (1 + abs(float(outcome[1])))
    inside = number - far <= low <= number + m.NEAR and number - m.NEAR <= high <= number + far
    return "agrees" if inside else f"DIFFERS: {value}, not {float(outcome[1])!r}"


def _one_by_one(run: Callable[..., Any], made: Any, exact: Wanted, near: set[Entries]) -> str:
    for entries, outcome in exact.items():
        try:
            found = run(made, entries)
        except Refused as why:
            return f"refuses: {why}"
        except NotDecided:
            if entries in near:
                continue
            return f"does not decide {_shown(entries)}: {_told(outcome)}"
        if not same(found, outcome):
            return f"DIFFERS on {_shown(entries)}: {found}, not {_told(outcome)}{' near' if entries in near else ''}"
    return "agrees"


def _together(
    run: Callable[..., Any], made: ir.Program, valid: list[Entries], steps: int, exact: Wanted, near: set[Entries]
) -> str:
    if not valid:
        return "refuses: no sequence has a value"
    try:
        found = run(made, valid, steps)
    except Refused as why:
        return f"refuses: {why}"
    except NotDecided:
        return "refuses: near" if near else "does not decide"
    except EvaluationError as error:
        return f"DIFFERS: {error}"
    for entries, one in zip(valid, found, strict=True):
        if not same(one, exact[entries]):
            return f"DIFFERS on {_shown(entries)}: {one}, not {_told(exact[entries])}"
    return "agrees"


def _transcripts(made: ir.Program, exact: Wanted, near: set[Entries]) -> str:
    for entries, outcome in exact.items():
        if outcome is None:
            continue
        try:
            wrong = by_transcripts(made, entries, outcome)
        except Refused as why:
            return f"refuses: {why}"
        except EvaluationError as error:
            if error.diagnostics[0].message in (UNDECIDED, OUT_OF_STEPS):
                return "refuses: near" if entries in near else f"does not decide {_shown(entries)}"
            return f"DIFFERS on {_shown(entries)}: {error}"
        if wrong:
            return f"DIFFERS on {_shown(entries)}: {wrong}, {_told(outcome)}"
    return "agrees"


def _solved(program: Program, made: ir.Program, exact: Wanted, near: set[Entries]) -> str:
    chances = law(program, exact)
    if chances is None:
        return "refuses: no law"
    try:
        found, error = by_solve(made)
    except Refused as why:
        return f"refuses: {why}"
    if not any(name in program.text for name in NOT_RATIONAL):
        numbers = Counter(step for step, _ in set(filter(None, exact.values())))
        solved = Counter(step for step, _ in found)
        if numbers != solved:
            return f"DIFFERS: {dict(solved)} different numbers are returned, by step, not {dict(numbers)}"
    for step, value in chances.keys() | found.keys():
        one, other = (sum(p for (s, v), p in law.items() if s == step and _close(v, value)) for law in (chances, found))
        if abs(one - other) > 1e-9 + error:
            return f"DIFFERS: P({step}, {value!r}) is {other}, not {one}"
    return "agrees"


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-8, abs_tol=1e-8)


def _shown(entries: Entries) -> str:
    return "[" + ", ".join(str(float(x)) for x in entries) + "]"


def _told(outcome: Outcome | None) -> str:
    return "no value" if outcome is None else f"({outcome[0]}, {float(outcome[1])!r})"
