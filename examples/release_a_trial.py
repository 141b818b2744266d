"""A private trial on real patients, from the design to the report, as its statistician would run it.

    python -m seqlang.tours release_a_trial [--folder FOLDER] [--out FOLDER]

The patients: indomethacin against pancreatitis after an endoscopy (Elmunzer et al., NEJM 2012; data set indo_rct of the
R package medicaldata, 602 patients; its columns are id, site, arm, pep). `stop_a_trial.py` plans such a trial and
simulates its noise; here the noise is drawn for good, and a ledger keeps what it cost. Each line that begins with $ is
a command that you can type:

1. `design` finds the test: two arms, a look after every 120 patients, errors of 5 % and 20 %, privacy pure(1).
2. `ledger open` gives the data set a budget, which is all that may ever be learnt of one patient: pure(1). The arms are
   public, and the account says so: `replace one; public arm`.
3. `release` runs the test as patients come in. The price is paid before the first of them is read; each look is written
   before it is shown; when more patients have come, the same command goes on.
4. `monitor --ledger` reads what was released, and says what it means. It costs no privacy.
5. `ledger verify` replays all decisions without the data, and a second release is refused: nothing is left.

Columns. In the design's table, `score` is the log-likelihood ratio of all that was released, in steps of 0.02: at which
score the test goes on, with a `next block` of so many patients, accepts (the drug does not help) or rejects (it does).
In the monitor's, `placebo` and `drug` are how many fell ill in each arm of that block, with noise: they may differ by
a few from the true numbers. `used` is how many patients have been counted.

There is no seed: the noise comes from the generator of the operating system, and each run of this tour may look
different. Who is in the data does not change, nor what a look may tell of one patient.
"""

from __future__ import annotations

import csv
import gzip
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from seqlang.tours import asked, data_file

FILE = "stream_indo_rct.csv.gz"
DESIGN = (
    "--null", "placebo ~ bernoulli(0.13), drug ~ bernoulli(0.13)",
    "--alternative", "placebo ~ bernoulli(0.17), drug ~ bernoulli(0.09)",
    "--alpha", "0.05", "--beta", "0.2", "--privacy", "pure(1)", "--looks", "120,240,360,480,590", "--pure",
)  # fmt: skip
"""A drug that halves the rate would be prescribed. 590: one of each arm in turn, as long as there are both."""
SHORT = (
    "--null", "placebo ~ bernoulli(0.2), drug ~ bernoulli(0.2)",
    "--alternative", "placebo ~ bernoulli(0.6), drug ~ bernoulli(0.05)",
    "--alpha", "0.1", "--beta", "0.2", "--privacy", "pure(1)", "--looks", "20,40", "--pure",
)  # fmt: skip
"""A drug whose effect shows after 40 patients: the short form."""
NEIGHBOURS = "replace one; public arm"
"""Another patient in the place of one, in the same arm: who is in which arm is no secret."""
COME_IN, FEW_COME_IN = (150, 350, 590), (25, 40)
"""So many patients are there when somebody looks."""


def patients(file: Path) -> list[dict[str, str]]:
    """One of each arm in turn, each arm in its own order, as long as there are both. The arm of a patient is public;
    whether he fell ill is not looked at."""
    with gzip.open(file, "rt", encoding="utf-8") as rows:
        listed = list(csv.DictReader(rows))
    arms = ([p for p in listed if p["arm"] == arm] for arm in "01")
    return [patient for pair in zip(*arms, strict=False) for patient in pair]


def write(rows: list[dict[str, str]], file: Path) -> None:
    """What the trial's data base would export: whole rows, in the order of the trial."""
    with file.open("w", encoding="utf-8", newline="") as out:
        made = csv.DictWriter(out, ["id", "arm", "pep"], extrasaction="ignore", lineterminator="\n")
        made.writeheader()
        made.writerows(rows)


class Commands:
    """Runs commands in a folder, and shows each with what it prints."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.number, self.began = folder, 0, time.monotonic()

    def __call__(self, *words: str, expected: int = 0) -> str:
        """What the command printed. Ends the tour where its exit code is not the one that is expected."""
        self.number += 1
        if sys.stderr.isatty():
            print(f"  [{time.monotonic() - self.began:4.0f} s] command {self.number}: {words[0]}", file=sys.stderr)
        print("\n$ seqlang " + " ".join(w if w.replace("-", "").isalnum() or "/" in w else f"'{w}'" for w in words))
        done = subprocess.run(
            [sys.executable, "-m", "seqlang", *words], cwd=self.folder, capture_output=True, text=True, check=False
        )
        print((done.stdout + done.stderr).rstrip(), flush=True)
        if done.returncode != expected:
            raise SystemExit(f"that ended with exit code {done.returncode}, and not {expected}")
        return done.stdout


def tour(file: Path, folder: Path, short: bool) -> None:
    design, come_in = (SHORT, FEW_COME_IN) if short else (DESIGN, COME_IN)
    run, rows = Commands(folder), patients(file)
    print("1. The design")
    run("design", *design, "--output", "trial.seq")
    print("\n2. The budget")
    run("ledger", "open", "trial.sqlite", "--data", "indo", "--adjacency", NEIGHBOURS, "--budget", "pure(1)")
    release = ("release", "trial.seq", "--data", "patients.csv", "--ledger", "trial.sqlite",
               "--columns", "y=pep", "--id", "id")  # fmt: skip
    for count in come_in:
        print(f"\n3. and 4. {count} patients have come in")
        write(rows[:count], folder / "patients.csv")
        stopped = "stopped" in run(*release)
        last = stopped or count == come_in[-1]
        run("monitor", "--ledger", "trial.sqlite", *(("--report", "trial.html") if last else ()))
        if stopped:
            break
    print("\n5. The transcript, the account, and what an auditor does")
    run(*release, "--json")
    run("ledger", "show", "trial.sqlite")
    run("ledger", "verify", "trial.sqlite")
    print("\nAnother release of the same patients is refused, as nothing is left:")
    run(*release, "--reference", "once more", expected=2)


def main() -> None:
    parser = asked(__doc__, "", "--out trial", "--short --out trial")
    parser.add_argument("--folder", type=Path, help="where the data are")
    parser.add_argument("--out", type=Path, help="where spec, ledger and report are kept (a folder that is not there)")
    options = parser.parse_args()
    file = data_file(
        FILE, what="602 patients as CSV, gzipped: id,site,arm,pep (arm: 1 for the drug; pep: 1 for pancreatitis)",
        get="It is the data set indo_rct of the R package medicaldata (CRAN).", folder=options.folder,
    )  # fmt: skip
    if options.out is not None:
        options.out.mkdir(parents=True)
        tour(file, options.out, options.short)
        print(f"\nAll of it is in {options.out}: trial.html is the report.")
        return
    with tempfile.TemporaryDirectory() as folder:
        tour(file, Path(folder), options.short)
    print("\n--out FOLDER keeps the spec, the ledger and the report trial.html.")


if __name__ == "__main__":
    main()
