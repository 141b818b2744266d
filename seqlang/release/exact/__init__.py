"""Exact runs of a program: integers and rationals from the data to the noisy release, no floating-point number before
it. What is computed from released values (logarithms, densities) is enclosed with as many digits as its use needs."""
