"""Random words, and standard variates made from them, as compiled kernels draw them."""
