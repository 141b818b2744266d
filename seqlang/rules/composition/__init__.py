"""Bounds of several sets of gates into one for all of them. Every rule here checks `concurrent.together`: disjoint
gates, and no noise in two parts. What the search calls (None where the parts cannot be put together):

    basic.suggest(program, parts)               pure -> pure; pure and (epsilon, delta) -> (epsilon, delta)
    advanced.suggest(program, parts, delta)     pure -> (epsilon, delta), closed form
    optimal.suggest(program, parts, delta)      pure -> (epsilon, delta), never above `advanced` for equal epsilons
    renyi.suggest(program, parts)               RDP of one order
    concentrated.suggest(program, parts)        zCDP
    post_processing.suggest(program, part)      adds the public gates
    post_processing.at_lower_order(part, order) an RDP bound at a lower order
    hypothetical_transcript.suggest(program, part)   leaves out hidden choices that the part pays for
    group_privacy.single(program)               the program with one changed entry: prove it, then
    group_privacy.suggest(program, part)        K entries (`adjacent replace K`), part being a derivation for `single`
    group_privacy.suggest_renyi(program, parts, order)   the same for RDP, from bounds at several orders
    every_algorithm.derivation(program)         (0, 1)-DP, which says nothing
"""
