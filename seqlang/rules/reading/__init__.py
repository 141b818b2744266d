"""What the public part of a program says of its runs: which inputs and noises an expression reads, how many steps a run
has, in how many of them a report is made or a guard holds, and what it costs to translate a noise.

Every rule reads a program through these functions. None of them looks at private values, so all that they say holds
on both of two neighbours.
"""
