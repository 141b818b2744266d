"""A derivation that unfolds step by step, down to its sources."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

DEEPEST = 60


def derivation_html(answer: Mapping[str, Any]) -> str:
    """Of each proved claim, or of the bound where there is none."""
    found = answer["check"]
    shown = [claim["derivation"] for claim in found["claims"] if claim.get("derivation")]
    whole = shown or ([found["derivation"]] if found["derivation"] else [])
    if not whole:
        goals = "".join(f"<li>{escape(str(goal))}</li>" for goal in found["open_goals"])
        return f"<p>Nothing is derived.</p><ul>{goals}</ul>" if goals else "<p>Nothing is derived.</p>"
    return "".join(_step(step, 0) for step in whole)


def _step(step: Mapping[str, Any], depth: int) -> str:
    """What follows, by which rule, why, and from what."""
    premises = "".join(_step(one, depth + 1) for one in step["premises"]) if depth < DEEPEST else ""
    source = f'<br><span class="seq-soft">{escape(step["cite"])}</span>' if step.get("cite") else ""
    return (f"<details{' open' if depth == 0 else ''}><summary><code>{escape(step['conclusion'])}</code> by "
            f"{escape(step['rule'])}</summary><div style=\"margin-left: 1.2em\">{escape(step['because'] or '')}{source}"
            f"{premises}</div></details>")  # fmt: skip
