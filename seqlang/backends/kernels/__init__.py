"""The compiled engine: a program becomes the source of one numba kernel, compiled once and kept on disk.

`lowering` turns the program into `operations` on named variables of one run. They are printed as Python text twice:
`one_by_one` makes one run after the other, `lanes` makes 64 runs advance together. `compiling` turns text into machine
code, `runtime` holds the functions that kernels call, and `runs` and `training` call the kernels.
"""
