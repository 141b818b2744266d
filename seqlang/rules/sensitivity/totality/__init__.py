"""Whether every step of a program has a value whatever the data are.

An operation without a value (a division by zero, a position outside of its list) ends a run, so an operation that fails
on one of two neighbours only tells them apart. `values.obstacle` names the first such operation of a program, and no
rule bounds the privacy of a program that has one.
"""
