"""What `check` found, as one frozen value; `check_json` and `check_text` show it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.claims import Verdict
from seqlang.analyses.lowers import Lowers
from seqlang.analyses.shifts import StatisticShift
from seqlang.diagnostics import Diagnostic
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation, RenyiBound
from seqlang.proof.verdict import VERDICTS
from seqlang.proof.witness import Witness
from seqlang.record import record
from seqlang.shown import Drawn, by_report
from seqlang.source import Source

if TYPE_CHECKING:
    from seqlang.analyses.audit import Audit
    from seqlang.analyses.weak.summary import Curve, Least


@record
class CheckResult(Drawn):
    """Bounds, witnesses and verdicts of one spec. `delta` is where the (epsilon, delta) bounds were taken; `lowers`
    says of every notion what no bound can be below. `weak` has the models that weak claims name, or that a profile was
    asked for; `audit` what simulated runs showed. `cut_short` names what the time limit ended. `seconds` is CPU time.
    `orders` are the Renyi orders that were asked for (None: all at which bounds are taken), and `order_formula` whether
    their formula was."""

    drawn_by = "pictures.privacy:plot_checks"
    source: Source
    program: Program
    statistics: tuple[StatisticShift, ...]
    bounds: Bounds
    lowers: Lowers
    verdicts: tuple[Verdict, ...]
    warnings: tuple[Diagnostic, ...]
    delta: Fraction
    overridden: bool
    seconds: float
    weak: tuple[Least, ...] = ()
    profiles: tuple[Curve, ...] = ()
    audit: Audit | None = None
    cut_short: tuple[str, ...] = ()
    orders: tuple[Fraction, ...] | None = None
    order_formula: bool = False

    @property
    def witness(self) -> Witness | None:
        """The one with the largest loss."""
        return self.lowers.best

    @property
    def epsilon_at_delta(self) -> float:
        """What epsilon is at least at `delta` (0: nothing is known), in runs that the proved bound is about."""
        bound = None if self.bounds.dp is None else self.bounds.dp.conclusion
        return self.lowers.dp(self.delta, bound.horizon if isinstance(bound, ApproximateBound) else None)

    @property
    def zcdp_lower(self) -> float:
        """What rho is at least, in runs that the proved bound is about."""
        bound = None if self.bounds.zcdp is None else self.bounds.zcdp.conclusion
        return self.lowers.zcdp(bound.horizon if isinstance(bound, ConcentratedBound) else None)

    def rdp_lower(self, bound: RenyiBound) -> float:
        """What the Renyi divergence of the bound's order is at least, in runs that it is about."""
        return self.lowers.rdp(bound.order, bound.horizon)

    @property
    def summary(self) -> str:
        found = [v.verdict for v in self.verdicts]
        counts = [f"{found.count(kind)} {kind}" for kind in VERDICTS if kind in found]
        return f"{self.program.name}: {', '.join(counts) or 'no claims'}"

    @property
    def ok(self) -> bool:
        """Every claim as expected. `expect` speaks of the defaults: with other parameter values it cannot fail."""
        return all(v.ok or (self.overridden and v.claim.expect is not None) for v in self.verdicts)

    @property
    def rests_on_estimates(self) -> bool:
        """Whether only an estimate decides some claim."""
        return any(v.verdict == "computed" for v in self.verdicts)

    def at_orders(self, found: tuple[Derivation, ...]) -> tuple[Derivation, ...]:
        """Those of the derivations that conclude a Renyi bound at an order that was asked for."""
        renyi = ((d, d.conclusion.order) for d in found if isinstance(d.conclusion, RenyiBound))
        return tuple(d for d, order in renyi if self.orders is None or order in self.orders)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `seqlang check --json`, schema 1."""
        found: dict[str, Any] = by_report("check_json:check_dict", self)
        return found

    def document(self, explain: bool = False) -> Any:
        """The report; with `explain` every derivation."""
        return by_report("text.check:check_document", self, explain)

    def frame(self) -> list[dict[str, Any]]:
        """One row a claim: its line in the text, the claim, its kind and label, the verdict, and why."""
        return [
            {
                "line": self.source.line_column(v.claim.span.start)[0], "claim": v.claim.text, "kind": v.claim.kind,
                "label": v.claim.label, "verdict": v.verdict, "ok": v.ok, "because": v.because,
            }
            for v in self.verdicts
        ]  # fmt: skip

    def to_latex(self) -> str:
        r"""The tables of the report, as `tabular`s with booktabs, and sensitivities and bounds as formulas in an
        `align*`, which needs amsmath."""
        return Drawn.to_latex(self) + "\n" + str(by_report("latex:latex_formulas", self))

    def certificate(self) -> str:
        """The derivations as a text that `seqlang verify` replays: those of the claims, and of the best bound of each
        notion. Raises SpecError E0605 if a number of the model is too long to be written."""
        return str(by_report("certificate:certificate_text", self))
