"""Every law in every engine: what a law does not have there it declares, and what it declares is so.

The reference is the law's function of one number, which test_functions compares with mpmath and scipy.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from families import IN_NUMBERS, arguments_of, places
from scipy import stats

from seqlang.backends.arrays import laws as arrays
from seqlang.backends.arrays.streams import Source, Streams
from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.interpret.laws import make_law
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.kernels.runtime.collect import names as pasted
from seqlang.backends.kernels.runtime.collect import source_of
from seqlang.backends.solve.noises.laws import law_of
from seqlang.backends.transcript.integrals.noise_laws import of_family
from seqlang.laws.facts import facts, names
from seqlang.laws.law import law
from seqlang.source import NOWHERE

DRAWS = 3000


class Missing(Exception):
    """The engine has not got it."""


def method(name: str) -> str:
    return "pmf" if facts(name).kind == "points" else "pdf"


def follows(draws: Any, name: str) -> None:
    """Kolmogorov and Smirnov's bound for a level of 1e-6; it is wider than needed for laws on points."""
    cdf = law(name).scalar.cdf
    assert cdf is not None
    found = np.sort(np.asarray(draws, float))
    at, counts = np.unique(found, return_counts=True)
    theirs = np.array([cdf(x, *arguments_of(name)) for x in at])
    assert np.max(np.abs(np.cumsum(counts) / len(found) - theirs)) < math.sqrt(math.log(2 / 1e-6) / (2 * len(found)))


def interpreter_draw(name: str) -> None:
    made, random = make_law(name, arguments_of(name), NOWHERE), Random(name)
    follows([made.sample(random) for _ in range(DRAWS)], name)


def interpreter_function(what: str) -> Callable[[str], None]:
    def check(name: str) -> None:
        made = make_law(name, arguments_of(name), NOWHERE)
        agrees(name, what, [getattr(made, method(name) if what == "density" else what)(x) for x in places(name)])

    return check


def numpy_draw(name: str) -> None:
    made = arrays.make(name, *arguments_of(name))
    follows(made.sample(Source(Streams(3, np.arange(DRAWS), "noise"), None), ()), name)


def numpy_function(what: str) -> Callable[[str], None]:
    def check(name: str) -> None:
        made = arrays.make(name, *arguments_of(name))
        try:
            found = getattr(made, method(name) if what == "density" else what)(np.array(places(name)))
        except CannotVectorise as why:
            raise Missing from why
        agrees(name, what, found)

    return check


def numpy_quantile(name: str) -> None:
    made = arrays.make(name, *arguments_of(name)).quantile(np.array([1e-9, 0.2, 0.5, 0.9]))
    quantile = law(name).scalar.quantile
    if made is None:
        raise Missing
    assert quantile is not None
    np.testing.assert_allclose(made, [quantile(p, *arguments_of(name)) for p in (1e-9, 0.2, 0.5, 0.9)], atol=1e-14)


def as_python(*wanted: str) -> dict[str, Any]:
    """The text that kernels paste, run by Python."""
    if not set(wanted) <= pasted():
        raise Missing
    scope: dict[str, Any] = {"njit": lambda **_: lambda function: function}
    exec(source_of(wanted).replace("from numba import njit\n", ""), scope)
    return scope


def compiled_draw(name: str) -> None:
    """From a standard variate of one word, or by a function of the law's own."""
    kind, given = law(name).variate, arguments_of(name)
    draw = f"sample_{name}" if kind is None else f"from_variate_{name}"
    scope = as_python(draw, "seed_stream", "next_word", *([] if kind is None else [f"{kind}_of_word"]))
    stream = np.empty(4, np.uint64)
    with np.errstate(over="ignore"):
        scope["seed_stream"](stream, np.uint64(11), 0)
        words = (stream if kind is None else scope[f"{kind}_of_word"](scope["next_word"](stream)) for _ in range(500))
        follows([scope[draw](word, *given) for word in words], name)


def compiled_function(what: str) -> Callable[[str], None]:
    def check(name: str) -> None:
        called = f"{method(name) if what == 'density' else what}_{name}"
        scope = as_python(called)
        agrees(name, what, [scope[called](x, *arguments_of(name)) for x in places(name)])

    return check


