"""The JSON object of `seqlang check --json`, schema 1. Keys are only ever added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from seqlang.analyses.declared_size import declared_size, relying
from seqlang.diagnostics.as_json import diagnostic_dict
from seqlang.model.print import show_expression
from seqlang.model.program import Program
from seqlang.proof.derivation import (
    ApproximateBound,
    ConcentratedBound,
    Derivation,
    PureBound,
    RenyiBound,
    steps_of,
)  # fmt: skip
from seqlang.proof.witness import Event, Witness
from seqlang.report.numbers import nearest, upper
from seqlang.report.text.audit import audit_dict
from seqlang.report.text.composition import composition_rows
from seqlang.report.text.gates import gate_rows
from seqlang.report.text.meaning import meaning_dict
from seqlang.report.text.weak import curve_dict
from seqlang.report.words import adjacency_words, bound_formula, conclusion_text, is_curve
from seqlang.results.json_number import json_number, json_value
from seqlang.rules.computed import bound_up
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.version import __version__

if TYPE_CHECKING:
    from seqlang.analyses.claims import Verdict
    from seqlang.results.check import CheckResult


def check_dict(result: CheckResult) -> dict[str, Any]:
    """One object a file."""
    program = result.program
    values = parameter_values(program)
    return {
        "seqlang": __version__,
        "schema": 1,
        "file": result.source.name,
        "algorithm": program.name,
        "title": program.title,
        "parameters": {p.name: float(p.value) for p in program.parameters},
        "adjacency": adjacency_words(program)[0],
        "statistics": [
            {
                "name": s.name,
                "shift": s.words,
                "sensitivity": {
                    "symbolic": str(s.shift.radius),
                    "value": json_number(nearest(s.shift.radius, values)),
                    "norm": s.shift.norm,
                },
                "note": s.shift.note,
            }
            for s in result.statistics
        ],
        "strong": _strong(result),
        "weak": [json_value(found.record()) for found in result.weak],
        "weak_profiles": [curve_dict(curve) for curve in result.profiles],
        "audit": None if result.audit is None else audit_dict(result.audit),
        "claims": [
            {
                "line": result.source.line_column(v.claim.span.start)[0],
                "text": v.claim.text,
                "label": v.claim.label,
                "kind": v.claim.kind,
                "verdict": v.verdict,
                "expect": v.claim.expect,
                "ok": v.ok,
                "because": v.because,
                "computed": _computed(v),
                "witness": None if v.witness is None else witness_dict(v.witness),
                "derivation": None if v.derivation is None else derivation_dict(v.derivation),
            }
            for v in result.verdicts
        ],
        "gates": [
            {"name": g.name, "kind": g.kind, "value": g.value, "shift": g.shift, "noises": [n.name for n in g.noises]}
            for g in gate_rows(program)
        ],
        "derivation": _derivation(result),
        "open_goals": list(result.bounds.open_goals),
        "diagnostics": [diagnostic_dict(d, result.source) for d in result.warnings],
        **({"cut_short": list(result.cut_short)} if result.cut_short else {}),
        "seconds": round(result.seconds, 6),
    }


def _computed(verdict: Verdict) -> dict[str, Any] | None:
    """The estimate that decides a claim."""
    if verdict.value is None:
        return None
    value, low, high = (json_number(x) for x in (verdict.value.value, verdict.value.low, verdict.value.high))
    return {"value": value, "low": low, "high": high, "holds": bool(verdict.holds)}


def _derivation(result: CheckResult) -> dict[str, Any] | None:
    """Of the pure bound, else of the (epsilon, delta) bound, else of the first of the others."""
    bounds = result.bounds
    found = next((d for d in (bounds.pure, bounds.dp, bounds.zcdp, *bounds.rdp) if d is not None), None)
    return None if found is None else derivation_dict(found)


def _strong(result: CheckResult) -> dict[str, Any]:
    values = parameter_values(result.program)
    bounds, witness = result.bounds, result.witness
    pure: dict[str, Any] = {"upper": "inf", "symbolic": "inf", "within": None, "lower": None, "witness": None}
    if bounds.pure is not None:
        assert isinstance(bounds.pure.conclusion, PureBound)
        epsilon = bounds.pure.conclusion.epsilon
        pure |= {"upper": json_number(upper(epsilon, values)), "symbolic": str(epsilon)}
    if result.lowers.pure > 0:
        pure["lower"] = json_number(result.lowers.pure)
    if result.lowers.by_average:
        pure["lower_by"] = f"the exact law under {result.lowers.by_average}"
    if witness is not None:
        pure["witness"] = witness_dict(witness)
        if witness.family is not None:
            from seqlang.report.text.family import family_dict

            pure["family"] = family_dict(witness.family)
    if result.lowers.pure > 0 and isinstance(pure["upper"], float) and pure["upper"] > 0:
        pure["ratio"] = min(1.0, result.lowers.pure / pure["upper"])
    by = None if bounds.dp is None else (bounds.dp.premises[0].rule if bounds.dp.premises else bounds.dp.rule)
    dp = {
        "delta": float(result.delta),
        **_bound(result.program, bounds.dp),
        "lower": json_number(result.epsilon_at_delta or None),
        "by": by,
    }
    return {
        "pure": pure,
        "dp": dp,
        "rdp": [*_renyi(result), *(_renyi_formulas(result) if result.order_formula else ())],
        "zcdp": _bound(result.program, bounds.zcdp) | {"lower": json_number(result.zcdp_lower or None)},
        "horizon": bounds.horizon,
        "declared_size": _declared_size(result),
        "composition": composition_rows(result),
        "meaning": meaning_dict(result),
        "alternatives": [_alternative(result.program, d) for d in bounds.alternatives],
    }


def _declared_size(result: CheckResult) -> dict[str, Any] | None:
    """The number of records, and the notions whose bounds hold for that number only."""
    size = declared_size(result.program)
    return None if size is None else {"records": size, "relied_on_by": list(relying(result.program, result.bounds))}


def _renyi(result: CheckResult) -> list[dict[str, Any]]:
    return [
        {
            "order": float(d.conclusion.order),
            **_bound(result.program, d),
            "lower": json_number(result.rdp_lower(d.conclusion) or None),
            "by": d.rule,
        }
        for d in result.at_orders(result.bounds.rdp)
        if isinstance(d.conclusion, RenyiBound)
    ]


def _renyi_formulas(result: CheckResult) -> list[dict[str, Any]]:
    """Each formula that is a bound at every order `alpha` once, and at which of the orders it is the least."""
    formulas: dict[tuple[str, str, int | None], list[float]] = {}
    for d in (d for d in result.bounds.rdp if is_curve(result.program, d)):
        formula = bound_formula(result.program, d)
        if formula is not None and isinstance(d.conclusion, RenyiBound):
            formulas.setdefault((str(formula), d.rule, steps_of(d.conclusion)), []).append(float(d.conclusion.order))
    return [
        {"order": "alpha", "upper": None, "symbolic": text, "within": within, "by": by, "best_at": orders}
        for (text, by, within), orders in formulas.items()
    ]


def _bound(program: Program, derivation: Derivation | None) -> dict[str, Any]:
    """The bound as a number, and as a formula in the parameters, if there is one: in `alpha` and `delta` too where it
    is a bound at every order or delta. `within`: the number of steps that it holds for."""
    if derivation is None:
        return {"upper": "inf", "symbolic": None, "within": None}
    formula = bound_formula(program, derivation)
    upper = json_number(bound_up(program, derivation.conclusion))
    symbolic = None if formula is None else str(formula)
    return {"upper": upper, "symbolic": symbolic, "within": steps_of(derivation.conclusion)}


def _alternative(program: Program, derivation: Derivation) -> dict[str, Any]:
    """Another bound that was found: its notion, what it bounds, and by which rule."""
    out: dict[str, Any] = {"rule": derivation.rule, "cite": derivation.cite}
    match derivation.conclusion:
        case PureBound():
            out |= {"notion": "pure"}
        case RenyiBound(order=order):
            out |= {"notion": "rdp", "order": float(order)}
        case ConcentratedBound():
            out |= {"notion": "zcdp"}
        case ApproximateBound(delta=delta):
            out |= {"notion": "dp", "delta": float(delta)}
        case _:
            assert_never(derivation.conclusion)
    return out | _bound(program, derivation)


def witness_dict(witness: Witness) -> dict[str, Any]:
    """Enough to recompute the witness."""
    first, second = witness.streams
    return {
        "streams": [[json_value(e) for e in first], [json_value(e) for e in second]],
        "event": _event(witness.event),
        "p": witness.p,
        "q": witness.q,
        "p_error": witness.p_error,
        "q_error": witness.q_error,
        "loss": json_number(witness.loss),
        "because": witness.because,
        "checked": witness.checked,
    }


def _event(event: Event) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if event.not_by is not None:
        out["not_by"] = event.not_by
    if event.stopped_at is not None:
        out["stopped_at"] = event.stopped_at
    if event.result is not None:
        out["return"] = _result(event.result)
    if event.reports:
        out["reports"] = [{"step": s, "report": r, "value": _result(v)} for s, r, v in event.reports]
    return out


def _result(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_result(v) for v in value]
    if isinstance(value, float):
        return json_number(value)
    return value if isinstance(value, bool | int | str) else show_expression(value)


def derivation_dict(derivation: Derivation) -> dict[str, Any]:
    """A derivation as a tree."""
    return {
        "conclusion": conclusion_text(derivation.conclusion),
        "rule": derivation.rule,
        "because": derivation.because,
        "cite": derivation.cite,
        "premises": [derivation_dict(p) for p in derivation.premises],
    }
