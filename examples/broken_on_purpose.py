"""One forgotten noise turns a proof into a refutation.

python examples/broken_on_purpose.py
"""

from __future__ import annotations

import seqlang
from seqlang.report.text.check import witness_words

RIGHT = """
algorithm alarm "Ring when a count is high"

param eps > 0 = 1
param limit > 0 = 10

stream bad in {0, 1}
statistic total = sum(bad over steps)
stop when total >= limit return ring

attach laplace(1 / eps) to limit once
attach laplace(1 / eps) to total

claim strong pure(eps)
"""


def without(text: str, words: str) -> str:
    """The text without the line that holds these words."""
    return "\n".join(line for line in text.splitlines() if words not in line)


def main() -> None:
    for title, text in (
        ("both noises", RIGHT),
        ("no noise on the limit", without(RIGHT, "to limit")),
        ("no noise on the total", without(RIGHT, "to total")),
    ):
        (verdict,) = seqlang.check(text).verdicts
        print(f"{title}: {verdict.verdict}")
        if verdict.witness is not None:
            print(f"  {witness_words(verdict.witness)}")


if __name__ == "__main__":
    main()
