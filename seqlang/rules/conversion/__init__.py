"""One bound into another of the same gates. What the search calls (all return None or () where they do not apply):

    pure_to_concentrated.suggest(program, part)                 -> Derivation | None
    pure_to_renyi.suggest(program, part, orders)                -> tuple[Derivation, ...]
    pure_to_approximate.suggest(program, part, delta)           -> Derivation | None
    concentrated_to_renyi.suggest(program, part, orders)        -> tuple[Derivation, ...]
    concentrated_to_approximate.suggest(program, part, delta)   -> Derivation | None   (searches the best order)
    showings_to_approximate.suggest(program, part, delta)       -> Derivation | None   (optimal composition)
    gaussians_to_approximate.suggest(program, part, delta)      -> Derivation | None   (exact profile)
    renyi_to_approximate.suggest(program, parts, delta)         -> Derivation | None   (parts: one per order)
    curves_to_approximate.suggest(program, parts, delta)        -> Derivation | None   (RDP curves at the best order)
    losses_to_approximate.suggest(program, parts, delta)        -> Derivation | None   (losses added up as laws)

The last two look through a bound at what it is made of (`ingredients.py`), not at its number. The epsilon of an RDP
bound as a claim at another order: `composition/post_processing` (a bound at a higher order).
"""
