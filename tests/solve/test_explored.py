"""The explored states against brute force: all streams, with quadrature over the noises, written out by hand."""

from __future__ import annotations

from itertools import product
from math import exp, inf, sqrt

import numpy as np
import pytest
from elaborated import elaborated
from scipy import integrate, stats
from scipy.special import ndtr

from seqlang.backends.solve.quadrature.grid import first_level, grid_of
from seqlang.backends.solve.states.explored_chain import ExploredChain
from seqlang.backends.solve.states.kinks import state_kinks
from seqlang.backends.solve.step.integration_plan import integration_plan
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Program

HEAD = 'algorithm small "small"\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.3)\n'


def program(body: str, head: str = HEAD) -> Program:
    return elaborated(head + body)


def chain(body: str, level: int = 3, head: str = HEAD) -> ExploredChain:
    made = program(body, head)
    roles = integration_plan(made)
    grid = grid_of(made, roles, first_level(roles) + level, state_kinks(made, "m", (), roles))
    return ExploredChain(made, "m", (), roles, grid)


def table(body: str, steps: int, level: int = 3, head: str = HEAD) -> dict[tuple[int, object], float]:
    """(step, outcome) -> chance."""
    made = chain(body, level, head=head)
    frontier = made.begin()
    found: dict[tuple[int, object], float] = {}
    for step in range(1, steps + 1):
        before = frontier.survivors.sum() + frontier.lost
        frontier, stopped = made.advance(frontier)
        for outcome, mass in zip(made.outcomes, stopped.by_outcome, strict=False):
            if mass.sum() > 0:
                found[step, outcome] = float(mass.sum())
        after = frontier.survivors.sum() + frontier.lost
        assert stopped.by_outcome.sum() + after == pytest.approx(before, abs=1e-13)
    return found


def streams(length: int, p: float = 0.3) -> list[tuple[tuple[int, ...], float]]:
    return [(s, float(np.prod([p if v else 1 - p for v in s]))) for s in product((0, 1), repeat=length)]


Law = dict[tuple[int, object], float]


def agree(found: Law, expected: Law, tol: float = 1e-11) -> None:
    for key in {*found, *expected}:
        assert found.get(key, 0.0) == pytest.approx(expected.get(key, 0.0), abs=tol), key


def along(length: int, decide: object) -> dict[tuple[int, object], float]:
    """Sum over streams of the law of (step, outcome) that `decide(stream)` gives as {key: chance}."""
    total: dict[tuple[int, object], float] = {}
    for stream, p in streams(length):
        for key, chance in decide(stream).items():
            total[key] = total.get(key, 0.0) + p * chance
    return total


def test_one_fresh_noise_read_by_two_stops() -> None:
    def decide(stream: tuple[int, ...]) -> dict[tuple[int, object], float]:
        law, alive, s = {}, 1.0, 0
        for step, x in enumerate(stream, 1):
            s += x
            hi, lo = stats.norm.sf(2 - s, scale=0.7), stats.norm.cdf(-0.5 + step / 8 - s, scale=0.7)
            law[step, "hi"], law[step, "lo"] = alive * hi, alive * lo
            alive *= 1 - hi - lo
        return law

    body = (
        "statistic s = sum(x over steps)\nstop when s >= 2 return hi\nstop when s <= -0.5 + step / 8 return lo\n"
        "attach gaussian(0.7) to s\n"
    )
    agree(table(body, 5), along(5, decide))


def test_a_fresh_noise_shared_by_two_sums() -> None:
    """Noise on the walk and one of its own on each end: given the shared one, the ends are independent."""

    def chances(s: float) -> tuple[float, float]:
        grid = np.concatenate([np.linspace(-9, 9, 400), [-s]])
        grid.sort()
        nodes, weights = np.polynomial.legendre.leggauss(8)
        z = (grid[1:] + grid[:-1])[:, None] / 2 + nodes * (grid[1:] - grid[:-1])[:, None] / 2
        w = weights * (grid[1:] - grid[:-1])[:, None] / 2 * stats.norm.pdf(z)
        hi = stats.norm.cdf((s + z - 1) / 0.5)
        return float((w * hi).sum()), float((w * (1 - hi) * stats.laplace.sf(s + z, scale=0.8)).sum())

    def decide(stream: tuple[int, ...]) -> dict[tuple[int, object], float]:
        law, alive, s = {}, 1.0, 0.0
        for step, x in enumerate(stream, 1):
            s += x - 0.5
            hi, lo = chances(s)
            law[step, "hi"], law[step, "lo"] = alive * hi, alive * lo
            alive *= 1 - hi - lo
        return law

    body = (
        "param A = 1\nparam B = 0\nstatistic s = sum(x - 0.5 over steps)\n"
        "stop when s >= A return hi\nstop when s <= B return lo\n"
        "attach gaussian(1) to s\nattach gaussian(0.5) to A\nattach laplace(0.8) to B\n"
    )
    expected = along(4, decide)
    coarse, fine = table(body, 4, 5), table(body, 4, 9)
    assert max(abs(fine[k] - expected[k]) for k in expected) < max(1e-10, max(abs(fine[k] - coarse[k]) for k in fine))
    agree(fine, expected, 1e-5)


