"""The statements of a step. `noises` finds every draw with its law and what it is added to; `body` then translates
the statements in order and places each accumulator before the first statement that reads it.
"""
