"""A small set of rows that are nobody's: connections, as in the KDD Cup of 1999, drawn from laws written down here."""

from __future__ import annotations

import csv
from functools import cache
from io import StringIO

import numpy as np

NAME = "synthetic_connections.csv"
ROWS, TEST, SEED = 6_000, 2_000, 20200
"""Rows, of which the last are held out; the seed from which they are drawn."""
HEADER = ("duration", "bytes", "protocol", "failed_logins", "same_host", "error_rate", "label")
FEATURES = (
    "log1p(duration)/11", "log1p(bytes)/21", "protocol{tcp|udp|icmp}", "failed_logins/5", "same_host/511", "error_rate",
)  # fmt: skip
"""What is made of the columns, by constants that are known without the rows."""
COLUMNS = {"x": f"project({','.join(FEATURES)})", "y": "label{normal=-1|*=1}"}


@cache
def text() -> str:
    """The rows as CSV; the same at each call."""
    random = np.random.default_rng(SEED)
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(_row(random) for _ in range(ROWS))
    return out.getvalue()


def _row(random: np.random.Generator) -> tuple[object, ...]:
    """Half of them are attacks: short, to one host, with errors. One in ten looks like the other kind."""
    attack = bool(random.random() < 0.5)
    looks = attack != (random.random() < 0.1)
    protocol = random.choice(["tcp", "udp", "icmp"], p=[0.3, 0.1, 0.6] if looks else [0.7, 0.25, 0.05])
    host = int(random.integers(250, 512) if looks else random.integers(0, 200))
    rate = random.beta(6, 2) if looks else random.beta(1, 12)
    seconds, size = random.exponential(2 if looks else 60), random.lognormal(4 if looks else 7, 1)
    logins = int(min(5, random.poisson(0.4 if looks else 0.05)))
    return int(seconds), int(size), protocol, logins, host, f"{rate:.3f}", "attack" if attack else "normal"
