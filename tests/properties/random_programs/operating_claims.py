"""Claims on error rates and steps just above and just below the truth, and what `check` says of them.

`python -m random_programs.operating_claims --instances 500 --first-seed 0` judges programs and prints the counts.
"""

from __future__ import annotations

import argparse
import collections
import math
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass

import seqlang
from random_programs.stop_laws import StopLaw, law_of
from random_programs.walks_and_traps import CASES
from random_programs.ways_to_stop import KINDS, Program, program
from seqlang.process.time_limit import OutOfTime, limited

EVERY_KIND = (*KINDS, *CASES)

CLAIMS = 4
"""Of one program."""

SECONDS = 10.0
"""Of CPU for one program."""


@dataclass(frozen=True)
class Asked:
    """A claim, whether it holds (None: not known), and by how much."""

    text: str
    truth: float
    holds: bool | None


@dataclass(frozen=True)
class Judged:
    """`word`: as `check` says; `false`: what is wrong with it, or nothing."""

    seed: str
    kind: str
    text: str
    asked: Asked
    word: str
    because: str
    false: str


Quantity = tuple[str, Callable[[StopLaw], float]]


def quantities(rng: random.Random, one: Program) -> list[Quantity]:
    """Expressions of a claim, and their values from the law."""
    label, other = rng.choice(one.labels), rng.choice(one.labels)
    k = rng.randint(1, min(one.last or 6, 12))
    found: list[Quantity] = [
        (f"probability({label})", lambda law: law.chance(label)),
        (f"probability(not {label})", lambda law: 1 - law.chance(label)),
        ("probability(stops)", lambda law: law.chance(None)),
        (f"probability(step <= {k})", lambda law: law.chance(None, 1, k)),
        (f"probability(step <= {k} and {label})", lambda law: law.chance(label, 1, k)),
        (f"probability(step >= {k} and {label})", lambda law: law.chance(label, k)),
        (f"probability(step > {k} or {label})", lambda law: 1 - law.chance(None, 1, k) + law.chance(label, 1, k)),
        ("expected(step)", lambda law: law.steps()),
        ("expected(step)", lambda law: law.steps()),
    ]
    if other != label:
        found.append((f"probability({label} or {other})", lambda law: law.chance(label) + law.chance(other)))
        found.append(
            (f"probability({label}) - probability({other})", lambda law: law.chance(label) - law.chance(other))
        )
        found.append(
            (f"2 * probability({label}) + probability({other})", lambda law: 2 * law.chance(label) + law.chance(other))
        )
    return found


def claims(rng: random.Random, one: Program) -> list[Asked]:
    """Claims whose bounds lie within 1e-6 .. 10 % of the truth, on either side."""
    law, finer = law_of(one), None
    if not law.exact:
        finer = law_of(one, 20)
    found: list[Asked] = []
    for text, value in rng.sample(quantities(rng, one), CLAIMS):
        truth, error = value(law), 1e-12
        if finer is not None:
            truth, error = value(finer), 20 * abs(value(finer) - truth) + 1e-10
            if text == "expected(step)" and one.last is None:
                continue  # the rule cannot tell whether it is infinite
        found += asked_near(rng, text, truth, error)
    return found


def asked_near(rng: random.Random, text: str, truth: float, error: float) -> list[Asked]:
    """A claim whose bound is farther from the value than the error; none where there is no room."""
    size = max(abs(truth), 1e-3) if math.isfinite(truth) else 1.0
    away = max(size * 10 ** rng.uniform(-6, -1), 10 * error * max(1.0, size))
    up, operator = rng.random() < 0.5, rng.choice(["<=", ">=", "<", ">"])
    if not math.isfinite(truth):
        bound = 10 ** rng.uniform(0, 9)
    else:
        bound = truth + away if up else truth - away
        if text.startswith("probability") and text.count("prob") == 1 and not 0 <= bound <= 1:
            bound = 2 * truth - bound  # `check` refuses others
        if text.startswith("probability") and text.count("prob") == 1 and not 0 <= bound <= 1:
            return []
    holds = truth < bound if operator in ("<=", "<") else truth > bound
    return [Asked(f"claim {text} {operator} {_decimal(bound)}", truth, holds)]


def _decimal(value: float) -> str:
    return f"{value:.15f}" if abs(value) < 1e3 else f"{value:.3f}"


def varied(rng: random.Random, kind: str) -> Program:
    """A program of that kind of which, mostly, two ends have a chance."""
    for _ in range(20):
        one = program(rng, kind)
        law = law_of(one)
        shares = sorted([*(law.chance(label) for label in one.labels), 1 - law.chance(None)])
        if shares[-1] < 0.9999 or rng.random() < 0.05:
            break
    return one


def judge(seed: str, kind: str) -> list[Judged]:
    rng = random.Random(seed)
    if kind in CASES:
        case = CASES[kind](rng)
        chosen = rng.sample(case.known, min(CLAIMS, len(case.known)))
        near = [a for name, truth, error in chosen for a in asked_near(rng, name, truth, error)]
        return judged(seed, kind, case.text + "".join(f"{a.text}\n" for a in near), near) if near else []
    one = varied(rng, kind)
    asked = claims(rng, one)
    if not asked:
        return []
    return judged(seed, kind, one.text(tuple(a.text for a in asked)), asked)


def judged(seed: str, kind: str, text: str, asked: list[Asked]) -> list[Judged]:
    try:
        with limited(SECONDS):
            verdicts = seqlang.check(seqlang.load(text)).verdicts
    except OutOfTime:
        return [Judged(seed, kind, text, asked[0], "no time", "", "")]
    except seqlang.SpecError as wrong:
        return [Judged(seed, kind, text, asked[0], "refused", str(wrong), "")]
    except Exception as crash:  # an internal error is never right
        return [Judged(seed, kind, text, asked[0], "crash", f"{type(crash).__name__}: {crash}", "crash")]
    return [
        Judged(seed, kind, text, a, v.verdict, v.because, _false(v.verdict, v.holds, a))
        for a, v in zip(asked, verdicts, strict=True)
    ]


def _false(word: str, holds: bool | None, asked: Asked) -> str:
    said = {"proved": True, "refuted": False, "computed": holds}.get(word)
    return "" if said is None or asked.holds is None or said == asked.holds else f"false {word}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=500)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="*", default=EVERY_KIND)
    options = parser.parse_args()
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    wrong = 0
    for i in range(options.first_seed, options.first_seed + options.instances):
        kind = options.kinds[i % len(options.kinds)]
        for found in judge(f"{kind} {i}", kind):
            counts[kind, found.false or found.word] += 1
            if found.false or found.word == "refused":
                wrong += bool(found.false)
                print(
                    f"== {found.seed}: {found.false or found.word}\n{found.text}   {found.asked}\n   {found.because}",
                    flush=True,
                )
        if i % 20 == 19:
            print(f"{i + 1 - options.first_seed} programs: {dict(counts)}", flush=True)
    for (kind, word), count in sorted(counts.items()):
        print(f"{kind:24} {word:16} {count}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
