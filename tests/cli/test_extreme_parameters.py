"""Library specs at extreme parameters end with a verdict, or a diagnostic; each of these once ended in an exception."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import pytest
from thorough import spread

from seqlang.cli.__main__ import main

ONCE = [
    ("wang_poster/private_serm", "eps=16"),
    ("wang_poster/private_serm", "eps=1e12"),  # all weights of its law are too small for a float
    ("suite/truncated_geometric", "k=60"),
    ("bittner2020/flsw", "eps_s=40"),
    ("bittner2020/flmb", "eps_s=1e18"),
    ("suite/noisymax", "eps=1e18"),
    ("cummings2018/changepoint_gaussian", "A=1e-18"),
    ("abadi2016/dp_sgd", "sigma=1e300"),
    ("abadi2016/dp_sgd", "sigma=1e-18"),
    ("abadi2016/dp_sgd", "T=1e300"),
    ("abadi2016/dp_sgd", "T=1e18"),
    ("chan2011/tree_sums_gaussian", "d=2"),
    ("wang2020/weak_sprt", "eps_out=1e18"),
    ("suite/sparsevector", "T=9007199254740993"),
    ("suite/laplace_parallel", "copies=1e300"),
    pytest.param("cummings2018/changepoint_gaussian", "mu=1e300", marks=pytest.mark.long),
    pytest.param("michel2025/dp_sprt", "s=1e6", marks=pytest.mark.long),
]
VALUES = "1e-300 1e-18 1e-6 16 40 1e6 1e18 1e300 9007199254740993".split()
SPECS = Path(__file__).parents[2] / "specs"


@pytest.mark.parametrize(("name", "setting"), spread(ONCE, 6))
def test_no_exception(name: str, setting: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["check", f"@{name}", "--set", setting])
    said = capsys.readouterr()
    assert code in (0, 1, 2), said.err
    assert "nan" not in said.out.split()


def test_instances_with_scales_far_apart(capsys: pytest.CaptureFixture[str]) -> None:
    settings = [word for setting in ("b=60", "lw=1e-18", "D=0.1", "lz=40") for word in ("--set", setting)]
    assert main(["check", "@tight/one_sided", "--instances", "2", *settings]) == 2
    assert "far narrower" in capsys.readouterr().err


def test_queries_with_much_more_noise_than_their_threshold(capsys: pytest.CaptureFixture[str]) -> None:
    """The likeliest threshold is found in steps that grow: it lies 1e6 of its noise's scales from where it begins."""
    spec = (SPECS / "tight" / "repeated_kept.seq").read_text(encoding="utf-8")
    from seqlang import driver
    from seqlang.source import Source

    text = spec.replace("laplace(lz)", "gumbel(lz)")
    assert text != spec
    loaded = driver.load(Source("far", text), {"lw": Fraction(10**6), "b": Fraction(10)})
    assert not driver.check(loaded, time_limit=200).cut_short


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each check runs in a process of its own, with limited time")
@pytest.mark.parametrize("path", sorted(SPECS.rglob("*.seq")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_parameter(path: Path) -> None:
    """20 s of CPU a check; what is not done by then is not judged here."""
    from seqlang.driver import load, read

    for parameter in load(read(str(path))).program.parameters:
        for value in VALUES:
            setting = f"{parameter.name}={value}"
            assert _code(["check", str(path), "--set", setting]) in (0, 1, 2, None), setting


def _code(words: list[str]) -> int | None:
    """The exit code; None where the time ran out."""
    import resource

    pid = os.fork()
    if pid == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        os._exit(main(words))
    _, status = os.waitpid(pid, 0)
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
