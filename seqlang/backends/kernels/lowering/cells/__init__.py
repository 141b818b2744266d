"""The values that a kernel keeps from one step to the next: folds over time, windows, and values of earlier steps.

`choice` selects the class of a cell; each class declares variables of the kernel and writes how they are updated.
"""
