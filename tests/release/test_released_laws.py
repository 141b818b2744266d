"""The law of a released transcript is the law that was reasoned about, and its loss is at most what was proved.

Small programs are run once for every value of every draw; the room `transcript`, on which the search for witnesses and
the replay of refutations rest, computes the same probabilities by conditions on the noises."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import pytest
from released import loaded

from seqlang.backends.transcript.follow import Follower, Phase
from seqlang.backends.transcript.integrals.quadrature import FINE
from seqlang.model.program import Program
from seqlang.release.exact.code import Compiler
from seqlang.release.exact.plan import obstacles
from seqlang.release.exact.run import ExactRun, Look
from seqlang.release.ledger.budget import amount_of
from seqlang.release.pricing import price, proved

Transcript = tuple[Look, ...]
BITS = "stream x in {0, 1}\n"
FORMS = {
    "count": BITS + "report s = x\nattach geometric(%s) to s\nstop when step >= 2\nclaim strong pure(%s)\n",
    "total": BITS + "report s = sum(x over steps)\nattach geometric(%s) to s\nstop when step >= 2\n"
    "claim strong pure(2 * %s)\n",
    "window": BITS + "report s = sum(x over last 2)\nattach geometric(%s) to s\nstop when step >= 2\n"
    "claim strong pure(2 * %s)\n",
    "block": BITS + "report block when sum(1 since block) >= 2\nreport ones = sum(x since block) when block\n"
    "memory seen = 0\nupdate seen = ones when block\nattach geometric(%s) to ones\nstop when seen >= 2 return many\n"
    "claim strong pure(%s)\n",
    "threshold": "let b = 1\n" + BITS + "statistic total = sum(x over steps)\nstop when total >= b return above\n"
    "attach geometric(%s) to b once\nattach geometric(1/100) to total\nclaim strong pure(log(100))\n",
    "cusum": BITS + "statistic s = max(0, previous(s, 0) + 2 * x - 1)\nreport high when s >= 2\nstop when step >= 2\n"
    "attach geometric(%s) to s\nclaim strong pure(4 * %s)\n",
    "letters": "stream x in {0, 1, 2}\nreport shown = x\nattach randomized_response(1 - 2 * %s) to x\n"
    "stop when step >= 2 return end\nclaim strong pure(log((1 - 2 * %s) / %s))\n",
    "tree": BITS + "report s = sum(x over steps)\nattach tree(geometric(%s)) to s\nstop when step >= 3\n"
    "claim strong pure(2 * %s)\n",
    "listed": BITS + "report s = x\nattach {-1: 1/4, 0: 1/2, 1: 1/4} to s\nstop when step >= 2\n",
}  # fmt: skip
RATIOS = ("1/8", "1/6", "1/10", "1/12", "1/5", "1/9", "2/15")


def text_of(form: str, ratio: str) -> str:
    """With the ratio of the noise, and its price where there is one."""
    body, count = FORMS[form], FORMS[form].count("%s")
    if form == "letters":
        given: tuple[str, ...] = (f"({ratio})",) * 3
    else:
        numerator, denominator = ratio.split("/")
        given = (ratio, f"log({denominator} / {numerator})")[:count]
    return "algorithm a\n" + body % given


SPECS = [text_of(form, RATIOS[0]) for form in FORMS]
MANY = [text_of(form, ratio) for form in FORMS for ratio in RATIOS if "%s" in FORMS[form] or ratio == RATIOS[0]]


class Forks:
    """All ways of a computation that asks for random values, one after the other."""

    def __init__(self) -> None:
        self._path: list[int] = []
        self._at, self.chance, self._widths = 0, 1.0, []

    def choose(self, options: Sequence[tuple[Any, float]]) -> Any:
        if self._at == len(self._path):
            self._path.append(0)
        self._widths[self._at :] = [len(options)]
        value, weight = options[self._path[self._at]]
        self._at, self.chance = self._at + 1, self.chance * weight
        return value

    def ways(self) -> Iterator[None]:
        while True:
            self._at, self.chance = 0, 1.0
            yield
            del self._path[self._at :]
            while self._path and self._path[-1] + 1 == self._widths[len(self._path) - 1]:
                self._path.pop()
            if not self._path:
                return
            self._path[-1] += 1


def weights_of(made: Program, name: str, reach: int) -> list[tuple[int, float]]:
    """The law of a noise as its definition has it, cut off beyond `reach`."""
    law, compiler = made.noise(name).law, Compiler(made)
    if getattr(law, "family", None) == "tree":
        law = law.arguments[0]  # type: ignore[attr-defined]
    if not hasattr(law, "family"):
        return [(int(compiler.constant(v)), float(compiler.constant(w))) for v, w in law.pairs]  # type: ignore[attr-defined]
    ratio = float(compiler.constant(law.arguments[0]))  # type: ignore[attr-defined]
    return [(k, (1 - ratio) / (1 + ratio) * ratio ** abs(k)) for k in range(-reach, reach + 1)]


def law_of(made: Program, stream: Sequence[int], reach: int = 3) -> dict[Transcript, float]:
    """Of the transcripts of the exact run."""
    forks, found = Forks(), {}
    run = ExactRun(made, below=lambda n: forks.choose([(k, 1 / n) for k in range(n)]), ahead=0)
    for name, spares in run._spares.items():
        if made.noise(name).flips:
            continue  # drawn among finitely many letters: all of them are taken
        options = weights_of(made, name, reach)
        spares.take = lambda options=options: forks.choose(options)  # type: ignore[method-assign, misc]
    for _ in forks.ways():
        run.begin()
        looks = []
        for x in stream:
            looks.append(run.advance({"x": x}))
            if run.stopped:
                break
        found[tuple(looks)] = found.get(tuple(looks), 0.0) + forks.chance
    return found


def phases(transcript: Transcript, stream: Sequence[int]) -> list[Phase]:
    """As the other engine has them."""
    return [
        Phase({"x": x}, {**{n: v if v is True else float(v) for n, v in look.reports},
                         "stop": (look.by, look.result) if look.stopped else None}, 1)
        for look, x in zip(transcript, stream, strict=False)
    ]  # fmt: skip


specs = pytest.mark.parametrize(
    "text", [*SPECS, *(pytest.param(t, marks=pytest.mark.long) for t in MANY if t not in SPECS)]
)


@specs
def test_the_law_is_the_one_that_was_reasoned_about(text: str) -> None:
    made = loaded(text).program
    assert obstacles(made) == []
    follower = Follower(made)
    for stream in ((0, 1, 1), (1, 1, 0)) if "tree" in text else ((0, 1), (1, 1)):
        law = law_of(made, stream)
        left = 1 - sum(law.values())
        assert -1e-12 <= left < 0.02
        for transcript, chance in sorted(law.items(), key=lambda pair: -pair[1])[:40]:
            other = math.exp(follower.log_probability(phases(transcript, stream), FINE).log)
            assert chance <= other + 1e-9 and other <= chance + left + 1e-9


def losses(law: dict[Transcript, float], other: dict[Transcript, float]) -> Iterator[float]:
    left = max(0.0, 1 - sum(other.values()))
    for transcript, chance in law.items():
        if chance > 1e-12:
            yield math.log(chance / (other.get(transcript, 0.0) + left + 1e-15))


@pytest.mark.parametrize(
    "form",
    [
        "count",
        "block",
        "letters",
        *(pytest.param(f, marks=pytest.mark.long) for f in ("total", "window", "cusum", "tree")),
    ],
)
def test_the_loss_is_at_most_the_one_that_is_charged(form: str) -> None:
    """Over all neighbours; it is reached, but for what the enumeration or its two steps leave out."""
    made = loaded(text_of(form, "1/8"))
    letters = range(3) if form == "letters" else range(2)
    charged = float(price(proved(made, amount_of("pure(9)", "")), amount_of("pure(9)", "")).epsilon)
    size, reach = (3, 4) if form == "tree" else (2, 6)
    laws = {stream: law_of(made.program, stream, reach) for stream in product(letters, repeat=size)}
    worst = max(
        loss
        for a, b in product(laws, laws) if sum(x != y for x, y in zip(a, b, strict=True)) == 1
        for loss in losses(laws[a], laws[b])
    )  # fmt: skip
    assert worst <= charged + 1e-9
    assert worst > charged - 0.4 or form == "cusum"


def test_a_sampler_of_another_law_is_noticed() -> None:
    """The comparison is sharp: a noise with a tenth of its mass moved by one shows."""
    made = loaded(text_of("count", "1/8")).program
    law = law_of(made, (0, 1))
    shifted: Callable[[Transcript], float] = lambda t: 0.9 * law[t]  # noqa: E731
    follower, left = Follower(made), 1 - sum(law.values())
    most = max(law, key=lambda t: law[t])
    assert math.exp(follower.log_probability(phases(most, (0, 1)), FINE).log) > shifted(most) + left + 1e-9
