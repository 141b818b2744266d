"""Prints a kernel that makes 64 runs advance together, for specs that use numbers and draws only.

A lane is the place of one run. Each operation is a loop over the lanes that the processor vectorises, and each lane
that a finished run leaves is taken by a new run. Results are the same, bit for bit, as those of runs made one by one.
"""
