"""Composition of unlike mechanisms at a delta, numerically tight and surely an upper bound. numpy is imported when a
number is asked for.

    parts.py           what is composed: pairs of laws that dominate a mechanism, and how often
    losses.py          the privacy loss of one part on a grid, from above
    compose.py         the sum of the losses by Fourier transform, with every error bounded
    search.py          epsilon at a delta, delta at an epsilon
"""
