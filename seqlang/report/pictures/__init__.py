"""Pictures, all of which need the extra `plot`. `figure` is the only module that imports matplotlib. The other modules
each draw one kind of result.
"""
