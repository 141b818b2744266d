"""Compiles the text of a kernel with numba and keeps the machine code on disk.

A kernel is found again by the hash of its whole text, so that what is kept is never out of date. Kernels that have not
been used for long are deleted.
"""
