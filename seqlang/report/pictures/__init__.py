"""Pictures, all of which need the extra `plot`. `picture` refuses a file that could not be written before any work is
done, and `figure` is the only module that imports matplotlib. The other modules each draw one kind of result.
"""
