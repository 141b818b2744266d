"""From the body of a program to its gates: the reports and stops by which private data can leave, as proofs read them.
This reads records of the model and nothing else: elaboration makes the gates with it, and a verifier of certificates
makes them again. `lowering` makes the gates of a program in file order; `contents` says what a value reads;
`lower_condition` and `lower_value` split a test or a shown value into what is public and what is compared after noise.
`sharing` finds noises that two gates look at, and makes such gates opaque, so that no noise is counted twice.
"""
