"""A private trial with two arms: designed from the errors that it may make, then run on a real one.

Indomethacin against pancreatitis after an endoscopy (Elmunzer et al., NEJM 2012; data set indo_rct of the R package
medicaldata, 602 patients). The trial may stop after 200 or 400 patients. What it releases, when it stops and what it
decides must tell little about any one patient.

    python -m seqlang.tours stop_a_trial [stream_indo_rct.csv.gz] [--plot PICTURE.svg]

Without a file only the plan is made. The patients of the file are taken in turn from both arms, as the plan has it. The
file holds columns `arm` and `pep` of 0 and 1, a row a patient, gzipped: `indo_rct` of the R package, with the arm as 0
for placebo and 1 for indomethacin. The plan and its errors are exact; the noise of the releases is drawn with seed 1.
"""

from __future__ import annotations

import csv
import gzip
import tempfile
from pathlib import Path
from typing import Any

import seqlang
from seqlang.tours import asked, drawing, progress, sorry

PLAN: dict[str, Any] = {
    "null": "placebo ~ bernoulli(0.13), drug ~ bernoulli(0.13)",
    "alternative": "placebo ~ bernoulli(0.17), drug ~ bernoulli(0.09)",
    "alpha": 0.05,  # chance to call a drug useful that does nothing
    "beta": 0.2,  # chance to miss one that halves the rate
    "privacy": "pure(1)",
    "looks": (200, 400, 600),
    "public_coin": False,
}
"""Pancreatitis in 13 % of both arms, or in 17 % and 9 %: a drug that halves the rate would be prescribed."""
SHORT: dict[str, Any] = {
    "null": "placebo ~ bernoulli(0.2), drug ~ bernoulli(0.2)",
    "alternative": "placebo ~ bernoulli(0.6), drug ~ bernoulli(0.05)",
    "alpha": 0.1, "beta": 0.2, "privacy": "pure(2)", "looks": (10, 20), "public_coin": False,
}  # fmt: skip
"""A drug whose effect shows after 20 patients."""
COMMON = (0.09, 0.13, 0.17, 0.21)
"""Rates of both arms at which the error of the finished plan is looked at: nobody knows the rate beforehand."""


def plan(short: bool) -> Any:
    """The design, and what a planner reads of it."""
    found = seqlang.design(**(SHORT if short else PLAN))
    print(found)
    both = found.expected_steps
    assert found.unprivate is not None  # it is known wherever both errors are set
    print(
        f"\nPrivacy {found.privacy} is {found.verdict}. The trial expects {both['null']:.0f} patients where the drug "
        f"does nothing and {both['alternative']:.0f} where it works,\nnever more than {found.max_steps}: "
        f"{found.average / found.unprivate:.2f} times as many as the best trial without privacy.\n"
    )
    return found


def errors_elsewhere(found: Any) -> None:
    """The exact chance to call a useless drug useful, where the rate of both arms is another than was planned with."""
    models = "".join(f"model rate_{i}: arm ~ point(1 - step % 2), y ~ bernoulli({p})\n" for i, p in enumerate(COMMON))
    laws = seqlang.solve(seqlang.load(found.spec + models), model=[f"rate_{i}" for i in range(len(COMMON))])
    print("If the drug does nothing, the trial calls it useful with chance")
    for rate, law in zip(COMMON, laws, strict=True):
        print(f"  {law.returns['reject']:.3f} where {rate:.0%} of both arms fall ill")


def in_turn(file: str) -> list[tuple[int, int]]:
    """(arm, sick) of the patients, one of each arm in turn, as long as there are both."""
    with gzip.open(file, "rt", encoding="utf-8") as rows:
        patients = [(int(row["arm"]), int(row["pep"])) for row in csv.DictReader(rows)]
    arms = ([p for p in patients if p[0] == arm] for arm in (0, 1))
    return [patient for pair in zip(*arms, strict=False) for patient in pair]


def carry_out(found: Any, file: str) -> None:
    """Runs the plan on real patients, and says what the releases mean."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "patients.csv"
        table.write_text("arm,y\n" + "".join(f"{arm},{sick}\n" for arm, sick in in_turn(file)), encoding="utf-8")
        run = seqlang.run_data(seqlang.load(found.spec), table, seed=1).run
    released = [tuple(value for _, name, value in run.reports if name == arm) for arm in ("placebo", "drug")]
    answer = {"reject": "the drug helps", "accept": "it does not"}.get(run.result, "no answer: too few patients")
    print(f"\nThe real trial, {run.rows_used} of {run.rows} patients in turn: {answer}\n")
    print(seqlang.monitor(seqlang.load(found.spec), list(zip(*released, strict=True))))


def main(words: list[str] | None = None) -> None:
    parser = asked(__doc__, "", "stream_indo_rct.csv.gz", "--plot plan.svg")
    parser.add_argument("--plot", metavar="PICTURE", help="the plan: where it goes on, how long it takes (.png, .svg)")
    parser.add_argument("file", nargs="*", metavar="FILE", help="patients of a real trial, as .csv.gz")
    options = parser.parse_args(words)
    files = options.file
    if options.plot:
        drawing()  # before the work, not after it
    for file in files:
        if not Path(file).is_file():
            sorry(f"{file} is not there.\n  It holds the patients of a trial: export `indo_rct` of R's medicaldata")
    progress("plan", 0, 1)
    found = plan(options.short)
    errors_elsewhere(found)
    progress("plan", 1, 1)
    if options.plot:
        found.plot(options.plot)
    for file in files:
        carry_out(found, file)


if __name__ == "__main__":
    main()
