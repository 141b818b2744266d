"""`check --latex`: names and named functions as papers write them."""

from __future__ import annotations

import pytest

from seqlang.cli.__main__ import main


@pytest.mark.parametrize(
    ("spec", "lines"),
    [
        (
            "@suite/laplace_parallel",
            [
                r"\varepsilon_{\mathrm{pure}} \le \mathrm{copies}\,\varepsilon",
                r"\varepsilon_{\mathrm{optimal}}\left(\varepsilon, \mathrm{copies}, \delta\right)",
            ],
        ),
        pytest.param(
            "@papernot2018/gnmax", [r"\varepsilon(\alpha) \le \frac{\alpha k}{\sigma^{2}}"], marks=pytest.mark.long
        ),
        ("@smith2013/ftal", [r"\rho \le \frac{\varepsilon^{2}}{8 \left(\left\lfloor{\log_{2}\left(n\right)}\right"]),
        ("@dwork2015/thresholdout_once", [r"\varepsilon(\delta) \le \min_{\alpha > 1}\left("]),
        ("@bittner2020/flmb_exponential", [r"\le \varepsilon_{g} + \max\left(\varepsilon_{s}, "]),
    ],
)  # fmt: skip
def test_latex(
    spec: str, lines: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "4000")
    assert main(["check", spec, "--latex"]) == 0
    shown = capsys.readouterr().out.split("LaTeX\n", 1)[1]
    for line in lines:
        assert line in shown
    assert "eps" not in shown.replace(r"\varepsilon", "")
    assert "-alpha" not in shown
