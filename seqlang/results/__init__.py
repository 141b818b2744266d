"""What each command returns: frozen values that hold what was found, and say how JSON and tables see it."""
