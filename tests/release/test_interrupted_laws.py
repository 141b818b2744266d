"""The law of a release that dies after any step and goes on is, exactly, that of one that was never interrupted.

Small programs with small noise: all values of all draws are taken, with rational chances. Of a run that goes on, one
attempt is made to draw again what lasts: an attempt that is given up is left out, and the rest is divided by its
chance."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
from released import HEAD, program

from seqlang.model.program import Program, Report, Stop
from seqlang.release import resuming
from seqlang.release.exact.plan import obstacles
from seqlang.release.exact.run import ExactRun
from seqlang.release.resuming import Begun, resumed
from seqlang.release.transcript import value_out, written
from seqlang.release.verification import disagreement

Law = dict[tuple[str, ...], Fraction]
Rows = Sequence[Mapping[str, Any]]
MOST = 3000


class TooMany(Exception):
    """Ways to draw."""


class GivenUp(Exception):
    """An attempt."""


class Coins:
    """All that random bits can be, one after the other."""

    def __init__(self) -> None:
        self._path: list[tuple[int, int]] = []
        self._at, self.chance = 0, Fraction(1)

    def below(self, n: int) -> int:
        if self._at == len(self._path):
            self._path.append((0, n))
        self._at, self.chance = self._at + 1, self.chance / n
        return self._path[self._at - 1][0]

    def ways(self) -> Iterator[None]:
        for _ in range(MOST):
            self._at, self.chance = 0, Fraction(1)
            yield
            while self._path and self._path[-1][0] + 1 == self._path[-1][1]:
                self._path.pop()
            if not self._path:
                return
            value, n = self._path[-1]
            self._path[-1] = value + 1, n
        raise TooMany


class Once(ExactRun):
    """A run that does not begin again."""

    begun = False

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **{**options, "ahead": 0})

    def begin(self) -> None:
        if self.begun:
            raise GivenUp
        self.begun = True
        super().begin()


def rest_of(run: ExactRun, rows: Iterator[Mapping[str, Any]]) -> Iterator[str]:
    for row in () if run.stopped else rows:
        yield json.dumps(written(run.advance(row)), sort_keys=True)
        if run.stopped:
            return


def law_of(made: Program, rows: Rows) -> Law:
    coins, found = Coins(), Law()
    for _ in coins.ways():
        shown = tuple(rest_of(ExactRun(made, below=coins.below, ahead=0), iter(rows)))
        found[shown] = found.get(shown, Fraction(0)) + coins.chance
    return found


def law_after_a_crash(made: Program, rows: Rows, cut: int, whole: Law) -> Law:
    beginnings, found = Law(), Law()
    for shown, chance in whole.items():
        beginnings[shown[:cut]] = beginnings.get(shown[:cut], Fraction(0)) + chance
    for beginning, chance in beginnings.items():
        coins, after = Coins(), Law()
        looks = [json.loads(look) for look in beginning]
        if looks[-1].get("stopped"):
            found[beginning] = chance
            continue
        looks = [look for look in looks if look["reports"] or look is looks[-1]]
        assert disagreement(made, looks) is None
        for _ in coins.ways():
            left = iter(rows)
            try:
                run = resumed(made, looks, left, below=coins.below)
            except GivenUp:
                continue
            shown = (*beginning, *rest_of(run, left))
            after[shown] = after.get(shown, Fraction(0)) + coins.chance
        total = sum(after.values())
        found.update({shown: chance * part / total for shown, part in after.items()})
    return found


def law_after_a_part(made: Program, rows: Rows, cut: int, decided: int) -> Law:
    """Of runs that die in step `cut`, after so many of its reports and stops (or the step's end), and go on."""
    coins, beginnings, found = Coins(), dict[tuple[str, str], Fraction](), Law()
    for _ in coins.ways():
        run = ExactRun(made, below=coins.below, ahead=0)
        looks = list(rest_of(run, iter(rows[: cut - 1])))
        part = "" if run.stopped else begun_in(run, rows[cut - 1], decided)
        key = json.dumps(looks if not run.stopped or not part else [*looks, part]), "" if run.stopped else part
        beginnings[key] = beginnings.get(key, Fraction(0)) + coins.chance
    for (before, part), chance in beginnings.items():
        looks, coins, after = json.loads(before), Coins(), Law()
        if not part:
            found[tuple(looks)] = found.get(tuple(looks), Fraction(0)) + chance
            continue
        for _ in coins.ways():
            left, shown = iter(rows), list[str]()

            def make(run: ExactRun, entry: Mapping[str, Any], shown: list[str] = shown) -> None:
                shown.append(json.dumps(written(run.advance(entry)), sort_keys=True))

            known = [look for look in map(json.loads, looks) if look["reports"]]
            try:
                run = resumed(made, known, left, below=coins.below, begun=Begun(json.loads(part), make))
            except GivenUp:
                continue
            transcript = (*looks, *shown, *rest_of(run, left))
            after[transcript] = after.get(transcript, Fraction(0)) + coins.chance
        total = sum(after.values())
        for transcript, share in after.items():
            found[transcript] = found.get(transcript, Fraction(0)) + chance * share / total
    return found


def begun_in(run: ExactRun, entry: Mapping[str, Any], decided: int) -> str:
    """What is known after so many decisions of the step; the look, if it stopped by then."""

    class Enough(Exception):
        pass

    def decide(step: int, statement: object, compute: Any) -> Any:
        if run.decided == decided:
            raise Enough
        return compute()

    run.decide = decide
    try:
        look = run.advance(entry)
    except Enough:
        look = None
    reports = {name: value_out(v) for name, v in run.shown}
    known = {"step": run.step, "decided": run.decided, "reports": reports}
    return json.dumps(known if look is None or not look.stopped else written(look), sort_keys=True)


def assert_unchanged(text: str, values: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made, rows = program(text), [{"x": int(v)} for v in values]
    assert obstacles(made) == []
    monkeypatch.setattr(resuming, "ExactRun", Once)
    whole = law_of(made, rows)
    assert sum(whole.values()) == 1
    for cut in range(1, len(rows)):
        assert law_after_a_crash(made, rows, cut, whole) == whole, f"after step {cut}"


def assert_unchanged_in_a_step(text: str, values: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made, rows = program(text), [{"x": int(v)} for v in values]
    monkeypatch.setattr(resuming, "ExactRun", Once)
    whole = law_of(made, rows)
    for cut in range(1, len(rows) + 1):
        for decided in range(1 + sum(isinstance(s, Report | Stop) for s in made.body)):
            assert law_after_a_part(made, rows, cut, decided) == whole, f"in step {cut} after {decided}"


TREE = "statistic total = sum(x over steps)\nattach tree({0: 2/3, 1: 1/3}) to total\n"
KEPT = "let b = 2\nattach {0: 2/3, 1: 1/3} to b once\n"
BODIES = {
    "shown in every step": TREE + "report s = total\nreport high when s >= 3\n",
    "shown after a test": TREE + KEPT + "report high when total >= b\nreport s = total\n",
    "shown before a test": TREE + KEPT + "report s = total\nreport high when total >= b\n",
    "shown after it was kept": TREE + "statistic before = previous(total, 0)\nreport s = total\n"
    "report jump when total - before >= 1\n",
    "shown twice": TREE + "report s = total\nreport t = total\nreport high when t >= 2\n",
    "shown now and then": TREE + "report s = total when step % 2 == 0\n",
    "shown to a stop": TREE + "stop when total >= 3\nreport s = total\n",
    "a coin of a tree": "draw z ~ tree({0: 2/3, 1: 1/3})\nreport s = z when step % 2 == 1\n",
    "a coin of a tree, always": "draw z ~ tree({0: 2/3, 1: 1/3})\nreport s = z\n",
    "a coin whose law changes": "memory m = 1\ndraw z ~ {0: 1, 1: m} once\nreport s = z when step != 2\nupdate m = 2\n",
    "a coin in each step": "memory m = 1\ndraw z ~ {0: 1, 1: m} each step\nreport s = z\nupdate m = m + 1\n",
    "a coin that is shown by chance": "draw z ~ {0: 1, 1: 1} once\nstatistic total = sum(x over steps)\n"
    "attach {0: 2/3, 1: 1/3} to total\nreport s = z when total >= 2\n",
}  # fmt: skip


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_of_noise_that_was_shown_and_read_elsewhere(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_unchanged(HEAD + body, "1011", monkeypatch)


@pytest.mark.parametrize("seed", [*range(1, 5), *(pytest.param(n, marks=pytest.mark.long) for n in range(5, 300))])
def test_of_random_programs(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        assert_unchanged(random_body(random.Random(seed)), "101", monkeypatch)
    except TooMany:
        assert seed >= 5


def random_body(coins: random.Random) -> str:
    """Noise that lasts, is drawn anew, on trees; read by tests, reports, folds, more than once."""
    names, events = ["x", "total", "b"], list[str]()
    lines = ["statistic total = sum(x over steps)", "let b = 2", "memory m = 1"]

    def number(depth: int) -> str:
        if depth == 0 or coins.random() < 0.5:
            return coins.choice([*names, "m", "step", "1", "2"])
        return f"({number(depth - 1)} {coins.choice('+-')} {number(depth - 1)})"

    def law() -> str:
        one = coins.choice(("{0: 2/3, 1: 1/3}", "{-1: 1/2, 0: 1/2}"))
        return coins.choice((one, f"tree({one})"))

    for k in range(coins.randint(3, 5)):
        match coins.choice(("statistic", "value", "event", "draw", "fold", "update")):
            case "statistic":
                lines.append(f"statistic s{k} = {number(2)}")
                names.append(f"s{k}")
            case "value":
                when = coins.choice(("", "", " when step % 2 == 1", f" when {number(1)} >= 1"))
                lines.append(f"report v{k} = {coins.choice((number(1), coins.choice(names)))}{when}")
                names += [] if when else [f"v{k}"]
            case "event":
                lines.append(f"report e{k} when {number(1)} >= {number(0)}")
                events.append(f"e{k}")
            case "draw":
                lines.append(f"draw d{k} ~ {coins.choice((law(), '{0: 1, 1: m} once', '{0: 1, 1: m} each step'))}")
                names.append(f"d{k}")
            case "fold":
                lines.append(f"statistic f{k} = {coins.choice(('previous(Q, 0)', 'sum(Q over last 2)'))}"
                             .replace("Q", coins.choice(names)))  # fmt: skip
                names.append(f"f{k}")
            case "update" if not any(line.startswith("update") for line in lines):
                lines.append(f"update m = m + 1{f' when {coins.choice(events)}' if events else ''}")
    for target in coins.sample(["total", "b", "x", *(n for n in names if n[0] == "s")], 2):
        noise = law()
        lives = ("", "", " once", *(f" each {event}" for event in events))
        lines.append(f"attach {noise} to {target}{'' if noise.startswith('tree') else coins.choice(lives)}")
    shown = coins.choice(("report shown = total", "report shown = x", "stop when total >= 4"))
    return HEAD + "\n".join([*lines, shown]) + "\n"


TWICE = {
    "one noise, two tests": "statistic s = x\nreport a when s >= 1\nreport b when s >= 2\n"
    "attach {0: 1/2, 1: 1/2} to s\n",
    "a test and a number": "statistic s = x\nreport a when s >= 1\nreport r = s\nattach {0: 1/2, 1: 1/2} to s\n",
    "a number and a test": "statistic s = x\nreport r = s\nreport a when s >= 2\nattach {0: 1/2, 1: 1/2} to s\n",
    "a stop of two": "statistic s = x\nstop when s >= 2 return high\nreport a when s >= 1\n"
    "attach {0: 1/2, 1: 1/2} to s\n",
}  # fmt: skip


@pytest.mark.parametrize("body", TWICE.values(), ids=TWICE)
def test_of_a_step_that_was_begun(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise of the step itself is alive when the step goes on."""
    assert_unchanged_in_a_step(HEAD + body, "101", monkeypatch)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_of_a_step_that_was_begun_with_noise_that_lasts(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_unchanged_in_a_step(HEAD + body, "10", monkeypatch)


@pytest.mark.parametrize("seed", [*range(1, 4), *(pytest.param(n, marks=pytest.mark.long) for n in range(4, 300))])
def test_of_steps_of_random_programs(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        assert_unchanged_in_a_step(random_body(random.Random(seed)), "10", monkeypatch)
    except TooMany:
        assert seed >= 4
