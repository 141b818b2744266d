"""What compiled kernels call: random words, samplers, densities and special functions, written as plain Python.

A kernel's file holds everything that it needs, so these functions are pasted into it. `collect.source_of` finds them:

- The modules here, in `seqlang.laws.variates` and `seqlang.laws.numbers` hold functions and constants at the top level,
  under names that are unique among them. They import nothing but `math`, `numpy as np` and each other.
- The functions of the laws come from `seqlang.laws.families`, renamed (`families.py`).
- A function calls another one, or reads a constant, by its bare name. A constant is a number, or an array made by a
  function, `WIDTHS = tables_widths()`. What a constant's value calls is run once, by Python, when the kernel's file is
  imported; everything else is compiled.
- No compiled function makes an array (they are compiled without reference counts); it may fill one.
- Words are np.uint64 throughout: in compiled code an operation of a uint64 and an int64 is a float64.

A stream `s` is an array of four words (`words.py`). `sample_LAW(s, ..)` draws one number, as float64; it is NaN where
`valid_LAW(..)` is false of the same arguments, and no word is used up then. `from_variate_LAW(z, ..)` makes one of a
standard variate, for valid arguments. A law's other functions are `pdf_LAW` or
`pmf_LAW`, `cdf_LAW`, `quantile_LAW`; they expect valid arguments.
"""
