"""The law of (stopping step, return) where every entry is given and only the mechanism is random.

`walk.py` follows the program's states and notes what each outcome asks of the noises, `nodes.py` chooses the values at
which persistent noises are fixed, and `chances.py` puts numbers to it. The per-instance view in `analyses/draws`
compares the laws of neighbouring streams with it.
"""
