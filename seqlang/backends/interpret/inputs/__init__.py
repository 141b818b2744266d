"""The inputs of a run: their domains, how many there must be, which of them only metrics read, and drawing them."""
