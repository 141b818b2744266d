"""Random expressions and programs near their jumps, and an evaluator of their exact values that shares no code with the
project: fractions, and mpmath with 80 digits for numbers that are not rational."""
