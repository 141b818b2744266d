"""Special functions of one number that laws are written with; kernels paste them.

A constant that a function called `tables_..` makes is a tuple here, and an array in a kernel.
"""

from __future__ import annotations

import math

LOG_HALF = -0.6931471805599453
HALF_LOG_TWO_PI = 0.9189385332046728
LONGEST_STIRLING = 16
LEAST_TOTAL = 1e-200
"""Of weights. Numbers below 1e-308 lose digits, and so did what is computed from them."""
LEAST_INSIDE = 2.0**-10
"""Of the chance between two ends, which is the difference of two chances: those are off by 1e-16 and more."""


def tables_stirling() -> tuple[float, ...]:
    """log k! minus Stirling's first terms for k = 0 .. 15 (for 0, where these are infinite: 0)."""
    exact = [math.log(math.factorial(k)) - (k + 0.5) * math.log(k) + k for k in range(1, LONGEST_STIRLING)]
    return (0.0, *[x - HALF_LOG_TWO_PI for x in exact])


STIRLING = tables_stirling()


def stirling_error(k: float) -> float:
    """log k! - ((k + 1/2) log k - k + log(2 pi) / 2) for whole k >= 1; the series' error is below 1e-15. What the
    masses of binomial and Poisson laws are made of, without the cancellation of large factorials (Loader 2000, "Fast
    and accurate computation of binomial probabilities")."""
    if k < LONGEST_STIRLING:
        return float(STIRLING[int(k)])
    z = 1.0 / (k * k) if k < 1e150 else 0.0  # beyond, the square is no float and its part of the sum none either
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - z / 1188) * z) * z) * z) / k


CLOSE = 0.5
"""Numbers that differ by a smaller part of their sum: elsewhere the parts of a deviance, of which the exponential is no
0, are below 2500, and lose hardly a digit."""


def deviance(x: float, mean: float) -> float:
    """x log(x / mean) + mean - x for x, mean > 0, by its series where they are close."""
    if abs(x - mean) >= CLOSE * (x + mean):
        return x * math.log(x / mean) + mean - x
    v = (x - mean) / (x + mean)
    total, power = (x - mean) * v, 2.0 * x * v
    for j in range(3, 64, 2):
        power *= v * v
        total += power / j
        if abs(power) < 1e-17 * abs(total):
            break
    return total


def tables_normal_quantile() -> tuple[float, ...]:
    """Six polynomials of eight coefficients, from the highest power down: numerator and denominator for the middle, the
    tails and the far tails."""
    return (
        2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
        13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608,
        5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
        5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0,
        7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
        3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734,
        1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
        0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0,
        2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
        0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772,
        2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
        0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0,
    )  # fmt: skip


NORMAL_QUANTILE = tables_normal_quantile()


def normal_quantile_ratio(part: int, r: float) -> float:
    """The quotient of the polynomials of one of the three parts."""
    above, below = 0.0, 0.0
    for i in range(8):
        above = above * r + NORMAL_QUANTILE[16 * part + i]
        below = below * r + NORMAL_QUANTILE[16 * part + 8 + i]
    return above / below


def quantile_standard_normal(p: float) -> float:
    """The inverse of the standard normal distribution function, infinite for p = 0 and 1: Wichura's (1988) algorithm
    AS 241, PPND16, whose relative error is about 1e-16."""
    q = p - 0.5
    if abs(q) <= 0.425:
        return q * normal_quantile_ratio(0, 0.180625 - q * q)
    tail = min(p, 1.0 - p)
    if tail <= 0.0:
        return math.copysign(math.inf, q)
    r = math.sqrt(-math.log(tail))
    x = normal_quantile_ratio(1, r - 1.6) if r <= 5.0 else normal_quantile_ratio(2, r - 5.0)
    return math.copysign(x, q)


def log_normal_above(x: float) -> float:
    """log P(N(0, 1) >= x), also where erfc underflows."""
    if x < 25:
        return math.log(0.5 * math.erfc(x / math.sqrt(2)))
    square = 1 / (x * x)  # Mills' ratio, asymptotic series; at x = 25 the first term left out is below 1e-12
    series = 1 - square * (1 - 3 * square * (1 - 5 * square * (1 - 7 * square * (1 - 9 * square))))
    return -x * x / 2 - math.log(x * math.sqrt(2 * math.pi)) + math.log(series)


def whole(x: float) -> bool:
    """Whether x is a finite whole number."""
    return abs(x) < math.inf and x == math.floor(x)


def clipped_probability(p: float) -> float:
    """A probability is forgiven the rounding of one operation: 1e-12 beyond 0 and 1."""
    return min(1.0, max(0.0, p))
