"""Accounts of privacy that forget nothing: a chain of entries to which only the end is added.

`entry` is one row and its place in the chain, `store` keeps rows (SQLite; `postgres` for teams), `inode` says which
file that is and who has it, `budget` says what fits an account, `state` is what the rows mean, `book` says which may be
added.
"""
