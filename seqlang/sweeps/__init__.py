"""Many settings of one spec: which ones, where they are computed, and what is kept of them."""
