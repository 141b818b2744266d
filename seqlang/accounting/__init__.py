"""Privacy accounting: curves, composition and conversion as pure functions of numbers.

Losses are in nats. Every function that returns an upper bound rounds up, every one that returns a lower bound rounds
down; nothing is returned to the nearest. Arguments out of range raise `ValueError` with the argument's name.

    pure.py            pure epsilon: basic composition, groups
    advanced.py        composition of unlike pure mechanisms in closed form (Kairouz, Oh & Viswanath)
    homogeneous.py     optimal composition of k equal mechanisms (Kairouz, Oh & Viswanath)
    gaussian.py        the Gaussian mechanism: profile, epsilon, calibration (Balle & Wang)
    subsampled_gaussian.py  RDP of Gaussian releases of a sum over a Poisson sample
    renyi.py           RDP curves of mechanisms; addition, groups
    concentrated.py    zCDP
    conversion.py      RDP to (epsilon, delta)
    group.py           k entries instead of one
    numeric/           unlike mechanisms added up as laws of their losses, by Fourier transform
    noisy_test/        tests that stop when a noisy statistic passes a noisy threshold
"""
