"""Tests that stop when a noisy statistic first passes a noisy threshold: a sharp bound for each direction of the
change.

One end of a test: look n = 1, 2, .. stops the run iff value_n + (persistent noise) + (fresh noise of look n) >= 0. Its
output is the stopping time, or "never". Data that differ in one entry move value_n; in the *uniform* class they add one
constant c, |c| <= D, to every value from the entry's look on, and nothing before. "Up" is a move that makes stopping
likelier (c > 0), "down" one that makes it less likely.

    threshold.py   up: only the persistent noise is paid for (any fresh noise, any horizon)
    looks.py       down: only the fresh noise at the stop is paid for; with Gaussian noise the price grows with the
    looks
    mixed.py       Gaussian threshold, Laplace or exponential looks: (epsilon, delta) without a horizon
    shared.py      two ends that share a noise
    zhu_wang.py    the general bound (any class of moves), both directions at once

mu is always sensitivity / standard deviation of the noise concerned.
"""