def test_a_drawn_threshold_without_fresh_noise_is_an_interval() -> None:
    def decide(stream: tuple[int, ...]) -> dict[tuple[int, object], float]:
        law, s, top = {}, 0, -inf
        for step, x in enumerate(stream, 1):
            s += x
            value = s - step / 3
            law[step, None] = max(0.0, stats.laplace.sf(top - 1, scale=1.5) - stats.laplace.sf(value - 1, scale=1.5))
            top = max(top, value)
        return law

    body = "param b = 1\nstatistic s = sum(x over steps)\nstop when s - step / 3 >= b\nattach laplace(1.5) to b once\n"
    agree(table(body, 6), along(6, decide))


@pytest.mark.parametrize("test", ["s >= 2 and x >= 1", "s >= 2 or x >= 1", "not (s >= 2 or not x >= 1)"])
def test_logic_of_two_noises(test: str) -> None:
    def fires(s: float, x: float) -> float:
        one, two = stats.norm.sf(2 - s, scale=0.7), stats.laplace.sf(1 - x, scale=0.4)
        if " and " in test:
            return float(one * two)
        return float(one + two - one * two) if "not" not in test else float((1 - one) * two)

    def decide(stream: tuple[int, ...]) -> dict[tuple[int, object], float]:
        law, alive, s = {}, 1.0, 0
        for step, x in enumerate(stream, 1):
            s += x
            law[step, None] = alive * fires(s, x)
            alive -= law[step, None]
        return law

    body = (
        f"statistic s = sum(x over steps)\nstop when {test}\nattach gaussian(0.7) to s\nattach laplace(0.4) to x\n"
    ).replace("sum(x over", "sum(y over")
    head = HEAD.replace("stream x in {0, 1}\n", "stream y in {0, 1}\n").replace("model m: x", "model m: y")
    agree(table("statistic x = y\n" + body, 5, head=head), along(5, decide))


@pytest.mark.parametrize("operator", [">=", ">"])
def test_discrete_noise_at_ties(operator: str) -> None:
    r = 0.5

    def above(c: float) -> float:
        first = c if operator == ">=" else c + 1
        return r**first / (1 + r) if first > 0 else 1 - r ** (1 - first) / (1 + r)

    def decide(stream: tuple[int, ...]) -> dict[tuple[int, object], float]:
        law, alive, s = {}, 1.0, 0
        for step, x in enumerate(stream, 1):
            s += 3 * x
            law[step, None] = alive * above(2 - s)
            alive -= law[step, None]
        return law

    body = f"statistic s = sum(0.3 * x over steps) * 10\nstop when s {operator} 2\nattach geometric({r}) to s\n"
    agree(table(body, 5), along(5, decide))


@pytest.mark.parametrize("operator, first", [(">=", 3), (">", 4)])
def test_ties_without_noise(operator: str, first: int) -> None:
    """0.1 + 0.1 + 0.1 is 0.3 here."""
    body = f"statistic s = sum(0.1 * (x + 1 - x) over steps)\nstop when s {operator} 0.3\n"
    assert table(body, 5) == {(first, None): pytest.approx(1.0)}


