"""Learning from rows, as the page asks for it: which rows, what is learnt from them, and the figures of it."""
