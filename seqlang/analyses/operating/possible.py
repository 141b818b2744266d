"""Whether a chance that is computed as 0 is 0, or only too small for floats."""

from __future__ import annotations

from seqlang.analyses.faint import draws_are_clear, law_is_clear, model_is_clear
from seqlang.laws.facts import facts
from seqlang.model.expression import Law
from seqlang.model.program import Noise, Program

CLEAR = 1e-100
"""A density of at least this, times a scale, at both ends of a conditioned law: nothing inside is too small."""


def zeros_are_exact(program: Program, model: str) -> bool:
    """Whether the chances of all noises and choices, and of the entries under the model, vanish only outside their
    supports: a Gaussian conditioned on [-100, 100] is bounded, and its chance to exceed 60 is 0 to floats all the
    same; so is the chance of tails of a coin of bias 1 - 1e-20."""
    clear = all(_is_clear(program, noise) for noise in program.noises)
    return clear and draws_are_clear(program) and model_is_clear(program, model)


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
