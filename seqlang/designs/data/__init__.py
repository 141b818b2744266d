"""What an entry may be: a coin, or any law of one number that is read as one of a few levels.

`data_law` is a law as the language has it; a reading of `readings` says how an entry becomes a level; `choose` finds
the best one by the figures of `coarse`."""
