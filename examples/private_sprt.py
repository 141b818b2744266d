"""What a private sequential test costs: at one true error, with growing thresholds, and in two pictures.

    python -m seqlang.tours private_sprt [equal | growth | figures [FILE.png]]

Zhang, Mei & Cummings (2022) watch a sum of log-likelihood ratios, each clipped to [-A, A], with noise on it and on both
thresholds. They compare Gaussian noise (PrivSPRT) with Laplace noise (two AboveThresh), and state how expected steps
and errors grow with the thresholds. Each part holds one of these against exact laws (`seqlang.solve`): nothing here is
random, and no number has an interval.

  equal    Gaussian against Laplace noise where both tests have the same true error, beside their Table 2, whose
           thresholds were set by estimates. `h` is the threshold at both ends that leads to that error, `steps` the
           expected entries under either model, and `epsilon` what is proved of the whole test at delta = 1e-6: of the
           tests with Gaussian noise for runs of at most 10,000 steps, of Laplace noise for every run and at delta = 0.
  growth   Theorems 8 and 9: expected steps over h / |mean of an entry|, and the errors, as thresholds grow. The table
           has Bernoulli data, 0.2 against 0.7, A = 0.5 and eps = 1, as Table 1.
  figures  Figures 1 and 2: expected steps against error, a line for each eps and one without noise, drawn into a
           file, and the steps at an error of 1 % (between two thresholds, linear in log error). The numbers of the
           paper's figures are not at hand, nor which hypotheses it drew: ours are named on the panels.

By default `equal` and `growth` are shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import seqlang
from seqlang.tours import asked, drawing, progress, sorry

FACTOR = math.sqrt(2 * math.log(1.25 / 1e-5))
"""Noise of sd FACTOR * sensitivity / eps has (eps, 1e-5) privacy by the classical formula (Dwork & Roth 2014, A.1)."""
TOLERANCE = 1e-5
"""Asked of each chance; four digits are shown."""
NONE = math.inf
"""The eps of a test without noise."""

LEVEL = 0.05
TESTS: tuple[tuple[str, str, float], ...] = (
    ("Gaussian, sd 2A/eps (as Table 2)", "privsprt_gaussian", 1.0),
    ("Gaussian, (eps, 1e-5) a mechanism", "privsprt_gaussian", 1 / FACTOR),
    ("Laplace, eps an AboveThresh", "sprt_laplace_gaussian", 1.0),
)
"""Name in the table, spec, and by what its eps is multiplied."""

GROWTH = (20, 30, 40, 50, 60, 80, 160, 320, 640)
"""Thresholds."""

Panel = tuple[str, str, dict[str, float], dict[float, tuple[float, ...]]]
PANELS: tuple[Panel, ...] = (
    ("Figure 1, large distance: Bernoulli 0.3 against 0.7, A = 0.5", "privsprt_bernoulli",
     {"p0": 0.3, "p1": 0.7, "A": 0.5},
     {0.5: (25, 40, 55, 70, 85, 100), 1: (12, 20, 28, 36, 44, 52), 2: (6, 10, 14, 18, 22, 26),
      NONE: (0.5, 1.5, 2.5, 3.5, 4.5, 6.5)}),
    ("Figure 1, small distance: Bernoulli 0.45 against 0.55, A = 0.2", "privsprt_bernoulli",
     {"p0": 0.45, "p1": 0.55, "A": 0.2},
     {0.5: (10, 18, 26, 34, 42, 50), 1: (5, 9, 13, 17, 21, 25), 2: (2.5, 5, 7.5, 10, 12.5, 15),
      NONE: (0.8, 2.2, 4, 6, 8, 11)}),
    ("Figure 2, large distance: normal -1 against 1, A = 1", "privsprt_gaussian",
     {"gap": 2, "A": 1},
     {0.5: (8, 14, 20, 26, 32, 38), 1: (4, 7, 10, 13, 16, 19), 2: (1.5, 3, 5, 7, 9, 11),
      NONE: (0.5, 1.5, 2.5, 3.5, 4.5, 6)}),
    ("Figure 2, small distance: normal -0.5 against 0.5, A = 1", "privsprt_gaussian",
     {"gap": 1, "A": 1},
     {0.5: (8, 14, 21, 28, 35, 42), 1: (4, 7.5, 11, 14.5, 18, 21.5), 2: (2, 4, 6, 8, 10, 13),
      NONE: (0.8, 2, 3.5, 5.5, 7.5, 10)}),
)  # fmt: skip
"""Title, spec, parameters, and thresholds by eps. The two models of each are mirror images."""


def error_and_steps(spec: str, h: float, **parameters: float) -> tuple[float, float]:
    """The chance to reject under the null, and the expected steps under it. With eps infinite the test has no noise:
    its lines `attach` are left out."""
    source = f"@zhang2022/{spec}"
    if parameters["eps"] == NONE:
        lines = seqlang.load(source).text.splitlines()
        source = "\n".join(line for line in lines if not line.startswith(("attach", "claim")))
        parameters = {**parameters, "eps": 1}
    loaded = seqlang.load(source, a=h, b=h, **parameters)
    (null,) = seqlang.solve(loaded, model="null", tolerance=TOLERANCE)
    assert null.expected_steps is not None
    return null.returns["reject"], null.expected_steps


def threshold_for(error: Callable[[float], float], wanted: float, start: float) -> float:
    """The threshold at which a falling error is the wanted one: by secants of its logarithm, which bends little."""
    one, two = start, 1.3 * start
    gap_one, gap_two = (math.log(error(h) / wanted) for h in (one, two))
    for _ in range(20):
        if abs(gap_two) < 1e-5 or one == two:
            return two
        slope = (gap_two - gap_one) / (two - one)
        one, two, gap_one = two, max(two / 2, min(2 * two, two - gap_two / slope)), gap_two
        gap_two = math.log(error(two) / wanted)
    raise ArithmeticError(f"no threshold for an error of {wanted} is found from {start}")


def proved(spec: str, **parameters: float) -> float:
    """The least epsilon that is proved of the whole test at delta = 1e-6, or at delta = 0 if it is less."""
    strong = seqlang.check(seqlang.load(f"@zhang2022/{spec}", **parameters)).to_dict()["strong"]
    return min(float(strong["dp"]["upper"]), float(strong["pure"]["upper"]))


def equal(levels: Sequence[float] = (1,)) -> dict[tuple[float, str], float]:
    """Prints the comparison at one true error; expected steps by eps and test."""
    print(f"Normal means -1 against 1, A = 1, thresholds for a true error of {LEVEL}")
    print("  eps  noise                                     h    steps   error   epsilon of the whole")
    found: dict[tuple[float, str], float] = {}
    for eps in levels:
        for name, spec, share in TESTS:
            mine = {"A": 1, "eps": eps * share}

            def error_at(h: float, spec: str = spec, mine: dict[str, float] = mine) -> float:
                return error_and_steps(spec, h, **mine)[0]

            h = threshold_for(error_at, LEVEL, 8 / (eps * share))
            error, steps = error_and_steps(spec, h, **mine)
            whole = proved(spec, a=h, b=h, **mine)
            found[eps, name] = steps
            print(f"{eps:5g}  {name:36} {h:6.2f} {steps:8.2f} {error:7.4f}   {whole:.3g}")
    for eps in levels:
        table, own, laplace = (found[eps, name] for name, *_ in TESTS)
        print(
            f"At eps = {eps:g} Gaussian noise as in their Table 2 expects {table:.2f} steps and Laplace noise "
            f"{laplace:.2f}:\n{laplace / table:.1f} times as many, which is their headline. But that Gaussian noise "
            f"lacks the factor {FACTOR:.3f}, which\n(eps, 1e-5) privacy of a mechanism asks for. With its own factor "
            f"it expects {own:.2f} steps: Laplace noise needs\n{'fewer' if laplace < own else 'more'}, at the same "
            "true error, and what is proved of it holds at delta = 0."
        )
    return found


def growth(thresholds: Sequence[float] = GROWTH) -> None:
    """Prints what becomes of expected steps and errors as thresholds grow."""
    clip, eps, p0, p1 = 0.5, 1.0, 0.2, 0.7
    drift_0, drift_1 = clip * (1 - 2 * p0), clip * (2 * p1 - 1)
    variance = (2 * clip * FACTOR / eps) ** 2 * (1 + 2**2)  # of a threshold's noise and of a look's
    rate = math.log((1 - p0) / p0) / clip  # exp(rate * sum) is a martingale under the null
    short = (0.0, 0.0)
    print("Bernoulli 0.2 against 0.7, A = 0.5, eps = 1, thresholds h at both ends")
    print("    h         E0  E0 |m0| / h         E1  E1 m1 / h     type I    type II   exp(-h^2/2s^2)   exp(-r h)")
    for number, h in enumerate(thresholds):
        progress("thresholds", number, len(thresholds))
        spec = seqlang.load("@zhang2022/privsprt_bernoulli", A=clip, eps=eps, a=h, b=h, p0=p0, p1=p1)
        null, alternative = seqlang.solve(spec, model=("null", "alternative"), tolerance=1e-9)
        assert null.expected_steps is not None
        assert alternative.expected_steps is not None
        short = (h - null.expected_steps * drift_0, h - alternative.expected_steps * drift_1)
        errors = [
            f"{value:10.2g}" if value > 10 * result.solution.outcome_error else f"{'< 1e-8':>10}"
            for value, result in ((null.returns["reject"], null), (alternative.returns["accept"], alternative))
        ]
        print(
            f"{h:5g} {null.expected_steps:10.2f} {null.expected_steps * drift_0 / h:12.4f} "
            f"{alternative.expected_steps:10.2f} {alternative.expected_steps * drift_1 / h:10.4f} {errors[0]} "
            f"{errors[1]} {math.exp(-(h**2) / (2 * variance)):16.2g} {math.exp(-rate * h):11.2g}"
        )
    progress("thresholds", len(thresholds), len(thresholds))
    print(
        "m0, m1: the mean of a clipped entry under each model; s^2: the variance of a threshold's noise and of a\n"
        "look's together; r: the rate at which the errors of the test without noise fall.\n"
        "Theorem 8: the expected steps are h / |mean| to first order, and both ratios go to 1. They come from below:\n"
        f"at fixed thresholds noise ends a test early, by what {short[0]:.2f} and {short[1]:.2f} less on the "
        "thresholds would,\n"
        "however large these are. Privacy costs errors, and steps only through the thresholds that make up for them.\n"
        "Theorem 9: the error is the sum of the error without noise and of what noise adds. In every row the second\n"
        "is all: type I error falls about as exp(-h^2 / 2 s^2) does, and the error without noise is smaller by many\n"
        f"powers of ten. It would matter beyond h = r s^2 = {rate * variance:.0f}, where the errors are below "
        f"1e-{math.floor(rate**2 * variance / 2 / math.log(10)):d}."
    )


Curve = list[tuple[float, float]]


def curves() -> list[dict[float, Curve]]:
    """Of each panel: eps -> (error, expected steps) at each threshold. Prints the steps at an error of 1 %."""
    cells = sum(len(hs) for *_, lines in PANELS for hs in lines.values())
    found: list[dict[float, Curve]] = []
    done = 0
    for title, spec, parameters, lines in PANELS:
        panel: dict[float, Curve] = {}
        for eps, thresholds in lines.items():
            points: Curve = []
            for h in thresholds:
                progress("laws", done, cells)
                points.append(error_and_steps(spec, h, eps=eps, **parameters))
                done += 1
            panel[eps] = points
        at = [f"{named(eps)}: {steps_at(points, 0.01):.1f}" for eps, points in panel.items()]
        print(f"{title}\n  steps at an error of 1 %: {', '.join(at)}")
        found.append(panel)
    progress("laws", cells, cells)
    return found


def named(eps: float) -> str:
    return "no noise" if eps == NONE else f"eps = {eps:g}"


def steps_at(points: Curve, error: float) -> float:
    """The steps at an error between those of two points, linear in its logarithm."""
    for (above, few), (below, many) in pairwise(points):
        if above >= error >= below:
            return few + (many - few) * math.log(above / error) / math.log(above / below)
    raise ValueError(f"no two points have an error of {error} between them")


def figures(file: str | None) -> None:
    """Prints, and draws into a file, expected steps against error on four panels."""
    plt = drawing() if file else None
    found = curves()
    if plt is None or file is None:
        return
    from seqlang.report.pictures.series import COLOURS, MARKERS, STYLES

    picture, axes = plt.subplots(2, 2, figsize=(11, 8.5), layout="constrained")
    for axis, (title, *_), panel in zip(axes.flat, PANELS, found, strict=True):
        for number, (eps, points) in enumerate(panel.items()):
            look: dict[str, Any] = {"marker": MARKERS[number], "color": COLOURS[number], "linestyle": STYLES[number]}
            axis.plot(*zip(*points, strict=True), **look, label=named(eps))
        axis.set(xscale="log", xlabel="error of either type", ylabel="expected steps")
        axis.set_title(title, fontsize=10.5)
        axis.set_ylim(bottom=0)
        axis.grid(alpha=0.3)
        axis.legend(title="privacy of a mechanism")
    picture.suptitle(
        "Private sequential tests with Gaussian noise: smaller errors and stronger privacy take more steps\n"
        "Exact laws, a point a threshold. Noise: in Figure 1 with the factor sqrt(2 log(1.25 / 1e-5)), in Figure 2 not",
        fontsize=11,
    )
    try:
        picture.savefig(file, dpi=110)
    except (OSError, ValueError) as why:
        sorry(f"{file} cannot be written: {why}")
    print(f"wrote {file}")


if __name__ == "__main__":
    parser = asked(__doc__, "", "equal --eps 0.5,1,2", "growth", "figures figures.png")
    parser.add_argument("part", nargs="?", choices=("equal", "growth", "figures"), help="default: equal and growth")
    parser.add_argument("file", nargs="?", metavar="FILE.png", help="where `figures` draws")
    parser.add_argument("--eps", default="1", metavar="E1,E2,..", help="of `equal` (1)")
    given = parser.parse_args()
    if given.part == "figures":
        figures(given.file)
    if given.part == "equal" or not (given.part or given.short):
        equal([float(word) for word in given.eps.split(",")])
    if given.part in (None, "growth"):
        growth(GROWTH[:2] if given.short else GROWTH)
