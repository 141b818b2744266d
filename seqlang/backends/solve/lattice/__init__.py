"""The chain for programs whose state is one sum of discrete increments, or several that move together.

The sums lie on a lattice, so that a state is one whole number. `lattice_chain.py` advances the mass on it,
`increments.py` finds the lattice, and `chance_tables.py` keeps the chances of the stops at its points.
`backward_pass.py` and `closed_form.py` treat many steps at once where nothing depends on the step.
"""
