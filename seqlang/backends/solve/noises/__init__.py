"""The laws of one number that noises have, as numpy functions.

Every law is a `ScalarLaw`: it answers with tails, densities, quantiles and points for whole arrays of places at once.
`laws.py` reads the laws of a program's noises and adds independent ones up; the other files are the kinds of laws that
come out (laws of a named family, laws on points, sums in closed form, sums by quadrature), with the Gauss rules for
them.
"""
