"""Turns a program into the operations of a kernel.

`program` declares the variables and strings the parts together; `statements` goes through the statements of a step.
`expressions` and `operators` turn expressions into texts of scalar computations, which `writer` puts into blocks.
`scope` holds what they share while one kernel is written. What a kernel cannot do raises `CannotCompile`, and numpy or
the interpreter runs the program instead.
"""
