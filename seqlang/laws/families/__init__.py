"""The laws, one a file. See `seqlang/laws/__init__.py`."""
