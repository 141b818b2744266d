"""The chance of each stop at one step, and what a stop returns.

`chances.py` treats programs that do nothing but stop: it makes a table of chances by stop, node of the persistent
noises and row of plain values. `outcomes.py` reads what stops return, and `watched.py` evaluates the expressions that a
caller wants averaged over the stops.
"""
