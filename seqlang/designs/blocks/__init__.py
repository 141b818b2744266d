"""Blocks: what they release, the score, policies over their sizes, and the exact laws of policies."""
