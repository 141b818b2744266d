"""The command line. Each command is the file of its name, with `run(words)` that returns the exit code; `modes` holds
what options make of a command, `terminal` how it speaks while it runs, and `shells` what completes its words.
`__main__` imports one command only.
"""
