"""Completion of commands in shells: what can be completed, as data, and a script for each shell."""
