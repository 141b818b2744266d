"""What is asked for: hypotheses, errors, privacy, a criterion, constraints."""
