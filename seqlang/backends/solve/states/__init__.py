"""The chain for programs whose data have finitely many values: every state that occurs is listed.

`explored_chain.py` advances all states by one step: a `Batch` of rows passes through the compiled statements of
`statements.py`, and `end_of_step.py` merges the rows that have become equal. `closed_form.py` solves linear equations
for all later steps where nothing depends on the step any more, and `kinks.py` follows the first steps to find planes
for the quadrature.
"""
