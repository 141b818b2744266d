"""Whether a chance that is computed as 0 is 0, or only too small for floats."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.analyses.faint import draws_are_clear, law_is_clear, model_is_clear
from seqlang.laws.facts import facts
from seqlang.model.expression import Law
from seqlang.model.program import Noise, Program

CLEAR = 1e-100
"""A density of at least this, times a scale, at both ends of a conditioned law: nothing inside is too small."""
TOGETHER = 1e-200
"""A product of chances of at least this is no float 0, also when it is multiplied by those of a few flips and draws."""


def zeros_are_exact(program: Program, model: str, *, whole: bool = False) -> bool:
    """Whether the chances of all noises and choices, and of the entries under the model, vanish only outside their
    supports, and their products too: a Gaussian conditioned on [-100, 100] is bounded, and its chance to exceed 60 is 0
    to floats all the same; so is the chance of tails of a coin of bias 1 - 1e-20, and that of two rare coins together.
    `whole`: noises on all whole numbers are not looked at."""
    noises = [noise for noise in program.noises if not (whole and _is_on_whole_numbers(noise))]
    clear = all(_is_clear(program, noise) for noise in noises)
    clear = clear and draws_are_clear(program) and model_is_clear(program, model)
    return clear and _products_are_clear(program, model, noises)


def _is_on_whole_numbers(noise: Noise) -> bool:
    return isinstance(noise.law, Law) and facts(noise.law.family).support == "whole numbers"


def _products_are_clear(program: Program, model: str, noises: Sequence[Noise]) -> bool:
    """Whether the rarest entry, together with the rarest value of every listed noise, has a chance that is no float
    0."""
    from seqlang.backends.solve.noises.laws import noise_laws
    from seqlang.backends.solve.step.entries import entries
    from seqlang.backends.solve.unsolved import Unsolved

    try:
        least = min(entry.chance for entry in entries(program, model)[0])
    except Unsolved:  # a density, or a law that reads memory: `model_is_clear` has looked at it
        least = CLEAR
    laws = noise_laws(program)
    for noise in noises:
        law = laws.get(noise.name)
        if law is not None and law.discrete:
            least *= float(law.atoms()[1].min())
    return least >= TOGETHER


def _is_clear(program: Program, noise: Noise) -> bool:
    if not isinstance(noise.law, Law):
        return law_is_clear(program, noise.law)
    if noise.law.family != "conditioned":
        return not facts(noise.law.family).underflows
    import numpy as np

    from seqlang.backends.solve.noises.laws import noise_laws

    law = noise_laws(program).get(noise.name)
    if law is None or law.discrete:
        return False
    low, high = law.support
    inside = np.array([low + 1e-9 * (high - low), high - 1e-9 * (high - low)])
    return bool(np.all(law.density(inside) * law.scale >= CLEAR))
