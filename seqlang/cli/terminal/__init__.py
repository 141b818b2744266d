"""What a command writes while it runs and when it fails. `output` writes text to any stdout without breaking its
encoding, `errors` shows diagnostics on stderr, and `progress`, `waiting` and `live` tell how far a command is, if
somebody looks.
"""
