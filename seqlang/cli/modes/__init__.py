"""What an option makes of a command: `run --rare`, `run --data` with training, `check --solve-for`, and sweeps of
`run` and `solve` over many settings. Each module holds the part of the command that only this option needs, so that
it is imported only then.
"""
