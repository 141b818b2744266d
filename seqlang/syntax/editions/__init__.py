"""Editions of the language: a file goes on meaning what it meant when it was written. What a later edition writes
otherwise is a rewrite of tokens; by it older files are read, and `seqlang fmt --upgrade` changes them.
"""
