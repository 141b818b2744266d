"""Pieces of pages that several panels show: the editor, claims, pictures."""