@pytest.mark.long
def test_reports_with_a_threshold_drawn_anew_after_each() -> None:
    """Given the kinks of the states, the chances are integrals over the noise of each life."""

    def decide(stream: tuple[int, ...]) -> dict[tuple[int, object], float]:
        sums = np.cumsum(stream)
        law: dict[tuple[int, object], float] = {}

        def run(begin: int, end: int) -> float:
            """A life of the threshold begins before step `begin`; it is reported at `end`, first (end = 0: never)."""

            def inside(z: float) -> float:
                chance = float(stats.norm.pdf(z, scale=1.2))
                for step in range(begin, end + 1):
                    hit = stats.norm.sf(1.5 + z - sums[step - 1], scale=0.8)
                    chance *= hit if step == end else 1 - hit
                return chance

            return float(integrate.quad(inside, -12, 12, epsabs=1e-13, limit=200)[0])

        for first in range(1, len(stream)):
            for second in range(first + 1, len(stream) + 1):
                key = (second, None)
                law[key] = law.get(key, 0.0) + run(1, first) * run(first + 1, second)
        return law

    body = (
        "param b = 1.5\nstatistic s = sum(x over steps)\nreport high when s >= b\n"
        "stop when count(high over steps) >= 2\nattach gaussian(1.2) to b each high\nattach gaussian(0.8) to s\n"
    )
    agree(table(body, 4, 4), along(4, decide), 1e-10)


def test_sums_since_a_noisy_report_and_windows() -> None:
    def decide(stream: tuple[int, ...]) -> dict[tuple[int, object], float]:
        law: dict[tuple[int, object], float] = {}

        def go(step: int, since: int, reports: int, mass: float) -> None:
            if step > len(stream):
                return
            since += stream[step - 1]
            fired = float(stats.laplace.sf(1 - since, scale=0.5))
            window = sum(stream[max(0, step - 3) : step])
            for seen, chance in ((True, mass * fired), (False, mass * (1 - fired))):
                count = reports + seen
                if window + count >= 3:
                    law[step, count] = law.get((step, count), 0.0) + chance
                else:
                    go(step + 1, 0 if seen else since, count, chance)

        go(1, 0, 0, 1.0)
        return law

    body = (
        "statistic c = sum(x since r)\nreport r when c >= 1\nattach laplace(0.5) to c\n"
        "statistic n = count(r over steps)\nstop when sum(x over last 3) + n >= 3 return n\n"
    )
    agree(table(body, 6), along(6, decide))


