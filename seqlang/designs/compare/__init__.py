"""Other designs for the same problem, with their exact figures: what a planner would otherwise take.

`figures` makes a row of a design in blocks, with its privacy as it is proved of its program; `classic` and `e_process`
are such designs with published boundaries; `walks` writes tests that look after every entry, and `tuned` chooses their
parameters; `rows` puts the table together.
"""
