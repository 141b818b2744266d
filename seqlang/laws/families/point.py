"""point(value): one value, surely."""

from __future__ import annotations

from seqlang.laws.facts import Facts, Parameter

FACTS = Facts("point", (Parameter("value", "number"),), "points", "listed", bounded=True, underflows=False)
HOLES = {"numbers": "each engine takes the value, which may be a vector, as it is"}
