"""Model values in plain words: adjacency, conclusions, laws, lives."""

from __future__ import annotations

from typing import assert_never

from seqlang.model.life import EachReport, EachStep, Life, Once
from seqlang.model.print import show_expression
from seqlang.model.program import AddRemove, Program, Replace, Within
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Judgement, PureBound, RenyiBound
from seqlang.report.numbers import shown_up


def adjacency_words(program: Program) -> tuple[str, str]:
    """The declaration in short (`replace one`), and what it means for this program's inputs."""
    records = any(i.kind == "dataset" for i in program.inputs)
    kind = "dataset" if records else "stream"
    fields = ", ".join(i.name for i in program.inputs if i.kind != "public")
    if not fields:
        return "none", "the spec reads no private data"
    match program.adjacency:
        case Replace(count):
            n = show_expression(count)
            one = n == "1"
            return (
                f"replace {'one' if one else n}",
                f"{'one entry' if one else f'at most {n} entries'} of the {kind} ({fields}) replaced by anything in "
                "the domain; the length and all other entries are the same",
            )
        case AddRemove(count):
            n = show_expression(count)
            what = "one record" if n == "1" else f"at most {n} records"
            return f"add or remove {'one' if n == '1' else n}", f"{what} ({fields}) added or removed"
        case Within(of, radius, extent, same):
            text = f"{extent} {show_expression(of)} within {show_expression(radius)}"
            where = "at every entry" if extent == "every" else "at one entry"
            how = ", all moves in one direction" if same else ""
            return (
                text + (" same direction" if same else ""),
                f"{show_expression(of)} moves by at most {show_expression(radius)} {where}{how}",
            )
        case _:
            assert_never(program.adjacency)


def life_words(life: Life) -> str:
    """How long one draw lives."""
    match life:
        case Once():
            return "once"
        case EachStep():
            return "each step"
        case EachReport(report):
            return f"each {report}"
        case _:
            assert_never(life)


def conclusion_text(judgement: Judgement) -> str:
    """A judgement as one line."""
    match judgement:
        case PureBound(epsilon=epsilon):
            return f"pure({epsilon})"
        case RenyiBound(order=order, epsilon=epsilon_at_order, horizon=horizon):
            return f"rdp({order:g}, {shown_up(epsilon_at_order)}){_within(horizon)}"
        case ConcentratedBound(rho=rho, horizon=horizon):
            return f"zcdp({rho}){_within(horizon)}"
        case ApproximateBound(epsilon=epsilon_at_delta, delta=delta, horizon=horizon):
            return f"dp({shown_up(epsilon_at_delta)}, {delta:g}){_within(horizon)}"
        case _:
            assert_never(judgement)


def _within(horizon: int | None) -> str:
    return "" if horizon is None else f" within {horizon} steps"
