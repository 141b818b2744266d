"""Claims on error rates, expected steps and stopping, decided by the exact law of the program. `almost_surely` proves
by the law of large numbers that a run ends, without computing a law, and `possible` tells whether a chance that came
out as 0 is 0 or too small for floats.
"""
