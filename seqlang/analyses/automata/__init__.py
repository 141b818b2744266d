"""Producers of certificates for the kernel: they search, and nothing that they find is trusted."""
