"""The exact probability of one transcript: given all entries and everything that is shown, what the noises must do.

`stepper.py` writes a program's step as a Python function that follows a given transcript and yields facts about the
noises. `demands.py` turns these facts into linear conditions, and `follow.py` computes the probability of a whole
transcript from them with the room `integrals`. The search for witnesses and the replay of refutations rest on this
number. `fixed_streams` computes all transcripts of one given stream together.
"""
