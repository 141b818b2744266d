"""Several gates that read one noise, none of them a comparison that may end a run: bounds for all of them together.

A rule of this folder is asked with `gates`, the names of a group; a group may be one gate.
"""
