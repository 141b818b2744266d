"""Families of witnesses of which the loss grows with the length of the streams: no finite epsilon serves them."""
