"""A design as a program of the language."""
