"""Tests that stop when a noisy statistic passes a noisy threshold.

    gaussian_two_ends  RDP (values that move by one constant)
    zhu_wang           RDP (values that move in any way), within a horizon
    mixed_gaussian     (epsilon, delta), for any number of steps
    shared_noise       RDP of two ends that share a noise
    concentrated       zCDP (values that move by one constant)

Nothing is offered where nothing applies. The conclusion names the gates covered: every comparison with one noise drawn
once and one drawn in each step, after which the run ends; other gates of the program need bounds of their own
(`composition`). `horizon` None: only bounds for any number of steps. Where the bound is free of the horizon the
conclusion's horizon is None although one was given. The first two use ends that share no noise; where both apply the
first is never larger. Public gates are joined by `composition/post_processing`.
"""
