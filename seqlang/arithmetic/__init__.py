"""Numbers that can be trusted in a proof: exact rationals, formulas over named constants, intervals, and float
operations that round to a known side. `formula` is the door to formulas; `ratios` is the normal form behind their
simplification and comparison.
"""
