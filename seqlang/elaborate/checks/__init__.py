"""Checks on a program that has been translated. `fit` and `undefined` report errors: a noise that does not suit what
it is attached to, and constants that have no value. `lints` and `privacy_lints` warn of what is legal and probably
not meant.
"""
