"""Designs of private sequential tests: from two hypotheses, error rates and a privacy budget to the best test.

Data are looked at in blocks: an entry enters one block, and a finished block's sum is released with noise. `problem`
says what is asked for, `data` what an entry may be and how it is read, `entry` and `mechanism` what a block shows,
`blocks` what it scores; a `policy` chooses block sizes by score, `pricing` finds the best one where errors have prices,
`evaluation` is its exact law, `master` and `search` mix policies so that both errors hold; `spec_text` writes the
result in the language, and `verification` lets `check`, `solve` and `run` speak about it. `find` does all of it."""