def test_a_released_count_drives_a_memory() -> None:
    """Blocks of two entries: what is released goes into public memory, and memory stops."""
    r, cut = exp(-1), 60
    noise = {k: (1 - r) / (1 + r) * r ** abs(k) for k in range(-cut, cut + 1)}

    def decide(stream: tuple[int, ...]) -> dict[tuple[int, object], float]:
        law: dict[tuple[int, object], float] = {}
        states = {0.0: 1.0}
        for block in range(len(stream) // 2):
            count = sum(stream[2 * block : 2 * block + 2])
            after: dict[float, float] = {}
            for w, mass in states.items():
                for k, p in noise.items():
                    new = w + count + k
                    key = (2 * block + 2, "up" if new >= 3 else "down")
                    if new >= 3 or new <= -2:
                        law[key] = law.get(key, 0.0) + mass * p
                    else:
                        after[new] = after.get(new, 0.0) + mass * p
            states = after
        return law

    body = (
        "memory w = 0\nreport block when sum(1 since block) >= 2\nreport ones = sum(x since block) when block\n"
        "update w = w + ones when block\nstop when w >= 3 return up\nstop when w <= -2 return down\n"
        "attach geometric(exp(-1)) to ones\n"
    )
    agree(table(body, 6), along(6, decide), 1e-12)


def test_flips_of_entries_and_of_the_return() -> None:
    entries = "statistic s = sum(x over steps)\nstop when step >= 4 return s\nattach randomized_response(0.8) to x\n"
    p = 0.3 * 0.8 + 0.7 * 0.2
    agree(table(entries, 4), {(4, float(k)): float(stats.binom.pmf(k, 4, p)) for k in range(5)}, 1e-14)
    ends = (
        "statistic s = sum(x over steps)\nstop when s >= 2 return hi\nstop when step >= 3 return lo\n"
        "attach randomized_response(0.9) to return\n"
    )
    two, three = 0.09, 2 * 0.09 * 0.7
    low = 1 - two - three
    expected = {
        (2, "hi"): 0.9 * two, (2, "lo"): 0.1 * two,
        (3, "hi"): 0.9 * three + 0.1 * low, (3, "lo"): 0.1 * three + 0.9 * low,
    }  # fmt: skip
    agree(table(ends, 3), expected, 1e-14)


def test_a_choice_whose_law_depends_on_the_state() -> None:
    def decide(stream: tuple[int, ...]) -> dict[tuple[int, object], float]:
        law, alive, s = {}, 1.0, 0
        for step, x in enumerate(stream, 1):
            s += x
            law[step, "hi"] = alive * ((1 + s) / (3 + s) if s >= 1 else 0.0)
            alive -= law[step, "hi"]
        return law

    body = "statistic s = sum(x over steps)\ndraw c ~ {1: 1 + s, 2: 2}\nstop when s >= 1 and c == 1 return hi\n"
    agree(table(body, 5), along(5, decide), 1e-14)


def test_two_drawn_thresholds_and_noise_on_the_walk() -> None:
    """The published walk of steps +-.5: thresholds of sd 10, one fresh noise of sd 20, thresholds at 16."""
    body = (
        "param A = 16\nparam B = 16\nstatistic s = sum(x - 0.5 over steps)\nstop when s >= A return reject\n"
        "stop when s <= -B return accept\nattach gaussian(10) to A, B once\nattach gaussian(20) to s\n"
    )
    found = table(body, 300, 1, HEAD.replace("0.3", "0.7"))
    first = ndtr(-15.5 / sqrt(500)) * 0.7 + ndtr(-16.5 / sqrt(500)) * 0.3
    assert found[1, "reject"] == pytest.approx(first, abs=1e-8)
    assert sum(p for (_, o), p in found.items() if o == "reject") == pytest.approx(0.51666697931316, abs=1e-8)


def test_forced_entries_and_frontiers_are_not_changed() -> None:
    made = chain("statistic s = sum(x over steps)\nstop when s >= 2 return hi\nstop when step >= 4 return lo\n")
    start = made.begin()
    one, _ = made.advance(start)
    forced, stopped = made.advance(one, {"x": 1})
    assert stopped.by_outcome.sum() == pytest.approx(0.3)
    again, plain = made.advance(one)
    assert plain.by_outcome.sum() == pytest.approx(0.09)
    assert again.survivors.sum() == pytest.approx(0.91)
    assert forced.survivors.sum() == pytest.approx(0.7)
    assert one.survivors.sum() == pytest.approx(1.0)


def test_what_is_not_treated_says_why() -> None:
    with pytest.raises(Unsolved, match="read as a value"):
        chain("statistic s = sum(x over steps)\nstop when s >= 2\nattach laplace(1) to x\n")
    with pytest.raises(Unsolved, match="density"):
        chain("stop when x >= 0.5\n", head='algorithm a "a"\nstream x in [0, 1]\nmodel m: x ~ uniform(0, 1)\n')


def test_the_rest_in_closed_form() -> None:
    """Linear equations against going on for a long time; memory and a CUSUM, and noise on a window."""
    for body in (
        "statistic g = max(0, previous(g, 0) + 2 * x - 1)\nreport r when g >= 2\nmemory w = 0\n"
        "update w = w + 1 when r\nstop when w >= 2 return hi\n",
        "statistic w = sum(x over last 3)\nreport a when w >= 2\nstop when count(a over steps) >= 2 return hi\n"
        "attach gaussian(0.4) to w\n",
    ):
        made = chain(body)
        frontier = made.begin()
        for _ in range(12):
            frontier, _stopped = made.advance(frontier)
        tail = made.close(frontier)
        assert tail is not None and made.stuck(frontier) == 0.0
        mass = steps = squares = 0.0
        for step in range(13, 1500):
            frontier, stopped = made.advance(frontier)
            chance = float(stopped.by_outcome.sum())
            mass, steps, squares = mass + chance, steps + step * chance, squares + step * step * chance
        assert float(tail.outcomes.sum()) == pytest.approx(mass, abs=1e-12)
        assert (tail.steps, tail.squares) == (pytest.approx(steps, rel=1e-10), pytest.approx(squares, rel=1e-10))


def test_states_that_never_stop() -> None:
    body = (
        "memory w = 0\nmemory d = 0\nreport one when x >= 1\nupdate w = if d < 1 and one then 1 else w\n"
        "update d = 1\nstop when d >= 1 and w >= 1 and one return hi\n"
    )
    made = chain(body)
    frontier = made.begin()
    for _ in range(4):
        frontier, _stopped = made.advance(frontier)
    assert made.stuck(frontier) == pytest.approx(0.7)
    assert made.close(frontier) is None
