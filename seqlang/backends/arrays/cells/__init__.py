"""Folds over time on arrays: what `sum(.. over ..)`, `previous` and `history` keep from step to step.

`cell` is the statement with all combinations of its binders, `kept` what each combination holds for all runs.
The meaning is the interpreter's (`backends/interpret/cells.py`)."""
