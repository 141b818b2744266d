"""The probability that independent noises satisfy a system of linear conditions.

All numbers are logarithms, so that a probability of 1e-300 keeps its digits. `linear_conditions.py` says what a system
is and how it falls apart into independent ones; `probability.py` chooses the rule: `one_noise.py` where every condition
reads one noise, `one_persistent.py` and `two_persistent.py` where one or two noises are shared by several steps.
"""
