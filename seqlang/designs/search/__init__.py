"""The search for the best policy or mixture of policies."""
