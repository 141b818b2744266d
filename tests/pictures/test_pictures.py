"""What every picture has: fonts and texts that print, titles inside, its origin in metadata, settings left alone."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as xml
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import seqlang
from seqlang import SpecError, __version__
from seqlang.report.pictures.figure import picture
from seqlang.report.pictures.look import About, Look
from seqlang.report.pictures.scales import scale_of_chances
from seqlang.report.pictures.series import marked

matplotlib = pytest.importorskip("matplotlib", reason="needs the extra `plot`")

TEXT = """\
algorithm coins "Costs of $5, and a <b>title</b> that goes on & on for so long that no picture is as wide as it is"
param n in 1.. = 5
stream x in {0, 1}
model a_rather_long_name_of_a_model_that_speaks_of_days_without_any_event_whatever: x ~ bernoulli(0.5)
statistic total = sum(x over steps)
stop when total >= n return many
stop when step >= 2 * n return few
"""


@pytest.fixture(scope="module")
def drawn() -> seqlang.api.specs.Spec:
    return seqlang.load(TEXT, n=3)


def _told(text: str) -> dict[str, Any]:
    found = json.loads(text)
    assert isinstance(found, dict)
    return found


def test_png_tells_its_origin(drawn: Any, tmp_path: Path) -> None:
    from PIL import Image

    seqlang.run(drawn, runs=50, seed=11).plot(str(tmp_path / "p.png"))
    info = Image.open(tmp_path / "p.png").info
    assert info["Title"].startswith("coins: Costs of $5")
    assert info["Software"] == f"seqlang {__version__}"
    assert _told(info["Description"]) == {
        "seqlang": __version__, "spec": "<text>", "sha256": sha256(TEXT.encode()).hexdigest(), "seed": 11,
        "parameters": {"n": 3.0},
    }  # fmt: skip


def test_svg_has_text_and_origin(drawn: Any, tmp_path: Path) -> None:
    seqlang.run(drawn, runs=50, seed=12).plot(str(tmp_path / "p.svg"))
    tree = xml.parse(tmp_path / "p.svg")
    texts = ["".join(found.itertext()) for found in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert any("Costs of $5" in text for text in texts)
    assert "stopping step" in texts
    (described,) = tree.iter("{http://purl.org/dc/elements/1.1/}description")
    assert _told(described.text or "")["seed"] == 12


def test_pdf_has_fonts_that_publishers_take(drawn: Any, tmp_path: Path) -> None:
    seqlang.solve(drawn).plot(str(tmp_path / "p.pdf"))
    data = (tmp_path / "p.pdf").read_bytes()
    assert b"/FontFile2" in data and b"/Type3" not in data
    assert sha256(TEXT.encode()).hexdigest().encode() in data
    assert b"CreationDate" not in data


def test_the_same_results_are_the_same_file(tmp_path: Path) -> None:
    def draw(sheet: Any) -> None:
        sheet.panels(1, 1)[0, 0].bar([1, 2], [3, 4], hatch="//")

    files = [tmp_path / f"{i}.svg" for i in (1, 2)]
    for file in files:
        picture(draw, About("bars", seed=1), str(file))
    assert files[0].read_bytes() == files[1].read_bytes()


def test_no_title_is_cut_off(drawn: Any, tmp_path: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    swept = seqlang.sweep(drawn, grid={"n": [2, 3]}, simulate=False, workers=1)
    for axes in (
        seqlang.run(drawn, runs=50).plot(str(tmp_path / "a.png")),
        seqlang.solve(drawn).plot(str(tmp_path / "b.png"), size=(3.5, 3)),
        swept.plot(str(tmp_path / "d.png"), size=(7, 4)),
    ):
        figure = (axes.flat[0] if hasattr(axes, "flat") else axes).figure
        renderer = FigureCanvasAgg(figure).get_renderer()
        for text in [figure._suptitle, *(axis.title for axis in figure.axes)]:
            box = text.get_window_extent(renderer)
            assert not text.get_text() or (figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1), text.get_text()
        high = figure._suptitle.get_window_extent(renderer)
        assert figure.bbox.y0 <= high.y0 and high.y1 <= figure.bbox.y1
        assert "$5" in figure._suptitle.get_text() and not figure._suptitle.get_parse_math()


def test_settings_and_backend_are_left_alone(drawn: Any, tmp_path: Path) -> None:
    from matplotlib import pyplot

    pyplot.switch_backend("svg")
    before = dict(matplotlib.rcParams)
    seqlang.run(drawn, runs=20).plot(str(tmp_path / "p.png"), style="grayscale")
    assert pyplot.get_fignums() == []
    assert dict(matplotlib.rcParams) == before
    assert matplotlib.get_backend() == "svg"
    axis = seqlang.solve(drawn).plot()
    assert pyplot.gcf() is axis.figure  # where it is not written, pyplot shows it
    assert dict(matplotlib.rcParams) == before
    pyplot.close("all")
    rooms = Path(seqlang.__file__).parent
    assert not [p for p in rooms.rglob("*.py") if re.search(r"matplotlib\.use\(|switch_backend", p.read_text("utf-8"))]


def test_size_and_style(drawn: Any, tmp_path: Path) -> None:
    from PIL import Image

    seqlang.solve(drawn).plot(str(tmp_path / "p.png"), size=(4, 2.5))
    assert Image.open(tmp_path / "p.png").size == (800, 500)
    axis = seqlang.solve(drawn).plot(str(tmp_path / "q.png"), style="grayscale")
    colours = {patch.get_facecolor() for patch in axis.patches}
    assert all(red == green == blue for red, green, blue, _ in colours)
    for options, said in (
        ({"style": "grayscal"}, r"E0605.*no style `grayscal`"), ({"size": (4, 0)}, "E0603"), ({"size": "4"}, "E0603"),
        ({"size": ("a", 2)}, "E0603"),
    ):  # fmt: skip
        with pytest.raises(SpecError, match=said):
            seqlang.solve(drawn).plot(str(tmp_path / "r.png"), **options)
    assert not (tmp_path / "r.png").exists()


def test_what_cannot_be_written(drawn: Any, tmp_path: Path) -> None:
    for name in ("no folder/p.png", "p.xyz"):
        with pytest.raises(SpecError, match="E0605"):
            seqlang.solve(drawn).plot(str(tmp_path / name))


def test_series_are_told_apart_without_colour() -> None:
    looks = [marked(i, 40) for i in range(12)]
    assert len({(str(look["linestyle"]), look["marker"]) for look in looks}) == 12
    assert len({look["marker"] for look in looks}) == 12
    first = [set(range(look["markevery"][0], 40, look["markevery"][1])) for look in looks[:3]]
    assert first[0] and not first[0] & first[1] and not first[1] & first[2] and not first[0] & first[2]


@pytest.mark.parametrize(
    ("chances", "scale"),
    [
        ([0.001, 0.3, 0.999], "linear"),  # an operating characteristic
        ([1e-5, 1e-3, 1e-2], "log"),
        ([1e-5, 1e-3, 1 - 1e-3, 1 - 1e-5], "logit"),
        ([0.04, 0.05], "linear"),
        ([0.0, 1.0], "linear"),
    ],
)
def test_scales_of_errors(chances: list[float], scale: str, tmp_path: Path) -> None:
    def draw(sheet: Any) -> None:
        axis = sheet.panels(1, 1)[0, 0]
        axis.plot(range(len(chances)), chances)
        scale_of_chances(axis, chances)

    axis = picture(draw, About("errors"), str(tmp_path / "p.png"), Look())
    assert axis.get_yscale() == scale
    low, high = axis.get_ylim()
    assert low <= min(chances) or scale != "linear"
    assert max(chances) <= high
