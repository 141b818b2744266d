"""A test in blocks of four entries, whose end for futility need not be heeded in its first block."""

FUTILE = """
algorithm futile
stream x in {0, 1}
public heeded in {0, 1}
model null: x ~ bernoulli(0.3), heeded ~ point(1)
model alternative: x ~ bernoulli(0.7), heeded ~ point(1)
model null_ignored: x ~ bernoulli(0.3), heeded ~ point(0)
memory score = 0
memory used = 0
report block when sum(1 since block) >= 4
report ones = sum(x since block) when block
update score = score + (if block then clip(ones, 0, 4) else 0) - 2 when block
update used = used + 1 when block
stop when score >= (if used >= 2 then 1 else 2) return reject
stop when score <= (if used >= 2 then 0 else -1) and (heeded == 1 or used >= 2) return accept
attach geometric(exp(-1)) to ones
"""
