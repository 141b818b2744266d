"""Specs in cells of a notebook: `%load_ext seqlang`, then `%%seq`. Needs IPython, which brings it in."""
