"""The compiled engine: a program becomes the source of one numba kernel, compiled once and kept on disk."""
