"""The per-instance view: the loss between the neighbours of streams that a model draws."""

from __future__ import annotations

from seqlang.analyses.instances.result import Instance, Instances
from seqlang.analyses.instances.view import instances

__all__ = ["Instance", "Instances", "instances"]
