"""Many settings of one spec. `cells` and `cases` say which ones, `plan` cuts them into units of work, `executors`
compute these here or elsewhere, and `store` keeps what is finished, so that an interrupted sweep goes on where it
was.
"""
