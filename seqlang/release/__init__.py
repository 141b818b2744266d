"""Release on real private data: what was proved is what runs.

`exact` evaluates a program on integers and rationals, with noise drawn exactly; `ledger` keeps accounts of privacy and
every look that was released; `releasing` puts both together: the whole price is charged before a private value is read,
and every look is written before it is shown. Nothing here is shared with the engines of `run` and `solve`, nor with the
rules that proved the price.
"""
