"""One step of a program, read once and evaluated for many states side by side.

`dependencies.py` finds the statements on which the stops depend, `integration_plan.py` decides how each noise is
integrated out, and `entries.py` lists the entries that the model draws. `body.py` evaluates the expressions of a step
on rows of states; `gates.py`, with `comparisons.py` and `cases.py`, turns a condition into bounds on the noises that
are not known. `ties.py` and the files that it imports decide when two computed numbers count as equal.
"""
