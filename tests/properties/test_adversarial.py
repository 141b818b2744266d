"""Specs made to fool the prover, each with its true loss found without it: by hand, by listing, or by quadrature.

A bound below the truth is a false proof. Where no finite bound is true, none may be given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest
from elaborated import elaborated

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.claims import claimed_horizon, decide
from seqlang.analyses.prove import prove, size_of
from seqlang.analyses.refute import lower_bound
from seqlang.model.program import Program

ODDS = math.log(7 / 3)  # one flip that tells the truth with probability 0.7


def program_of(text: str) -> Program:
    return elaborated(f'algorithm adversarial "made to fool the prover"\n{text}')


def proved(text: str) -> tuple[float, Bounds, Program]:
    """The pure bound (infinite: none)."""
    program = program_of(text)
    bounds = prove(program)
    return (math.inf if bounds.pure is None else size_of(program, bounds.pure)), bounds, program


# ---- Laplace noise by plain arithmetic


def cdf(x: float, scale: float) -> float:
    return math.exp(x / scale) / 2 if x < 0 else 1 - math.exp(-x / scale) / 2


def density(x: float, scale: float) -> float:
    return math.exp(-abs(x) / scale) / (2 * scale)


def integral(f: Callable[[float], float], low: float, high: float, steps: int = 4000) -> float:
    """Simpson's rule."""
    h = (high - low) / steps
    ends = f(low) + f(high)
    return h / 3 * (ends + sum((4 if i % 2 else 2) * f(low + i * h) for i in range(1, steps)))


def run_probability(levels: Sequence[float], threshold: float, look: float, fires: bool) -> float:
    """Of looks at `level + W - Z >= 0` in turn, all but the last not firing; Z of scale `threshold` is drawn once, W of
    scale `look` for every look."""

    def given(z: float) -> float:
        quiet = math.prod(cdf(z - level, look) for level in levels[:-1])
        last = 1 - cdf(z - levels[-1], look)
        return density(z, threshold) * quiet * (last if fires else 1 - last)

    return integral(given, -120, 0) + integral(given, 0, 120)


def loss(p: float, q: float) -> float:
    return abs(math.log(p / q))


# ---- finite truths


def late_mean() -> float:
    """Looks at steps 2 (against -10) and 100 (against 10): the mean of the entries before is 1 or 0, then 1/99 or 0."""
    return loss(run_probability((1 + 10, 1 / 99 - 10), 10, 1, True), run_probability((10, -10), 10, 1, True))


def one_look(difference: float, threshold: float, look: float, at: float) -> float:
    return loss(run_probability((difference - at,), threshold, look, True),
                run_probability((-at,), threshold, look, True))  # fmt: skip


def squares() -> float:
    """Four looks with new noise at whether (s + W)^2 >= 2: nothing fires, s = 1, 2, 3, 4 or 0, 1, 2, 3."""

    def quiet(levels: Sequence[float]) -> float:
        r = math.sqrt(2)
        return math.prod(cdf(r - s, 1) - cdf(-r - s, 1) for s in levels)

    return loss(quiet((1, 2, 3, 4)), quiet((0, 1, 2, 3)))


