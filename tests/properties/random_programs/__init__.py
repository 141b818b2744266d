"""Random programs drawn from the grammar, an evaluator and oracles of their own, and the search that judges proofs by
them. Nothing in this package but `judge` imports seqlang."""
