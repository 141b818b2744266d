"""One forgotten noise turns a proof into a refutation.

A test that rings when a running count is high has noise on its limit, drawn once, and noise on the count, drawn at
every step. With both it is proved private. Without either of them it is refuted, by a witness: two streams that differ
in one entry, and an event whose probabilities under the two are too far apart. Nothing is drawn at random here: the
probabilities are enclosed.

    python -m seqlang.tours broken_on_purpose
"""

from __future__ import annotations

import seqlang
from seqlang.report.text.check import witness_words
from seqlang.tours import asked

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
    asked(__doc__, "").parse_args()
    print("The claim is pure(1): no event is more than e = 2.718 times as likely for one of two neighbouring streams\n")
    for title, text in (
        ("both noises", RIGHT),
        ("no noise on the limit", without(RIGHT, "to limit")),
        ("no noise on the total", without(RIGHT, "to total")),
    ):
        (verdict,) = seqlang.check(text).verdicts
        print(f"{title}: {verdict.verdict}")
        if verdict.witness is not None:
            print(f"  {witness_words(verdict.witness)}")
    print(
        "\nHow to read a witness: [0, 1 ×12] is the stream 0, then 1 twelve times; its neighbour stands beside.\n"
        "A loss is the logarithm of the ratio of both probabilities: above 1 it refutes the claim, and where one of\n"
        "them is 0 no epsilon at all holds."
    )


if __name__ == "__main__":
    main()
