"""The chain for programs whose one private number moves by increments that have a density.

The density of that number is kept by its values at Gauss-Legendre nodes on panels; one step is a matrix.
`private_number.py` and `increments.py` read the number and its increments from the program, `breakpoints.py` and
`panel_plan.py` place the panels, `moves.py` takes mass from the panels of a step to those of the next, `bands.py` has
the chances of the stops on them, and `mesh_chain.py` advances the density. `nystroem.py`, `wide_panels.py`,
`matrix_powers.py` and `quasi_stationary.py` treat many steps at once where that is possible.
"""