FINITE = {
    "mean of the steps before": (
        """
        param T = 0
        stream x in [0, 1]
        statistic m = previous(mean(x over steps), 0) - (if step == 2 then -10 else 10)
        stop when step >= 2 and (step == 2 or step == 100) and m >= T
        attach laplace(10) to T once
        attach laplace(1) to m
        """,
        late_mean(),
    ),
    "a sum of parts that shrink, read late": (
        """
        param T = 40
        stream x in [0, 1]
        statistic s = sum(x / step over steps)
        stop when step >= 10 and s >= T
        attach laplace(2) to T once
        attach laplace(4) to s
        """,
        one_look(1, 2, 4, 40),
    ),
    "a recursion of parts that shrink, read late": (
        """
        param T = 40
        stream x in [0, 1]
        statistic s = max(0, previous(s, 0) + x / step)
        stop when step >= 10 and s >= T
        attach laplace(2) to T once
        attach laplace(4) to s
        """,
        one_look(1, 2, 4, 40),
    ),
    "how many records there are": (
        """
        param N in 1.. = 10
        dataset x in [0, 1] size N
        adjacent add or remove one
        report n = sum(1 for i in records)
        attach laplace(1) to n
        stop when step >= 1
        """,
        1.0,
    ),
    "the first three records, one of which is removed": (  # 1, 0, 0, -1 against 0, 0, -1
        """
        param N in 1.. = 10
        dataset x in [-1, 1] size N
        adjacent add or remove one
        report r = sum(x[i] for i in 1..3)
        attach laplace(1) to r
        stop when step >= 1
        """,
        2.0,
    ),
    "five flips at once": (
        """
        dataset x in {0, 1} size 5
        adjacent every x within 1
        attach randomized_response(0.7) to x
        report r = x
        stop when step >= 1
        """,
        5 * ODDS,
    ),
    "a flip looked at by every step that goes on": (
        """
        stream x in {0, 1}
        statistic a = sum(x over steps) >= 6
        attach randomized_response(0.7) to a
        stop when not a return low
        stop when step >= 6 return high
        """,
        ODDS,
    ),
    "a flipped condition that moves in many steps": (  # the sum is 1 from the first step on, or 0
        """
        stream x in {0, 1}
        statistic a = sum(x over steps) >= 1
        attach randomized_response(0.7) to a
        stop when a return high
        stop when step >= 6 return low
        """,
        6 * ODDS,
    ),
    "a function of a noisy number stops": (
        """
        stream x in [0, 1]
        statistic q = sum(x over steps)
        stop when q ^ 2 >= 2
        stop when step >= 4
        attach laplace(1) to q
        """,
        squares(),
    ),
    "noise that is new after each public report": (  # three lives of the threshold noise, two looks in each
        """
        param T = 3
        stream x in [0, 1]
        statistic s = sum(x over steps)
        report p when step % 2 == 0
        stop when s >= T
        stop when step >= 6
        attach laplace(2) to T each p
        attach laplace(4) to s
        """,
        loss(
            math.prod(run_probability((a - 3, b - 3), 2, 4, False) for a, b in ((1, 2), (3, 4), (5, 6))),
            math.prod(run_probability((a - 3, b - 3), 2, 4, False) for a, b in ((0, 1), (2, 3), (4, 5))),
        ),
    ),
}


@pytest.mark.parametrize("name", FINITE)
def test_no_bound_is_below_the_truth(name: str) -> None:
    text, truth = FINITE[name]
    assert proved(text)[0] >= truth - 1e-9


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("mean of the steps before", 1.1),
        ("a recursion of parts that shrink, read late", 0.75),
        ("how many records there are", 1),
        ("a function of a noisy number stops", 4),
        ("noise that is new after each public report", 4),
        ("a flipped condition that moves in many steps", 6 * ODDS),
    ],
)
def test_the_honest_bound_is_still_found(name: str, most: float) -> None:
    assert proved(FINITE[name][0])[0] <= most + 1e-9


# ---- no finite bound is true

EVERY = "stream q in real\nadjacent every q within 1\n"
RESIZED = "param N in 1.. = 10\ndataset x in [0, 1] size N\nadjacent add or remove one\n"
BITS = "stream x in {0, 1}, y in {0, 1}\nstatistic a = x\nstatistic b = y\n"

UNBOUNDED = {
    # the two answers differ from the two truths in the same way, so whether they agree is shown
    "one flip for two names": BITS
    + "draw z ~ randomized_response(0.7)\nattach z to a, b\nreport r = a\nreport s = b\nstop when step >= 1",
    "one flip for a name and the return": BITS
    + """
        draw z ~ randomized_response(0.7)
        attach z to a, return
        report r = a
        stop when step >= 2 return if a == 1 then one else none
        """,
    "a flip that is shown itself": BITS
    + "draw z ~ randomized_response(0.7)\nattach z to a\nreport r = a\nreport s = z\nstop when step >= 1",
    "a stop that counts the records": RESIZED
    + "statistic n = sum(1 for i in records)\nstop when n >= 4 return many\nstop when step >= 2 return few",
    "a stop that reads their number": RESIZED
    + "statistic n = length(records)\nstop when n >= 4 return many\nstop when step >= 2 return few",
    # the value that the added record brings cannot come out otherwise
    "a choice among the records": RESIZED
    + "draw j ~ {i: exp(step) for i in records}\nreport r = j\nstop when step >= 1",
    "as many flips as records": "param N in 1.. = 5\ndataset x in {0, 1} size N\nadjacent add or remove one\n"
    + "attach randomized_response(0.7) to x\nreport r = x\nstop when step >= 1",
    # false is a value too: the noise is new in every step, and every step that goes on costs something
    "noise that is new after each answer": EVERY
    + "param T = 1\nreport r = q >= T\nstop when r\nattach laplace(2) to T each r\nattach laplace(4) to q",
    "a sum that starts anew after each answer": """
        param T = 1
        stream x in [0, 1]
        statistic s = sum(x since r)
        report r = s >= T
        stop when r
        attach gaussian(1) to T once
        attach gaussian(1) to s once
        """,
    "new noise in every step, no limit": EVERY + "stop when exp(q) >= 2\nattach laplace(1) to q",
    "flips in every step, no limit": """
        stream x in {0, 1}
        statistic a = sum(x over steps) >= 3
        attach randomized_response(0.7) to a
        stop when a
        """,
}


