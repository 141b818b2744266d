"""A result is found again by what determines it, and by nothing else."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest
from sweep_command import ROOT, SPEC, environment

from seqlang.driver import load
from seqlang.source import Source
from seqlang.sweeps.cells import combined
from seqlang.sweeps.identity import identity
from seqlang.sweeps.plan import plan
from seqlang.sweeps.unit import Unit


def _identity(text: str, **values: Fraction) -> str:
    return identity(load(Source("x", text), values).program)


def test_what_does_not_count() -> None:
    same = [
        SPEC,
        "# a remark\n" + SPEC.replace("model fair:   x ~", "model fair:  x  ~   "),
        SPEC.replace('"a walk that is watched from both sides"', '"another title"'),
        SPEC + "claim strong pure(3)\n",
    ]
    assert len({_identity(text) for text in same}) == 1
    assert _identity(SPEC) == _identity(SPEC, p=Fraction(2, 5))  # the default


@pytest.mark.parametrize(
    ("old", "new"),
    [("= 0.4", "= 0.41"), ("s >= a ", "s > a "), ("1 / 2", "0.500000000000000000001"), ("up", "upwards"),
     ("sum(2 * x - 1 over steps)", "sum(2 * x - 1 over last 5)"), ("{0, 1}", "{0, 1, 2}")],
)  # fmt: skip
def test_what_counts(old: str, new: str) -> None:
    assert old in SPEC
    assert _identity(SPEC) != _identity(SPEC.replace(old, new))


def test_values_given_and_values_written_are_the_same() -> None:
    """Only the default differs, and that is part of what is declared."""
    given = _identity(SPEC, a=Fraction(7))
    assert given != _identity(SPEC)
    assert given == _identity(SPEC, a=Fraction(7))


def test_the_same_in_another_process() -> None:
    code = (
        "import sys; sys.path.insert(0, 'tests/sweeps')\n"
        "from sweep_command import SPEC\nfrom seqlang.driver import load\nfrom seqlang.source import Source\n"
        "from seqlang.sweeps.identity import identity\nprint(identity(load(Source('x', SPEC)).program))"
    )
    env = {**environment(), "PYTHONHASHSEED": "5"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, env=env, check=True)
    assert done.stdout.strip() == _identity(SPEC)


def _keys(**options: object) -> list[str]:
    chosen = {"runs": 10, "seed": 1, "cap": None, **options}
    grid = [("a", [Fraction(2), Fraction(3)])]
    return [u.key for u in plan(Source("x", SPEC), {}, combined((), grid), (), run=chosen, solve={}).units]


def test_keys_differ_where_results_may() -> None:
    keys = _keys()
    assert len(set(keys)) == len(keys) == 8
    for options in ({"runs": 11}, {"seed": 2}, {"cap": 5}, {"until_ci": 0.01}):
        runs = _keys(**options)[::2]
        assert not set(runs) & set(keys)
        assert _keys(**options)[1::2] == keys[1::2]  # exact laws know no seed


def test_keys_of_releases_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    unit = Unit("run", "x", SPEC, (), "fair", (), "identity")
    before = unit.key
    monkeypatch.setattr("seqlang.sweeps.unit.__version__", "99")
    assert unit.key != before
