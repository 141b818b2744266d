"""From the tree of a file to its typed model. `elaboration` calls the passes in order; `state` holds what they find
out on the way, and `problems` the errors and warnings. The rooms are in the order in which they run: names,
declarations, statements with their expressions, checks, claims; `seqlang.lowering` then makes the gates. What comes out
is a `Program`, or only diagnostics.
"""

from seqlang.elaborate.elaboration import elaborate as elaborate
