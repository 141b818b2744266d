"""The laws of a program while a kernel is written: what they are, how they are drawn from, and their densities.

`forms` are the kinds of law, `expressions` reads them from a program, `drawing` and `densities` write calls of the
functions in `kernels/runtime` and `seqlang.laws`.
"""
