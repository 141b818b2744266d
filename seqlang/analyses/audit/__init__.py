"""Statistical audits: lower bounds on the privacy loss from simulated runs, for any program that can be run."""

from seqlang.analyses.audit.audit import Audit as Audit
from seqlang.analyses.audit.audit import audit as audit