@pytest.mark.parametrize("name", UNBOUNDED)
def test_no_bound_is_given_where_none_is_true(name: str) -> None:
    _, bounds, _ = proved(UNBOUNDED[name])
    assert (bounds.pure, bounds.zcdp, bounds.rdp) == (None, None, ())
    assert bounds.dp is None


def test_tree_nodes_that_are_drawn_anew_cover_an_entry_again_and_again() -> None:
    """In 32 steps 16 numbers are shown, each with noise of its own: far more than one for each of 6 levels."""
    bound, _, _ = proved(
        """
        stream x in {0, 1}
        statistic s = sum(x over steps)
        report p when step % 2 == 0
        report r = s when p
        attach tree(laplace(1)) to r each p
        stop when step >= 32
        """
    )
    # a sum of n Laplace(1) noises has a density c(x) e^-|x|, c a polynomial of degree n - 1 <= 4: at 400 a shift by 1
    # costs at least 1 - 4/400 each
    assert bound >= 16 * (1 - 4 / 400)


def test_a_duplicated_maximum_is_not_taken_for_its_first_use() -> None:
    """-max(q, p) >= T needs both; the first of the three uses alone looks as if one sufficed."""
    program = program_of(
        """
        param T = 1
        let h(u) = u - u - u
        stream q in real, p in real
        adjacent every q within 1
        stop when h(max(q, p)) >= T
        attach laplace(2) to T once
        attach laplace(4) to q, p
        """
    )
    assert not any(type(gate).__name__ == "CompareGate" for gate in program.gates)


@pytest.mark.parametrize(
    "claims", ["claim strong rdp(8, 8)", "claim strong rdp(8, 100) within 10 steps\nclaim strong rdp(8, 8)"]
)
def test_a_claim_without_a_horizon_is_not_proved_within_one(claims: str) -> None:
    """The bound for Gaussian looks grows with the number of steps, and such a claim speaks of runs of any length."""
    program = program_of(
        f"""
        param T = 3
        stream x in [0, 1]
        statistic s = sum(x over steps)
        stop when s >= T
        attach gaussian(2) to T once
        attach gaussian(2) to s
        {claims}
        """
    )
    horizon = claimed_horizon(program) or 10
    bounds = prove(program, horizon=horizon)
    verdicts = decide(program, delta=bounds.delta, horizon=horizon, known=bounds, witness=None)
    assert verdicts[-1].verdict != "proved"


# ---- refutations: no witness may show more than the truth

WITNESSED = {
    "one flip read by two names": (
        "stream x in {0, 1}\nstatistic a = x\nstatistic b = x\ndraw z ~ randomized_response(0.7)\n"
        "attach z to a, b\nreport r = a\nreport s = b\nstop when step >= 1",
        ODDS,
    ),
    "whole numbers that move by less than 1": (
        "stream x in 0..5\nadjacent one x within 0.5\nreport r = x\nattach laplace(1) to r\nstop when step >= 2",
        0.0,
    ),
    "listed values that are not 2.5 apart": (
        "stream x in {0, 2, 5}\nadjacent one x within 2.5\nreport r = x\nattach laplace(1) to r\nstop when step >= 2",
        2.0,
    ),
    "a square that moves": (
        "stream x in [0, 10]\nadjacent one x ^ 2 within 0.5\nreport r = x ^ 2\nattach laplace(1) to r\n"
        "stop when step >= 1",
        0.5,
    ),
    "a release and a comparison of one noisy number": (
        "stream x in [0, 1]\nstatistic a = x\nattach laplace(1) to a\nreport r = a\nreport s when a >= 0.5\n"
        "stop when step >= 1",
        1.0,
    ),
    "one coin for two readings": (
        "stream x in {0, 1}\ndraw c ~ bernoulli(0.4)\nstatistic a = if c == 1 then x else 1 - x\n"
        "statistic b = if c == 1 then x else 1 - x\nreport r = a\nreport s = b\nstop when step >= 1",
        math.log(3 / 2),
    ),
}


