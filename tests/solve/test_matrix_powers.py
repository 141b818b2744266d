"""Wide panels for smooth densities against the panels they replace, and nodes of two Laplace noises by difference."""

from __future__ import annotations

import numpy as np
import pytest

import seqlang
from seqlang.backends.one_thread import one_thread
from seqlang.backends.solve.mesh.laplace_pairs import laplace_pair_rule
from seqlang.backends.solve.mesh.wide_panels import Places, _ends, _widths
from seqlang.backends.solve.recursion import follow
from seqlang.backends.solve.solve import solve
from seqlang.backends.solve.spaces import space_of
from seqlang.backends.solve.unsolved import Unsolved

TEXT = """\
algorithm a "a"
stream x in [-1, 1]
model centred: x ~ uniform(-1, 1)
statistic total = sum(x over steps)
stop when total >= 4 return high
stop when total <= -5 return low
draw z ~ laplace(1) once
attach z to a, b
attach laplace(1) to total
"""

NOISES = "attach laplace(1) to total once\n"


def test_wide_panels_give_the_same_law() -> None:
    text = TEXT.replace("stop when total >= 4", "stop when total >= b").replace("total <= -5", "total <= a")
    text = text.replace("stream x", "param a = -5\nparam b = 4\nstream x", 1)
    program = seqlang.load(text).loaded.program
    assert program is not None
    space = space_of(program, "centred")
    assert space.unforced is not None
    with one_thread():
        plain, powered = follow(space.make(1)), follow(space.unforced(1))
    steps = min(len(plain.table), len(powered.table))
    assert np.abs(plain.table[:steps] - powered.table[:steps]).sum() < 2e-7
    assert powered.steps == pytest.approx(plain.steps, rel=1e-7)


def test_a_law_of_which_nothing_is_known_is_refused() -> None:
    """With so little work no second order of quadrature can be compared: the error would be 1."""
    program = seqlang.load(TEXT.replace("draw z ~ laplace(1) once\nattach z to a, b\n", NOISES)).loaded.program
    assert program is not None
    with pytest.raises(Unsolved, match="nothing is known of the error"):
        solve(program, "centred", work=1e5)


def test_panels_that_are_far_too_many_are_not_listed() -> None:
    """A walk with tiny steps beside the noise: some 1e13 panels, refused before a list of them is made."""
    program = seqlang.load(TEXT.replace("draw z ~ laplace(1) once\nattach z to a, b\n", NOISES)).loaded.program
    assert program is not None
    chain = space_of(program, "centred").make(0)
    one = np.ones(1)
    places = Places(
        increments=chain.increments, jumps=np.zeros((1, 0)), kinks=np.array([[-5.0, 4.0]]), low=-one, high=one,
        room=4.0, width=1e-12, widest=3.0, count=8, weights=one, chances=lambda points, theta: points, mixing=one,
    )  # fmt: skip
    assert _ends(places) is None


def test_nodes_that_share_their_cuts_share_their_width() -> None:
    """A rare node may have wide panels, but not where a common one has the same distances between its cuts."""
    program = seqlang.load(TEXT.replace("draw z ~ laplace(1) once\nattach z to a, b\n", NOISES)).loaded.program
    assert program is not None
    chain = space_of(program, "centred").make(0)
    kinks = np.array([[-5.0, 4.0], [-4.0, 5.0], [-5.0, 9.0], [-5.0, 99.0]])
    weights = np.array([1.0, 1e-16, 1e-16, 1e-300])
    places = Places(
        increments=chain.increments, jumps=np.zeros((4, 0)), kinks=kinks, low=kinks[:, 0], high=kinks[:, 1],
        room=4.0, width=0.5, widest=3.0, count=8, weights=weights, chances=lambda points, theta: points,
        mixing=np.ones(1),
    )  # fmt: skip
    assert _widths(places).tolist() == pytest.approx([0.5, 0.5, 3.0, 3.0])


@pytest.mark.parametrize("scales", [(1.0, 1.0), (2.0, 2.0), (1.0, 1.5)])
def test_nodes_by_difference(scales: tuple[float, float]) -> None:
    u, v, weights = laplace_pair_rule(*scales, level=2)
    assert weights @ (u * u) == pytest.approx(2 * scales[0] ** 2, rel=1e-8)
    assert weights @ np.abs(v) == pytest.approx(scales[1], rel=1e-8)
    assert weights @ (u * v) == pytest.approx(0.0, abs=1e-8)


@pytest.mark.long
@pytest.mark.filterwarnings("error")
def test_no_number_comes_from_panels_on_which_the_density_explodes() -> None:
    """Powers of their matrix grow without bound; the law had chances between 0 and 1, and an error that was none."""
    spec = seqlang.load("@zhang2022/privsprt_gaussian", gap=0.5, A=0.5, eps=0.1032, a=100, b=100)
    with pytest.raises(seqlang.SpecError, match="nothing is known of the error"):
        seqlang.solve(spec, model="null", tolerance=1e-6)
