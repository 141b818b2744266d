"""The laws of noise and of data: one file of `families` is one law, and nothing else has to be changed to add one.

    facts.py       what a law declares; all that proofs read
    law.py         the law as a value: its facts, its functions of one number, its functions of arrays
    families/      the laws
    numbers.py     special functions of one number
    normal.py      the normal law on arrays
    variates/      random words, and standard variates made from them, as compiled kernels draw them

A file of `families` has `FACTS` and functions under the names of the fields of `law.Scalar` and `law.Arrays`. Those
that kernels call are pasted into them as text (`backends/kernels/runtime/collect.py`): they use `math`, each other,
`numbers` and `variates`, and nothing else. A law made from laws, or of sets, has facts only: each engine makes it from
its parts. What a law does not have it declares in `HOLES`, with the reason; tests/laws holds every law against every
engine.
"""
