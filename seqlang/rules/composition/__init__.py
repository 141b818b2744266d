"""Bounds of several sets of gates into one for all of them. Rules that put several together check `side_by_side`:
disjoint gates, and no noise in two parts.

    basic              pure -> pure; pure and (epsilon, delta) -> (epsilon, delta)
    advanced           pure -> (epsilon, delta), in closed form
    optimal            pure -> (epsilon, delta), never above `advanced` for equal epsilons
    renyi              RDP of one order
    concentrated       zCDP
    post_processing    adds the public gates; `at_lower_order`: an RDP bound at a lower order
    hypothetical_transcript   leaves out hidden choices that the bound pays for
    group_privacy      K entries (`adjacent replace K`) from `single(program)`, the same program with one changed entry
    every_algorithm    (0, 1)-DP, which says nothing
"""
