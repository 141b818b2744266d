"""How far every quantity of a program moves when the data of one neighbour are replaced by those of the other.

The rooms stand in the order in which they may read one another: `facts` (what a program says of its names and
constants), `ranges` (between which values its expressions stay), `functions` (how steep and how curved functions of one
argument are), `totality` (whether every step has a value) and `motion` (the differences themselves). No room here holds
a proof rule; the rules in the neighbouring rooms ask `motion.shifts` and `motion.moves`, and replays ask them again.
"""
