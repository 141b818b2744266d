"""What is known of a program before anything moves: what its names stand for, what its constants are worth, and which
expressions are numbers and which are lists.

Everything here is computed from the program and its parameter values alone. A constant is worked out exactly, as a
formula over the parameters; whatever cannot be decided at the program's parameter values gives None.
"""
