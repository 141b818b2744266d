"""The language server: what `annotations` says of a text, in the language server protocol, for editors.

`serving` puts the server together with its capabilities; `worker` is the process in which proofs, runs and searches are
made, so that the server answers meanwhile and can end them. Only this room imports pygls, which the extra `editor`
installs.
"""
