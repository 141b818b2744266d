"""Weak privacy, decided exactly: the law of the transcript given one entry, the other entries drawn from the model.
`verdict` decides a claim, `summary` computes the curve of delta and the least epsilon.
"""
