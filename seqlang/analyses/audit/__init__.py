"""Statistical audits: lower bounds on the privacy loss from simulated runs, for any program that can be run."""

from seqlang.analyses.audit.audit import Audit, audit

__all__ = ["Audit", "audit"]
