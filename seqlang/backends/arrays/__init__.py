"""Compiles a program to functions on numpy arrays, which hold the values of many runs side by side.

`compiler` turns an expression into a function of a `Frame` (the runs that are evaluated); `cells`, `noises` and
`inputs` keep what runs remember, draw and read; `engine` executes the statements of a step. Simulation, exact solving,
rare events and training all evaluate expressions with this room, and it imports none of them.
"""