@pytest.mark.parametrize("name", WITNESSED)
def test_no_witness_is_above_the_truth(name: str) -> None:
    text, truth = WITNESSED[name]
    witness = lower_bound(program_of(text))
    assert witness is None or witness.loss <= truth + 1e-9


@pytest.mark.parametrize(
    "text",
    [
        "stream x in [0, 1]\nmemory m = 2\nreport r = sum(x over last m)\nupdate m = m + 1\n"
        "attach laplace(1) to r\nstop when step >= 9",
        "stream x in [0, 1] ^ 4\nreport r = sum(x over steps)\nattach gaussian(2) to r\nstop when step >= 1",
        "stream x in [0, 1]\nstatistic s = x\nreport R when step % 2 == 0\nreport r = sum(history(s, R))\n"
        "attach laplace(1) to s\nstop when step >= 9",
    ],
)
def test_the_search_for_witnesses_gives_up_without_a_crash(text: str) -> None:
    witness = lower_bound(program_of(text))
    assert witness is None or witness.loss > 0


# ---- witnesses whose chances were wrong: found by `test_reports_and_values`, each with its chances by enumeration

INTEGERS = "stream x in -9..9\nadjacent every x within 1\n"

CHANCES = {
    # an opaque gate holds the plain part of a test: it is not the test
    "a report that reads noise through an accumulator": (
        """
        param T = -1
        stream x in {0, 1}
        memory m = 0
        statistic s = sum(x over steps) % 2
        statistic before = previous(s, 0)
        report R when before <= T - m
        report v = s
        update m = clip(m + v, -1, 2)
        stop when count(R over steps) >= 1
        stop when step >= 3
        attach geometric(0.0625) to T once
        attach geometric(0.0625) to s
        attach geometric(0.125) to before
        """,
        lambda witness: "R" not in {name for _, name, _ in witness.event.reports},
    ),
    # the two ways in which abs(s) >= T comes about have nothing between them
    "two peaks with a gap": (
        """
        param T = 2
        stream x in {0, 1}
        statistic s = x
        stop when abs(s) >= T return far
        stop when step >= 1 return near
        attach geometric(0.5) to s once
        attach geometric(0.0625) to T once
        """,
        lambda witness: any(abs(witness.p - p) < 1e-9 for p in both_ways()),
    ),
    # 2 * w + v == told: every other value of v is impossible
    "a gap of parity": (
        INTEGERS + "statistic a = x\nstatistic b = 2 * a\nreport v = b\nstop when step >= 1\n"
        "attach geometric(0.25) to b\nattach geometric(0.25) to a",
        lambda witness: witness.loss <= parity() + 1e-9,
    ),
}


def geometric(ratio: float, k: int) -> float:
    return (1 - ratio) / (1 + ratio) * ratio ** abs(k)


def both_ways() -> list[float]:
    """The chances of `far` and `near` where x is 0 or 1."""
    far = [
        sum(geometric(0.5, w) * geometric(0.0625, t) for w in range(-80, 81) for t in range(-20, 21)
            if abs(x + w) >= 2 + t)
        for x in (0, 1)
    ]  # fmt: skip
    return [*far, *(1 - p for p in far)]


def parity() -> float:
    """The loss of one number 2 * (x + w) + v that is shown: at most that of any set of numbers."""

    def chance(x: int, told: int) -> float:
        return sum(geometric(0.25, w) * geometric(0.25, told - 2 * (x + w)) for w in range(-60, 61))

    return max(abs(math.log(chance(0, n) / chance(1, n))) for n in range(-20, 20))


@pytest.mark.parametrize("name", CHANCES)
def test_the_chances_of_a_witness_are_right(name: str) -> None:
    text, right = CHANCES[name]
    witness = lower_bound(program_of(text))
    assert witness is None or right(witness), witness


def test_a_stop_that_returns_a_label_beside_one_that_returns_a_noisy_number() -> None:
    witness = lower_bound(program_of("stream x in {0, 1}\nstatistic s = x\nstop when s <= 0 return s\n"
                                     "stop when s >= 1 return high\nattach geometric(0.25) to s"))  # fmt: skip
    assert witness is None or witness.loss > 0
