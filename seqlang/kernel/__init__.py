"""The judge of privacy proofs: small, general, and without a search. README.md has the theorem and what is trusted."""
