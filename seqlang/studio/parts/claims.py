"""The verdict of each claim, and proved beside witnessed epsilon."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from seqlang.proof.verdict import shown_verdict
from seqlang.report.text.kinds import bounds_of, proved, within, witnessed

HEAD = (("notion", ""), ("proved at most", ""), ("witnessed at least", ""), ("as a formula", ' class="seq-text"'))


def claims_html(answer: Mapping[str, Any]) -> str:
    """From the check's JSON."""
    found = answer["check"]
    claims = "".join(_claim(claim, bool(answer.get("under way"))) for claim in found["claims"])
    return (claims or "<p>The text makes no claim.</p>") + _bounds(found["strong"])


def _claim(claim: Mapping[str, Any], under_way: bool) -> str:
    if under_way and claim["verdict"] == "unknown":
        return (f'<div class="seq-card seq-doubt"><strong>… not decided yet</strong> line {claim["line"]}: '
                f'<code>{escape(claim["text"])}</code></div>')  # fmt: skip
    return claim_card(claim, f" line {claim['line']}:", claim["because"] or "")


def claim_card(claim: Mapping[str, Any], place: str = "", because: str = "") -> str:
    """One claim of the check's JSON with its verdict, where it stands and why."""
    estimate = claim["computed"]
    said = shown_verdict(claim["verdict"], None if estimate is None else estimate["holds"])
    why = f"<br>{escape(because)}" if because else ""
    return (f'<div class="seq-card seq-{said.tone}"><strong>{said.mark} {said.words}</strong>{place} '
            f'<code>{escape(claim["text"])}</code>{why}</div>')  # fmt: skip


def _bounds(strong: Mapping[str, Any]) -> str:
    rows = [
        *((name, proved(one), witnessed(one.get("lower")), one["symbolic"]) for name, one in bounds_of(strong)),
        *((f"RDP at order {one['order']:g}", proved(one), "", "") for one in strong["rdp"]),
        *(("RDP at order alpha", within(one["within"]).lstrip(", "), "", one["symbolic"]) for one in strong["rdp"][:1]),
    ]
    head = "".join(f"<th{kind}>{word}</th>" for word, kind in HEAD)
    table = f'<table class="seq-table"><thead><tr>{head}</tr></thead><tbody>{"".join(map(_row, rows))}</tbody></table>'
    return f'<div class="seq-wide" tabindex="0" role="region" aria-label="bounds">{table}</div>'


def _row(row: tuple[str, str, str, str | None]) -> str:
    name, upper, lower, symbolic = row
    formula = f"<code>{escape(symbolic)}</code>" if symbolic else ""
    cells = f"<td>{escape(name)}</td><td>{escape(upper)}</td><td>{escape(lower)}</td>"
    return f'<tr>{cells}<td class="seq-text">{formula}</td></tr>'


def bounds_in_words(strong: Mapping[str, Any]) -> str:
    """A sentence a bound that is proved, the pure one first."""
    known = [(name.removeprefix("pure "), one) for name, one in bounds_of(strong) if one["upper"] not in (None, "inf")]
    return "".join(f"<p>Proved: {name} is at most {proved(one, ' for each run')}.</p>" for name, one in known)
