"""Exact rationals, formulas over named constants, intervals and rounding to the safe side. Import from `.formula`."""
