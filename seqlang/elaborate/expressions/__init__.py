"""Expressions of the tree become typed expressions of the model. Each module translates some kinds of tree nodes and
enters its functions in `HANDLERS` of `elaborate.state`; `readings` decides what a name stands for where it is read,
and `cells` gives every accumulator a place in the step at which it is updated. `levels` and `public` decide who may
know a value.
"""
