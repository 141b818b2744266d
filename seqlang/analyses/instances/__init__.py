"""The per-instance view: the loss between the neighbours of streams that a model draws."""

from __future__ import annotations

from seqlang.analyses.instances.result import Instance as Instance
from seqlang.analyses.instances.result import Instances as Instances
from seqlang.analyses.instances.view import instances as instances
