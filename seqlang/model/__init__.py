"""The typed model of a spec, as frozen values: `program` and `expression` define it, `validate` checks what every
later part relies on, `print` writes it out. The other modules answer questions about a model that proofs and runs
both ask. A name is an identity here: it is compared, and its text is only ever printed.
"""
