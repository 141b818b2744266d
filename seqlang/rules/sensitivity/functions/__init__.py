"""What an expression is as a function of one part of itself: how steep, monotone, convex or piecewise constant it is.

All other parts stay fixed at any values. What is derived here turns a bound of how far the part moves into a bound of
how far the whole moves.
"""
