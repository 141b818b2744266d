"""Tests that stop when a noisy statistic passes a noisy threshold. What the search calls:

    gaussian_two_ends.suggest(program, orders, horizon) -> tuple[Derivation, ...]   RenyiBound an order (uniform shifts)
    zhu_wang.suggest(program, orders, horizon)          -> tuple[Derivation, ...]   RenyiBound an order (any shift)
    mixed_gaussian.suggest(program, delta)              -> tuple[Derivation, ...]   one ApproximateBound, no horizon
    shared_noise.suggest(program, orders, horizon)      -> tuple[Derivation, ...]   two ends that share a noise
    concentrated.suggest(program, horizon)              -> tuple[Derivation, ...]   ConcentratedBound (uniform shifts)

All are empty where nothing applies. The conclusion names the gates covered: every comparison with one noise drawn once
and one drawn in each step, after which the run ends; other gates of the program need bounds of their own
(`composition`). `horizon` None: only bounds for any number of steps. Where the bound is free of the horizon the
conclusion's horizon is None although one was given. The first two use ends that share no noise; where both apply the
first is never larger. Public gates are joined by `composition/post_processing`.
"""
