"""Certificates: the proofs of one check in a file, and their replay where nothing of the search is imported.

- `certificate.py`: what is in it
- `text.py`: certificate to text, byte for byte the same for the same check; text to certificate
- `classes.py`: which classes a text may name: those that the annotations of a certificate reach
- `fits.py`: whether a value is what an annotation says
- `write.py`, `read.py`: values to JSON and back; `formulas.py`, `numbers.py`: formulas and exact numbers
- `compare.py`: whether two models are the same in every part that is written
- `verify.py`: replays every derivation and says what is established; `words.py`: claims and bounds in words
"""
