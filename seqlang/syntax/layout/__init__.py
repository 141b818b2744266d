"""The formatter. `canonical` writes a text one statement a line and keeps its comments; `spacing` puts spaces between
tokens, `align` lines up neighbouring statements, and `wrap` breaks lines that are too long.
"""
