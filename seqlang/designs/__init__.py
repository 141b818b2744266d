"""Designs of private sequential tests: from two hypotheses, error rates and a privacy budget to the best test.

Data are looked at in blocks: an entry enters one block, and a finished block's sum is released with noise. `problem`
says what is asked for, `data` what an entry may be and how it is read, `blocks` what a block shows and scores, policies
over block sizes and their exact laws; `search` finds the best policy where errors have prices, and mixes policies so
that both errors hold; `bounds` says what no test can do better; `written` is the result in the language, and
`verification` lets `check`, `solve` and `run` speak about it. `find` does all of it; `tuning` finds parameters of any
spec; `compare` puts a design beside others for the same problem."""
