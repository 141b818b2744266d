"""The operators and functions of the language, each described in one entry. Read them from `catalogue`."""
