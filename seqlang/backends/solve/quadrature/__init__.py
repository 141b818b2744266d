"""Quadrature over the noises that persist from step to step.

The chance of what a run does is an integral over these noises. `grid.py` makes the nodes and weights for all of them by
the rule in `nodes.py`; the other files find the planes in the space of these noises at which the integrand has a kink
or rises steeply, so that the rule can be split there.
"""
