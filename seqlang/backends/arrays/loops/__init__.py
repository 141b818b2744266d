"""Expressions with `for`, `OP(body for v in set where condition)`, on arrays.

`domains` finds the elements of the set; `quantified` folds the body over them one by one, or many at once with
`element_blocks` where the body acts on each number for itself."""
