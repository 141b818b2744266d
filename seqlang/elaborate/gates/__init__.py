"""Gates: the reports and stops by which private data can leave. `lowering` makes the gates of a program in file
order; `lower_condition` and `lower_value` split a test or a shown value into what is public and what is compared
after noise. `sharing` finds noises that two gates look at, and makes such gates opaque, so that no noise is counted
twice.
"""
