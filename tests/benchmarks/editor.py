"""How long an editor waits for the language server, over the protocol, on the largest spec of the library."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "editor"))

from talking import Client

SPECS = Path(__file__).resolve().parents[2] / "specs"
TIMES = 21


def median(asked: Callable[[int], object]) -> float:
    """Milliseconds on the clock."""
    times = []
    for turn in range(TIMES):
        began = time.perf_counter()
        asked(turn)
        times.append(time.perf_counter() - began)
    return 1000 * statistics.median(times)


def main() -> None:
    path = max(SPECS.rglob("*.seq"), key=lambda path: path.stat().st_size)
    text = path.read_text("utf-8")
    client = Client()
    uri = client.open(text)
    client.diagnostics(uri, lambda found: True)

    def typed(turn: int) -> None:
        client.change(text + "# note\n" * (turn + 1), uri)
        client.diagnostics(uri, lambda found: True)

    place = text.index("statistic ") + len("statistic ")
    print(f"{path.stem}: {len(text)} characters; medians of {TIMES}, ms")
    print(f"  a change until its diagnostics  {median(typed):6.1f}")
    client.change(text, uri)
    for method in ("hover", "completion", "definition"):
        print(f"  {method:<30}  {median(lambda _, m=method: client.place(m, uri, text, place)):6.1f}")
    client.end()


if __name__ == "__main__":
    main()
