"""Certificates: the proofs of one check in a file, and their replay where nothing of the search is imported.

certificate.py    what is in it
text.py           certificate -> text, byte for byte the same for the same check; text -> certificate
classes.py        which classes a text may name: those that the annotations of a certificate reach
fits.py           whether a value is what an annotation says
write.py, read.py values to JSON and back
formulas.py       formulas to JSON and back
verify.py         replays every derivation and says what is established, and what is left to trust
"""
