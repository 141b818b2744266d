"""What the printed tables of a private sequential test say, and what the test does.

    python -m seqlang.tours printed_tables [1] [left] [right] [3] [--plot FILE.png]

Zhang, Mei & Cummings (2022) report the mean length of their private SPRT, and of one with Laplace noise, from about a
thousand simulated runs a cell. `seqlang.solve` computes the same numbers without simulation, so that noise, misprints
and the true error rates can be told apart. Named parts only are shown: Table 1, the left and the right half of Table 2,
Table 3; by default all of them.

A row is one setting: A is where a log-likelihood ratio is clipped, eps the privacy of one mechanism, a and b (or h for
both) the thresholds at which the test accepts and rejects. E0 and E1 are the expected numbers of entries under the null
and the alternative; `z` is how far the printed mean lies from the exact one, in standard errors of a thousand runs:
beyond 3 it is no accident. Nothing here is random: all of ours are exact to more digits than are shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import seqlang
from seqlang.results.solve import SolveResult
from seqlang.tours import asked, drawing, progress

# A, eps, a, b, printed mean length under H0 and under H1
TABLE_1 = (
    (0.05, 0.5, 8, 7.5, 139.662, 172.890),
    (0.05, 1, 4.3, 4.3, 86.120, 122.144),
    (0.05, 2, 2.5, 2.5, 61.683, 88.307),
    (0.2, 0.5, 32, 32, 139.456, 195.504),
    (0.2, 1, 16.8, 16.8, 85.336, 123.542),
    (0.2, 2, 9.5, 9.5, 56.645, 83.127),
    (0.5, 0.5, 80, 80, 139.252, 199.718),
    (0.5, 1, 43, 43, 88.137, 127.986),
    (0.5, 2, 25, 25, 61.494, 88.182),
    (0.7, 0.5, 125, 120, 173.305, 227.387),
    (0.7, 1, 63, 63, 95.304, 136.336),
    (0.7, 2, 35, 35, 61.944, 87.363),
)
# A, eps, h, printed mean length; the printed error is 0.05 in every row
TABLE_2_LEFT = (
    (0.5, 0.5, 9, 12.547),
    (0.5, 1, 4, 7.298),
    (0.5, 2, 2.1, 4.890),
    (1, 0.5, 18, 12.485),
    (1, 1, 8.2, 7.367),
    (1, 2, 4, 4.792),
    (2, 0.5, 36, 13.333),
    (2, 1, 16, 7.460),
    (2, 2, 8, 5.000),
    (5, 0.5, 90, 16.943),
    (5, 1, 40, 10.156),
    (5, 2, 19, 6.190),
)
BETTER = ((0.5, 1, 4.2), (5, 1, 42), (5, 2, 19.8))  # rows of the left half with a threshold that fits the length better
TABLE_2_RIGHT = (
    (0.5, 0.5, 28, 22.821),
    (0.5, 1, 12, 12.621),
    (0.5, 2, 6.5, 10.482),
    (1, 0.5, 59, 26.032),
    (1, 1, 29, 17.165),
    (1, 2, 15, 13.291),
    (2, 0.5, 112, 23.581),
    (2, 1, 52, 15.438),
    (2, 2, 28, 12.564),
    (5, 0.5, 270, 24.426),
    (5, 1, 140, 21.067),
    (5, 2, 70, 15.872),
)
# h, eps, printed type I and type II error, printed mean length under H0 and under H1
TABLE_3 = (
    (10, 0.5, 0.363, 0.356, 3.537, 3.762),
    (10, 1, 0.218, 0.313, 9.246, 10.399),
    (10, 2, 0.0181, 0.218, 22.317, 29.035),
    (20, 0.5, 0.258, 0.175, 11.824, 11.620),
    (20, 1, 0.0235, 0.014, 35.353, 43.121),
    (20, 2, 1.03e-5, 3.53e-5, 55.136, 77.450),
    (40, 0.5, 0.0164, 0.0266, 51.257, 66.529),
    (40, 1, 8.11e-8, 0.00024, 99.026, 144.114),
    (40, 2, 1.04e-20, 3.79e-19, 121.270, 179.172),
)
PLAIN = """
algorithm plain "the test without noise and without clipping"
stream x in {0, 1}
model null:        x ~ bernoulli(0.2)
model alternative: x ~ bernoulli(0.7)
statistic llr = sum(log(alternative.pmf(x) / null.pmf(x)) over steps)
stop when llr >= 16  return reject
stop when llr <= -16 return accept
"""
RUNS = 1000  # the spread of the printed means is that of about so many runs
TOLERANCE = 1e-5  # asked of a chance of the Laplace tests, whose law takes longer; four digits are shown


def compared(printed: float, result: SolveResult) -> str:
    """Three columns: the printed mean, the exact one, and the difference in standard errors of RUNS runs."""
    assert result.expected_steps is not None
    assert result.sd_steps is not None
    z = (printed - result.expected_steps) / (result.sd_steps / math.sqrt(RUNS))
    return f"{printed:12.3f} {result.expected_steps:9.3f} {z:5.1f}"


def table_1(rows: Sequence[tuple[float, ...]] | None = None) -> None:
    print("Table 1: Bernoulli 0.2 against 0.7, Gaussian noise")
    print("    A  eps     a     b     E0 printed   exact     z     E1 printed   exact     z   type I   type II")
    for clip, eps, a, b, printed_0, printed_1 in TABLE_1 if rows is None else rows:
        spec = seqlang.load("@zhang2022/privsprt_bernoulli", A=clip, eps=eps, a=a, b=b)
        null, alternative = seqlang.solve(spec, model=("null", "alternative"))
        errors = f"{null.returns['reject']:8.2g} {alternative.returns['accept']:8.2g}"
        means = f"{compared(printed_0, null)} {compared(printed_1, alternative)}"
        print(f"{clip:5g} {eps:4g} {a:5g} {b:5g} {means} {errors}")
    spec = seqlang.load("@zhang2022/privsprt_bernoulli", A=0.05, eps=1, a=4.2, b=4.2)
    null, alternative = seqlang.solve(spec, model=("null", "alternative"))
    print(
        "The row A = 0.05, eps = 1 is off by more than three standard errors at both ends. With thresholds of 4.2, a\n"
        f"quarter of those of the A = 0.2 row, the lengths are {null.expected_steps:.2f} and "
        f"{alternative.expected_steps:.2f},\nagainst 86.12 and 122.14 printed: 4.3 is a misprint.\n"
        "No single error level was used: the true errors of the rows run from 9e-06 to 5e-03.\n"
    )
    null, alternative = seqlang.solve(PLAIN)
    print(
        f"The last row, the plain test with thresholds of 16: exact {null.expected_steps:.3f} and "
        f"{alternative.expected_steps:.3f},\nprinted 29.607 and 28.318. Wald's identity alone forces more than 29.9 "
        f"under H0. Its true errors\nare {null.returns['reject']:.1e} and {alternative.returns['accept']:.1e}.\n"
    )


ERRORS: list[tuple[str, float, float]] = []
"""Which table, the printed error, the exact one."""


def half_of_table_2(name: str, rows: tuple[tuple[float, ...], ...], tolerance: float) -> None:
    print("    A  eps     h     E printed    exact     z    error printed   exact")
    for clip, eps, h, printed in rows:
        (null,) = seqlang.solve(seqlang.load(name, A=clip, eps=eps, a=h, b=h), model="null", tolerance=tolerance)
        error = f"{0.05:12g} {null.returns['reject']:13.4f}"
        ERRORS.append(
            (f"Table 2, {'Laplace' if 'laplace' in name else 'Gaussian'} noise", 0.05, null.returns["reject"])
        )
        print(f"{clip:5g} {eps:4g} {h:5g} {compared(printed, null)} {error}")


def table_2_left() -> None:
    print("Table 2, left: normal means -1 against 1, noise without the factor sqrt(2 log(1.25 / delta))")
    half_of_table_2("@zhang2022/privsprt_gaussian", TABLE_2_LEFT, TOLERANCE)
    for clip, eps, h in BETTER:
        spec = seqlang.load("@zhang2022/privsprt_gaussian", A=clip, eps=eps, a=h, b=h)
        (null,) = seqlang.solve(spec, model="null")
        print(f"{clip:5g} {eps:4g} {h:5g} {'':12} {null.expected_steps:9.3f}  a threshold that fits the length better")
    print(
        "The thresholds were set for an error of 0.05 by importance sampling; the true errors reach 0.12. Of a\n"
        "thousand weighted runs the median estimate lies far below the mean: the rare runs that carry the weight are\n"
        "missed. And without the factor sqrt(2 log(1.25 / delta)) the noise of this table is that of (1.99, 1e-5) and\n"
        "(4.38, 1e-5) privacy a mechanism where eps = 0.5 and 1 are printed: its lengths do not compare with those of\n"
        "Laplace noise (the tour private_sprt compares them at one true error).\n"
    )


def table_2_right() -> None:
    print("Table 2, right: normal means -1 against 1, two AboveThresh with Laplace noise")
    half_of_table_2("@zhang2022/sprt_laplace_gaussian", TABLE_2_RIGHT, TOLERANCE)
    print("The lengths are as printed; the true errors are 1.4 to 5.9 times the 0.05 for which thresholds were set.\n")


def table_3() -> None:
    print("Table 3: Bernoulli 0.2 against 0.7, two AboveThresh with Laplace noise, A = 0.5")
    print("    h  eps     E0 printed   exact     z     E1 printed   exact     z    type I printed, exact"
          "    type II printed, exact")  # fmt: skip
    for row, (h, eps, first, second, printed_0, printed_1) in enumerate(TABLE_3):
        progress("Table 3, row", row, len(TABLE_3))
        tolerance = max(1e-9, min(TOLERANCE, first / 100, second / 100))  # small errors are known to two digits too
        spec = seqlang.load("@zhang2022/sprt_laplace", a=h, b=h, eps=eps)
        null, alternative = seqlang.solve(spec, model=("null", "alternative"), tolerance=tolerance)
        means = f"{compared(printed_0, null)} {compared(printed_1, alternative)}"
        errors = f"{first:12.3g} {null.returns['reject']:9.2g} {second:14.3g} {alternative.returns['accept']:9.2g}"
        print(f"{h:5g} {eps:4g} {means} {errors}")
        ERRORS.append(("Table 3, Laplace noise, type I", first, null.returns["reject"]))
        ERRORS.append(("Table 3, Laplace noise, type II", second, alternative.returns["accept"]))
    progress("Table 3, row", len(TABLE_3), len(TABLE_3))
    print(
        "The lengths are as printed. The smaller an error is, the further is its printed estimate below it: at\n"
        "h = 40, eps = 2 by twelve and by eleven powers of ten. The estimate is a mean of a thousand weights, and a\n"
        "test that goes wrong does so by its noise, at sums that are hardly ever seen under the other model. Two\n"
        "printed errors lie above the true one, that of type II at h = 10, eps = 2 by a factor of 4.6: such a mean is\n"
        "also at times far too large."
    )


PARTS: dict[str, Callable[[], None]] = {"1": table_1, "left": table_2_left, "right": table_2_right, "3": table_3}


def plot(file: str) -> None:
    """The printed errors of the tables that were shown, beside the exact ones."""
    figure, axis = drawing().subplots(figsize=(7, 5.5), layout="constrained")
    for marker, name in zip("o^sD", dict.fromkeys(each for each, *_ in ERRORS), strict=False):
        axis.plot(*zip(*[(exact, printed) for each, printed, exact in ERRORS if each == name], strict=True), marker,
                  linestyle="", alpha=0.7, label=name)  # fmt: skip
    ends = [min(exact for *_, exact in ERRORS) / 2, 1]
    axis.plot(ends, ends, "k:", label="printed as it is")
    axis.set(xscale="log", yscale="log", xlabel="exact error (chance)", ylabel="printed error (chance)")
    axis.grid(alpha=0.3)
    axis.legend()
    axis.set_title(
        "Zhang, Mei & Cummings (2022): errors from about 1,000 weighted runs, and exact ones\n"
        "a point is a row of a table; below the line the printed error is too small", fontsize=10,
    )  # fmt: skip
    figure.savefig(file, dpi=110)


if __name__ == "__main__":
    parser = asked(__doc__, "", "1", "left right", "3 --plot errors.png")
    parser.add_argument("part", nargs="*", metavar="TABLE", help="1, left, right or 3 (default: all)")
    parser.add_argument("--plot", metavar="FILE", help="a picture of the printed errors beside the exact ones")
    options = parser.parse_args()
    if unknown := set(options.part) - set(PARTS):
        parser.error(f"no table {', '.join(sorted(unknown))}: there are {', '.join(PARTS)}")
    if options.plot:
        drawing()  # before the work, not after it
    if options.short and not options.part:
        table_1(TABLE_1[1:2])
    else:
        for part in options.part or PARTS:
            PARTS[part]()
    if options.plot and ERRORS:
        plot(options.plot)
