"""Syntax errors. `diagnose` finds all errors of a text, `repair` looks for the smallest change with which the rest of
a statement can be read, and the other modules word one kind of error each. Nothing here is imported for a text
without one.
"""
