"""Between which values an expression stays, in every step of every run and whatever the data are.

A range is right for all data in the domains that the program declares, not only for the data of one run. The same room
tells how long a list certainly is and which sign an expression has where a test is known to hold.
"""
