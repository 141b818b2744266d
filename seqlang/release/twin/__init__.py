"""The discrete twin of a spec with continuous noise or real entries: a spec on a public grid, as a text.

Every private number is counted in whole units of 1/K. The twin is a text that `check` proves again, and which is what
runs, is charged and is kept: nothing here is trusted for privacy. What has no twin is refused with the reason.
"""
