"""The analyst's page: the Python interface, served to a browser on the same machine.

`serving` binds an address and starts the server, `guard` lets nobody in but who has the printed address, `session` is
what one browser tab shows, `panels` are its parts, a file each. Whatever computes is a job (`jobs`), which runs in a
process of its own (`workers`), so that it can be cancelled and never keeps other tabs waiting. `state` is what an
address says, from which a tab can be opened again.
"""
