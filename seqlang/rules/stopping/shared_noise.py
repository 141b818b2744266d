"""RDP of two-sided tests whose ends share noise: one fresh noise on the statistic, or one threshold noise for both."""

from __future__ import annotations

from seqlang.accounting import curves
from seqlang.arithmetic.formula import Formula, maximum
from seqlang.model.expression import Reported
from seqlang.model.gate_source import OfEvent, OfStop
from seqlang.model.junctions import disjuncts
from seqlang.model.program import Program, Stop
from seqlang.rules.stopping.directions import Directions, directions_of
from seqlang.rules.stopping.ends import End, end_of
from seqlang.rules.stopping.orders import at_orders


def bound(program: Program, gates: tuple[str, ...], horizon: int | None) -> Formula | str:
    """The RDP epsilon over ORDER of two opposite ends within `horizon` steps (None: any number); or why there is
    none."""
    ends = [end_of(program, gate) for gate in gates]
    problem = next((end for end in ends if isinstance(end, str)), None)
    if problem is not None:
        return problem
    pair = [end for end in ends if isinstance(end, End)]
    if len(pair) != 2 or pair[0].gate == pair[1].gate:
        return "the rule is about two ends"
    first, second = pair
    misfit = _misfit(program, first, second)
    if misfit is not None:
        return misfit
    directions = directions_of(program, pair)
    if isinstance(directions, str):
        return directions
    if not _opposite(directions):
        return "the two ends do not always move against each other"
    one, other = directions.radii
    if horizon is None and "gaussian" in (first.look.family, second.look.family):
        return "Gaussian looks have no bound without a horizon"
    return maximum(
        _direction(first, second, one, other, horizon or 0), _direction(second, first, other, one, horizon or 0)
    )


def _misfit(program: Program, first: End, second: End) -> str | None:
    if first.most != 1 or second.most != 1:
        return "the test goes on after its first report"
    families = {source.family for end in (first, second) for source in (end.threshold, end.look)}
    if not families <= {"gaussian", "laplace"}:
        return "the noises must be Gaussian or Laplace"
    if first.look.name == second.look.name and first.look.sign == second.look.sign:
        return "the shared fresh noise moves both ends the same way"
    if first.look.name == second.look.name and not _exclusive(program, first, second):
        return "both ends may fire in one step: what moves their noise for the one would move it against the other"
    if first.threshold.name == second.threshold.name and first.threshold.sign != second.threshold.sign:
        return "the shared threshold noise protects one end only"
    return None


def _exclusive(program: Program, first: End, second: End) -> bool:
    """Whether no step asks one of the ends after the other has fired in it."""
    sources = [next(gate.source for gate in program.gates if gate.name == end.gate) for end in (first, second)]
    one, other = (program.place_of(source) for source in sources)
    if one is None or other is None or one == other:  # or a stop, and what it returns
        return False
    upper = sources[0] if one < other else sources[1]
    between = program.body[min(one, other) : max(one, other)]
    return isinstance(upper, OfStop) or (
        isinstance(upper, OfEvent)
        and any(isinstance(s, Stop) and Reported(upper.report) in disjuncts(s.when) for s in between)
    )


def _opposite(directions: Directions) -> bool:
    return directions.patterns is not None and all(sum(pattern) == 0 for pattern in directions.patterns)


def _direction(up: End, down: End, rise: Formula, fall: Formula, looks: int) -> Formula:
    """`up` rises by `rise`, `down` falls by `fall`; both at their largest. `looks` is read of Gaussian looks only."""
    needed = fall
    if up.threshold.name == down.threshold.name:  # the scales hold the factors of the one noise
        needed = fall + rise * down.threshold.scale / up.threshold.scale
    moved, paid = rise / up.threshold.scale, needed / down.look.scale
    surcharge = paid if down.look.family == "laplace" else curves.any_look(paid, looks)
    return curves.threshold(moved, surcharge) if up.threshold.family == "gaussian" else moved + surcharge


def _pair(program: Program) -> tuple[str, ...]:
    """The program's ends, if they are two and share a noise."""
    ends = [end for gate in program.gates if isinstance(end := end_of(program, gate.name), End)]
    noises = [{end.look.name, end.threshold.name} for end in ends]
    return tuple(end.gate for end in ends) if len(ends) == 2 and noises[0] & noises[1] else ()


RULE, SEARCH = at_orders(
    "stopping/shared_noise",
    "Two-sided tests with shared noise",
    """Two gates, each: stop iff value_j + a_j Z_j + b_j W_j(t) >= 0, noises Gaussian or Laplace; Z_1 = Z_2 is allowed
    if a_1 a_2 > 0, W_1 = W_2 if b_1 b_2 < 0 and no step asks the one after the other has fired, otherwise independent;
    neighbours move value_1 by c and value_2 by the opposite direction, by one constant each from the changed entry on,
    at most D_1 and D_2.

    i rises, j falls:  d = D_j, plus D_i |a_j| / |a_i| if Z is shared;  m = D_i / (|a_i| sd(Z_i))
    s = log(1 + N e^((a-1) a d^2 / (2 b_j^2 sd(W_j)^2))) / (a-1), N the horizon in steps; s = d / scale for Laplace
    looks
    ------------------------------------------------------------------------------------------------
    both gates together are (a, max over i of log[ int max(p, e^((a-1) s) p^a p'^(1-a)) ] / (a-1))-RDP, in nats, p and
    p' normal with means 0 and m; for a Laplace threshold m + s""",
    "after Zhu & Wang 2020, Theorem 8 (seqlang, accounting/noisy_test/shared)",
    "the threshold noise of the rising end undoes the change; stops at the falling end move the fresh noise of their "
    "own look",
    _pair,
    bound,
)
