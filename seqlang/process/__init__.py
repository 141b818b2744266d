"""What concerns the process that computes, and is no part of any result: `doing` tells what it works on now,
`time_limit` ends it when its time is over, `locate` finds the grammar and the shipped specs on its disk, and `late`
has the numpy that is imported when the first of its functions is asked for.
"""