def solve(name: str) -> None:
    made, scalar, given = law_of((name, *arguments_of(name))), law(name).scalar, arguments_of(name)
    if made is None:
        raise Missing
    assert scalar.density is not None and scalar.cdf is not None
    for x in places(name):
        assert float(made.below(x)) == pytest.approx(scalar.cdf(x, *given), rel=1e-11, abs=1e-300)
        assert float(made.density(x)) == pytest.approx(scalar.density(x, *given), rel=1e-11, abs=1e-300)
        assert float(made.above(x, True)) == pytest.approx(1 - scalar.cdf(x, *given), abs=1e-14)
    assert made.support[0] <= made.centre <= made.support[1] and made.scale > 0


def transcript(name: str) -> None:
    made, scalar, given = of_family(name, *arguments_of(name)), law(name).scalar, arguments_of(name)
    if made is None:
        raise Missing
    assert scalar.density is not None and scalar.cdf is not None
    for x in places(name):
        assert math.exp(made.log_density(x)) == pytest.approx(scalar.density(x, *given), rel=1e-11, abs=1e-300)
        assert math.exp(made.log_below(x)) == pytest.approx(scalar.cdf(x, *given), rel=1e-11, abs=1e-300)
        inside = math.exp(made.log_between(x, math.inf)) - math.exp(made.log_above(x))
        assert inside == pytest.approx(0, abs=1e-15)


def quantile(name: str) -> None:
    scalar, given = law(name).scalar, arguments_of(name)
    if scalar.quantile is None:
        raise Missing
    assert scalar.cdf is not None and scalar.upper is not None
    for p in (1e-12, 0.2, 0.5, 0.9):
        assert scalar.cdf(scalar.quantile(p, *given), *given) == pytest.approx(p, rel=1e-9)
        assert scalar.upper(p, *given) == pytest.approx(scalar.quantile(1 - p, *given), rel=1e-3, abs=1e-12)


def translation(name: str) -> None:
    if facts(name).translation is None:
        raise Missing


ENGINES: dict[str, Callable[[str], None]] = {
    "interpreter draw": interpreter_draw,
    "interpreter density": interpreter_function("density"),
    "interpreter cdf": interpreter_function("cdf"),
    "numpy draw": numpy_draw,
    "numpy density": numpy_function("density"),
    "numpy cdf": numpy_function("cdf"),
    "numpy quantile": numpy_quantile,
    "compiled draw": compiled_draw,
    "compiled density": compiled_function("density"),
    "compiled cdf": compiled_function("cdf"),
    "solve": solve,
    "transcript": transcript,
    "quantile": quantile,
    "translation": translation,
}


def agrees(name: str, what: str, found: Any) -> None:
    function = getattr(law(name).scalar, what)
    assert function is not None
    wanted = [function(x, *arguments_of(name)) for x in places(name)]
    np.testing.assert_allclose(np.asarray(found, float), wanted, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("name", IN_NUMBERS)
def test_a_law_is_in_each_engine_or_says_why_not(name: str) -> None:
    for engine, asked in ENGINES.items():
        try:
            asked(name)
        except Missing:
            assert law(name).holes.get(engine), f"{name} has no {engine} and its file does not say why (HOLES)"
        else:
            assert engine not in law(name).holes, f"{name} has {engine}: its file says that it has not"


def test_holes_are_of_engines() -> None:
    for name in names():
        known = set(ENGINES) if name in IN_NUMBERS else {"numbers"}
        assert set(law(name).holes) <= known, name
        assert name in IN_NUMBERS or "numbers" in law(name).holes


@pytest.mark.parametrize("name", IN_NUMBERS)
def test_arguments_that_are_no_parameters_are_refused_everywhere(name: str) -> None:
    given = tuple(math.nan for _ in arguments_of(name))
    assert not law(name).scalar.valid(*given)
    with pytest.raises(EvaluationError, match=re.escape(f"{name} needs {law(name).needs}")):
        make_law(name, given, NOWHERE)
    with pytest.raises(EvaluationError, match=re.escape(f"{name} needs {law(name).needs}")):
        arrays.make(name, *(np.array([a, math.nan]) for a in arguments_of(name)))
    assert not as_python(f"valid_{name}")[f"valid_{name}"](*given)  # a kernel asks before it draws


def test_a_draw_of_numpy_has_the_runs_own_parameter() -> None:
    """Half of the runs have another argument."""
    which = np.arange(DRAWS) < DRAWS // 2
    made = arrays.make("logistic", np.where(which, 1.0, 5.0)).sample(
        Source(Streams(1, np.arange(DRAWS), "noise"), None), ()
    )
    assert stats.kstest(made[~which], stats.logistic(scale=5).cdf).pvalue > 1e-4
    assert stats.kstest(made[which], stats.logistic(scale=1).cdf).pvalue > 1e-4
