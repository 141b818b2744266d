"""What stands before the first step: parameters, inputs with their domains, the laws that models give them, and which
inputs count as neighbours. `declarations` goes through the file in order and calls the module of each statement.
Nothing here reads a noise or a step.
"""
