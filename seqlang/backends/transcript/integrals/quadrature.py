"""One-dimensional integrals of e^(log value) against a noise law, in logarithms.

Adaptive Gauss-Kronrod (7, 15) on panels that end at the given kinks; sums for lattices and finite laws. The tails that
are cut off are bounded by the mass of the law there, as a conditional probability is at most 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import exp, inf, log

from seqlang.backends.transcript.integrals.noise_laws import NoiseLaw, log_sum
from seqlang.record import record

# Kronrod's 15 nodes on [-1, 1] (positive half, the middle last), their weights, Gauss's 7 at every other one
NODES = (
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851, 0.864864423359769072789712788640926,
    0.741531185599394439863864773280788, 0.586087235467691130294144032458378, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0.0,
)  # fmt: skip
KRONROD = (
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204, 0.104790010322250183839876322541518,
    0.140653259715525918745189590510238, 0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714,
)  # fmt: skip
GAUSS = (
    0.0, 0.129484966168869693270611432679082, 0.0, 0.279705391489276667901467771423780, 0.0,
    0.381830050505118944950369775488975, 0.0, 0.417959183673469387755102040816327,
)  # fmt: skip
RULE = tuple(
    (sign * node, kronrod, gauss)
    for node, kronrod, gauss in zip(NODES, KRONROD, GAUSS, strict=True)
    for sign in ((-1.0, 1.0) if node else (0.0,))
)


@record
class Accuracy:
    """`relative` error to reach with at most `most` panels; the first panels are `width` scales wide. `drop`: values
    that far below the largest, in logarithms, are cut off. `cut`: panels also end at every bend."""

    relative: float
    most: int
    width: float
    drop: float
    cut: bool


COARSE = Accuracy(1e-2, 12, 6.0, 12.0, False)
FINE = Accuracy(1e-8, 300, 6.0, 32.0, True)
FINEST = Accuracy(1e-9, 600, 3.5, 36.0, True)


@record
class Answer:
    """log of a probability, and its relative error (estimated from two quadratures, plus what was cut off)."""

    log: float
    error: float


IMPOSSIBLE = Answer(-inf, 0.0)
NOT_FOUND = Answer(-inf, inf)  # no mass was found, which proves nothing
HIGHER = 600.0
"""Where the integrand is e^HIGHER times what was taken for its largest value, the peak was missed."""
Kinks = Callable[[float, float], Sequence[float]]


def log_integral(
    log_value: Callable[[float], float],
    law: NoiseLaw,
    kinks: Kinks,
    scale: float,
    inside: tuple[float, float],
    accuracy: Accuracy,
    count: Callable[[int], None],
    peaks: bool = False,
) -> Answer:
    """log E[e^log_value(X)] for X from `law`; `log_value` is -inf outside `inside` and never above 0.

    `count` is called with how many values were computed. `peaks`: there may be several, with nothing between them, as
    where either of two conditions will do; then only the tails of the law itself are cut off."""
    low, high = max(law.support[0], inside[0]), min(law.support[1], inside[1])
    if low > high or (low == high and law.kind == "density"):
        return IMPOSSIBLE
    density = law.log_density

    def integrand(x: float) -> float:
        value = density(x)
        return value + log_value(x) if value > -inf else value

    if law.kind == "finite":
        return Answer(log_sum([integrand(p) for p in law.points if low <= p <= high]), 1e-14)
    start, peak = _peak(integrand, low, high, law, kinks, scale)
    if peak == -inf:
        return NOT_FOUND
    if law.kind == "lattice":
        return _lattice_sum(integrand, law, round(start), low, high, accuracy, peaks)
    falling = density if peaks else integrand
    left = _reach(falling, start, -scale, peak - accuracy.drop, low)
    right = _reach(falling, start, scale, peak - accuracy.drop, high)
    cuts = _cuts(left, right, law, kinks, scale, accuracy)
    count(40)  # about what peak and reach took
    try:
        return _adaptive(integrand, cuts, peak, accuracy, count)
    except OverflowError:  # what was taken for the peak lies hundreds of orders of magnitude below another value
        return NOT_FOUND


def _peak(
    integrand: Callable[[float], float], low: float, high: float, law: NoiseLaw, kinks: Kinks, scale: float
) -> tuple[float, float]:
    """A point near the largest value and that value. Products of tails of log-concave laws have one peak; points all
    over the range are tried first, so that a second one is not missed easily."""
    reach = 12 * law.scale
    middle = min(max(0.0, low), high)
    first, last = max(low, middle - reach), min(high, middle + reach)
    spread = [first + (last - first) * (i + 0.5) / 7 for i in range(7)]
    best, top = middle, integrand(middle)
    for x in spread:
        y = integrand(x := float(round(x)) if law.kind == "lattice" else x)
        if y > top:
            best, top = x, y
    if top == -inf:
        points = sorted(p for p in kinks(first - 20 * reach, last + 20 * reach) if low < p < high)
        points = [first, *points, last]
        wide = [*points, points[-1] + scale, points[0] - scale]
        wide += [(a + b) / 2 for a, b in pairwise(points)]
        for x in wide:
            if low <= x <= high:
                y = integrand(x := float(round(x)) if law.kind == "lattice" else x)
                if y > top:
                    best, top = x, y
        if top == -inf:
            return best, top
    step = 2 * scale if law.kind == "density" else max(1.0, float(round(2 * scale)))
    smallest = scale / 3 if law.kind == "density" else 1.0
    moves = 0
    while step >= smallest:
        for x in (best + step, best - step):
            if low <= x <= high and (y := integrand(x)) > top:
                best, top, moves = x, y, moves + 1
                break
        else:
            step = step / 2 if law.kind == "density" else float(int(step / 2))
            continue
        if moves % 16 == 0:
            step *= 2  # far from the peak: a noise a million times narrower than another one still ends soon
    return best, top


def _reach(integrand: Callable[[float], float], start: float, step: float, floor: float, end: float) -> float:
    """The first point from `start` on, in growing steps, where the value is below `floor`, or `end`."""
    x = start
    for _ in range(60):
        x += step
        if (step > 0 and x >= end) or (step < 0 and x <= end):
            return end
        if integrand(x) < floor:
            return x
        step *= 1.6
    return x


def _cuts(left: float, right: float, law: NoiseLaw, kinks: Kinks, scale: float, accuracy: Accuracy) -> list[float]:
    inner = sorted({*kinks(left, right), *law.kinks(left, right)})
    if not accuracy.cut and len(inner) > 4:
        kept = [inner[0]]
        for bend in inner[1:-1]:
            if bend - kept[-1] > 3 * scale:
                kept.append(bend)
        inner = [*kept, inner[-1]]
    points = [left, *inner, right]
    cuts = [left]
    for a, b in pairwise(points):
        if b - a <= 1e-13 * max(1.0, abs(a)):
            continue
        pieces = max(1, min(64, int((b - a) / (accuracy.width * scale) + 0.999)))
        cuts += [a + (b - a) * i / pieces for i in range(1, pieces)] + [b]
    return cuts


def _panel(integrand: Callable[[float], float], a: float, b: float, peak: float) -> tuple[float, float, float, float]:
    """(error estimate, integral, ends) of e^(integrand - peak) on [a, b]."""
    middle, half = (a + b) / 2, (b - a) / 2
    fifteen = seven = 0.0
    for node, kronrod, gauss in RULE:
        value = integrand(middle + half * node) - peak
        if value > HIGHER:
            return inf, inf, a, b
        if value > -60:
            y = exp(value)
            fifteen += kronrod * y
            seven += gauss * y
    return abs(fifteen - seven) * half, fifteen * half, a, b


def _adaptive(
    integrand: Callable[[float], float],
    cuts: Sequence[float],
    peak: float,
    accuracy: Accuracy,
    count: Callable[[int], None],
) -> Answer:
    count(15 * len(cuts))
    panels = [_panel(integrand, a, b, peak) for a, b in pairwise(cuts)]
    if not panels:
        return NOT_FOUND
    while len(panels) < accuracy.most:
        total = sum(p[1] for p in panels)
        worst = max(panels)
        if sum(p[0] for p in panels) <= accuracy.relative * total or worst[3] - worst[2] < 1e-12 * (1 + abs(worst[2])):
            break
        panels.remove(worst)
        count(30)
        _, _, a, b = worst
        panels += [_panel(integrand, a, (a + b) / 2, peak), _panel(integrand, (a + b) / 2, b, peak)]
    total = sum(p[1] for p in panels)
    if not 0 < total < inf:
        return NOT_FOUND
    cut_off = exp(-accuracy.drop) * (cuts[-1] - cuts[0]) / total
    return Answer(min(0.0, peak + log(total)), sum(p[0] for p in panels) / total + cut_off + 1e-14)


def _lattice_sum(
    integrand: Callable[[float], float],
    law: NoiseLaw,
    start: int,
    low: float,
    high: float,
    accuracy: Accuracy,
    peaks: bool,
) -> Answer:
    top = integrand(start)
    terms = [top]
    for step in (1, -1):
        k = start + step
        while low <= k <= high:
            value = integrand(float(k))
            terms.append(value)
            top = max(top, value)
            floor = top - accuracy.drop
            if value < floor and (not peaks or (law.log_above(k) if step > 0 else law.log_below(k)) < floor):
                break
            if len(terms) > 20000:
                if peaks:
                    return NOT_FOUND
                break
            k += step
    return Answer(min(0.0, log_sum(terms)), exp(-accuracy.drop) * len(terms) + 1e-14)
