"""The reusable holdout: ten thousand questions to one test set, each chosen after the last answer.

    python -m seqlang.tours reusable_holdout [--records 10000] [--attributes 10000] [--repetitions 5] [--plot FILE.png]

An analyst has a training set and a holdout set whose attributes have nothing to do with the label. He asks of every
attribute how often it agrees with the label, keeps those that look alike on both sets, lets the strongest vote, and
asks how good the vote is. If the holdout answers plainly, it was used for the choice and confirms what is not there. If
it answers through Thresholdout (Dwork, Feldman, Hardt, Pitassi, Reingold and Roth 2015), the very same analyst is told
the truth: the answers hardly depend on any one record, so that nothing can be fitted to the records.

The numbers that leave the holdout are those that `session.step` returns, and no others.

`votes` is how many attributes vote; the other columns are shares of records on which the vote is right: on the training
set, as the holdout tells, and on fresh records, which is the truth. They are means of repetitions, each with data and
noise of its own (seeds 1, 2, ..), with their 95 % intervals in brackets; `spent` says that Thresholdout had used up its
budget in some repetition, and answered no more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import seqlang
from seqlang.tours import asked, between, drawing, mean_of, progress

SIGNS = NDArray[np.int8]
Row = tuple[str, int, tuple[float, ...], tuple[float, ...] | None, tuple[float, ...]]
"""Holdout used, attributes in the vote, accuracy on training, as told by the holdout (None: spent), on fresh records:
of each a mean with the ends of its interval."""
Answer = Callable[[float, float], float | None]
"""The mean of a query on the holdout and on the training set -> what the analyst is told (None: nothing any more)."""

SIZES = (10, 25, 50, 100, 200, 400)
BLOCK = 500


class Records:
    """Records with attributes and a label of -1 and 1. The first `useful` attributes agree with the label more often
    than by chance, the others do not."""

    def __init__(self, random: np.random.Generator, count: int, attributes: int, useful: int) -> None:
        self.label: SIGNS = _signs(random, count)
        self.attributes: SIGNS = np.empty((attributes, count), dtype=np.int8)
        for i in range(attributes):
            self.attributes[i] = _signs(random, count)
            if i < useful:
                told = random.random(count) < 0.08
                self.attributes[i, told] = self.label[told]

    def agreement(self) -> NDArray[np.float64]:
        """How often each attribute equals the label."""
        means = [
            self.attributes[i : i + BLOCK].astype(np.float32) @ self.label.astype(np.float32) / len(self.label)
            for i in range(0, len(self.attributes), BLOCK)
        ]
        return (1 + np.concatenate(means).astype(np.float64)) / 2

    def accuracy(self, chosen: NDArray[np.intp], votes: NDArray[np.float64]) -> float:
        """How often the vote of the chosen attributes equals the label."""
        total = votes @ self.attributes[chosen].astype(np.float64)
        return float(np.mean(np.where(total >= 0, 1, -1) == self.label))


def _signs(random: np.random.Generator, count: int) -> SIGNS:
    return (2 * random.integers(0, 2, count, dtype=np.int8) - 1).astype(np.int8)


def analyse(training: Records, holdout: Records, answer: Answer) -> dict[int, tuple[float, float | None, Any]]:
    """What the analyst does with the answers: votes of the best attributes -> (training, told, the vote)."""
    seen = training.agreement()
    told = np.array([answer(h, t) for h, t in zip(holdout.agreement(), seen, strict=True)], dtype=np.float64)
    edge = 1 / np.sqrt(4 * len(training.label))
    kept = np.flatnonzero(
        (np.sign(seen - 0.5) == np.sign(told - 0.5)) & (np.minimum(abs(seen - 0.5), abs(told - 0.5)) > edge)
    )
    best = kept[np.argsort(-abs(seen[kept] - 0.5), kind="stable")]
    found: dict[int, tuple[float, float | None, Any]] = {}
    for size in SIZES:
        vote = (best[:size], np.sign(seen[best[:size]] - 0.5))
        on_training = training.accuracy(*vote)
        found[size] = (on_training, answer(holdout.accuracy(*vote), on_training), vote)
    return found


def plainly(holdout: float, training: float) -> float | None:
    """The holdout used as if it were fresh each time."""
    return holdout


def through(session: Any) -> Answer:
    """The holdout behind a session: its mean where the two sets differ (with noise), else the training mean."""

    def answer(holdout: float, training: float) -> float | None:
        if session.stopped:
            return None
        shown = session.step(holdout=holdout, training=training)
        return float(min(1.0, max(0.0, shown.reports.get("answer", training))))

    return answer


def experiment(
    records: int, attributes: int, useful: int, seed: int
) -> list[tuple[str, int, float, float | None, float]]:
    """Rows (holdout used, attributes in the vote, accuracy on training, as told by the holdout, on fresh records)."""
    random = np.random.default_rng(seed)
    training, holdout, fresh = (Records(random, records, attributes, useful) for _ in range(3))
    session = seqlang.start(design(records), seed=seed)
    rows = []
    for name, answer in (("plainly", plainly), ("Thresholdout", through(session))):
        for size, (on_training, told, vote) in analyse(training, holdout, answer).items():
            rows.append((name, size, on_training, told, fresh.accuracy(*vote)))
    return rows


def design(records: int) -> seqlang.Spec:
    """The threshold is so high that ten thousand honest questions rarely pass it; the budget is for the votes."""
    return seqlang.load("@dwork2015/thresholdout", n=records, tau=0.001, T=0.075, B=10)


def repeated(records: int, attributes: int, useful: int, repetitions: int, title: str) -> list[Row]:
    """The rows of `experiment`, over repetitions with seeds 1, 2, .."""
    found = []
    for seed in range(1, repetitions + 1):
        progress(title, seed - 1, repetitions)
        found.append(experiment(records, attributes, useful, seed))
    progress(title, repetitions, repetitions)
    rows: list[Row] = []
    for same in zip(*found, strict=True):
        told = [row[3] for row in same if row[3] is not None]
        rows.append((
            same[0][0], same[0][1], mean_of([row[2] for row in same]),
            mean_of(told) if len(told) == repetitions else None, mean_of([row[4] for row in same]),
        ))  # fmt: skip
    return rows


def _shown(value: tuple[float, ...] | None) -> str:
    return f"{'spent':20}" if value is None else f"{value[0]:5.3f} {between(value[1], value[2]):14}"


def main() -> None:
    parser = asked(__doc__, "", "--records 4000 --attributes 1000 --repetitions 20", "--plot holdout.png",
                   short={"records": 2000, "attributes": 200, "repetitions": 2})  # fmt: skip
    parser.add_argument("--records", type=int, default=10_000, help="in each set (10000)")
    parser.add_argument("--attributes", type=int, default=10_000, help="of a record (10000)")
    parser.add_argument("--repetitions", type=int, default=5, help="with data and noise of their own (5)")
    parser.add_argument("--plot", metavar="FILE", help="a picture of all columns, with their intervals")
    options = parser.parse_args()
    if options.plot:
        drawing()  # before the work, not after it
    pure = seqlang.check(design(options.records)).to_dict()["strong"]["pure"]
    sizes = f"{options.records:,} records in each set, {options.attributes:,} attributes"
    print(
        f"{sizes}, {options.repetitions} repetitions\n"
        f"Thresholdout: epsilon is at most {pure['upper']:.4g} = {pure['symbolic']}, for all questions together\n"
    )
    tables = {}
    for useful in (0, 20):
        title = "no attribute tells anything" if useful == 0 else f"{useful} attributes tell a little"
        tables[title] = repeated(options.records, options.attributes, useful, options.repetitions, title)
        print(f"{title}\n  holdout used  votes  {'training':20}  {'told':20}  fresh", flush=True)
        for name, size, *shares in tables[title]:
            print(f"  {name:12}  {size:5}  " + "  ".join(map(_shown, shares)).rstrip(), flush=True)
        print()
    print(
        "In brackets: 95 % intervals of the means over the repetitions. Thresholdout tells the mean on training where\n"
        "the two sets are alike, up to a noisy threshold about 0.075; else that on the holdout, with noise."
    )
    if options.plot:
        plot(tables, options.plot, f"{sizes}; means of {options.repetitions} repetitions, shaded: 95 % intervals")


def plot(tables: dict[str, list[Row]], file: str, about: str) -> None:
    figure, axes = drawing().subplots(len(tables), 2, sharex=True, sharey=True, figsize=(9, 4 * len(tables)))
    for row, (title, table) in zip(axes, tables.items(), strict=True):
        for axis, name in zip(row, ("plainly", "Thresholdout"), strict=True):
            mine = [r for r in table if r[0] == name]
            for column, label in ((2, "on training"), (3, "as told by the holdout"), (4, "on fresh records")):
                shown: list[tuple[int, Any]] = [(r[1], r[column]) for r in mine if r[column] is not None]
                sizes, means = [size for size, _ in shown], [value[0] for _, value in shown]
                lows, highs = ([value[end] for _, value in shown] for end in (1, 2))
                axis.plot(sizes, means, marker="o", label=label)
                axis.fill_between(sizes, lows, highs, alpha=0.2)
            asks = "used plainly" if name == "plainly" else "behind Thresholdout"
            axis.set_title(f"{title},\nthe holdout {asks}", fontsize=10)
            axis.set(xlabel="attributes in the vote", ylabel="share of records that the vote gets right", xscale="log")
            axis.set_xticks(SIZES, [str(size) for size in SIZES])
            axis.minorticks_off()
            axis.legend()
    figure.suptitle(f"The reusable holdout: is the vote as good as one is told?\n{about}", fontsize=10)
    figure.tight_layout()
    figure.savefig(file, dpi=140)


if __name__ == "__main__":
    main()
