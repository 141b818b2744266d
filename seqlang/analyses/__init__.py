"""Searches over a program and what they conclude. `prove` searches derivations with the rules, `refute` searches
pairs of inputs that violate a claim, and `claims` turns what both found into verdicts. `trials`, `audit` and
`contradictions` compare what independent parts say of the same quantity.
"""
