"""One bound into another of the same gates; what into what, the files' names say.

`showings_to_approximate` takes a pure bound apart into the showings that it pays for (optimal composition),
`gaussians_to_approximate` a zCDP bound into Gaussian releases (exact profile). `curves_to_approximate` (RDP curves at
the best order) and `losses_to_approximate` (losses added up as laws) look through a bound at what it is made of
(`ingredients.py`), not at its number. An RDP bound at another order: `composition/post_processing`.
"""
