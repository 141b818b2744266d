"""Formulas as ratios of polynomials over opaque atoms, in which equal formulas become the same and common factors
cancel. `normal` brings a formula into this form and `written` brings it back; `signs` proves signs for all values of
the names, which is how two formulas are compared.
"""
