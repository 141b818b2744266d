"""Which names a spec may use, before anything is known of their values. `builtins` lists the functions and laws of
the language with the names of their arguments, `symbols` collects what the file declares and which of it changes from
step to step, and `suggest` words the question "did you mean .. ?" for a name that is neither.
"""
