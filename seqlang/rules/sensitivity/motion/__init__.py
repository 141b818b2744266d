"""By how much each quantity differs between two neighbours, step by step.

`entry` and `neighbours` say what may differ, `spreads` how far a function of one entry moves, `folds`, `records` and
`coordinates` how sums, folds and lists move, and `derive` puts these together for any expression. The proof rules read
the results through `shifts` (one quantity) and `moves` (several compared quantities together).
"""
