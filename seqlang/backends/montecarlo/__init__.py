"""Simulates many runs of a program under a model and summarises their outcomes.

An engine (`by_numpy`, `by_interpreter`, or a compiled kernel) computes runs in successive chunks; `drive` calls it, in
threads where it can use them; `tally` keeps counts, moments and histograms in bounded memory. `simulate` is the entry.
"""
