"""What is certain about the law of (stopping step, return): probabilities that every run of the program has at least.

`solve` computes this law as well as it can, and says how large the error seems to be: that is an estimate. Here every
number is a bound that holds. A claim is proved or refuted by these bounds only.
"""
