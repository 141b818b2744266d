"""Random small tests: each is a `.seq` text and, beside it, a description from which the oracle computes the exact law.

All levels, thresholds and entries are multiples of 1/2, so every kink of every integrand lies on the quadrature's grid.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from noise_laws import NoiseLaw

STATISTICS = {
    "sum": "sum(x over steps)",
    "signed sum": "sum(2 * x - 1 over steps)",
    "window": "sum(x over last 3)",
    "cusum": "max(0, previous(s, 0) + x - 1 / 2)",
    "single": "x",
    "running max": "max(2 * x over steps)",
    "restarted": "sum(x since high)",
    "query": "x",
}


def values(kind: str, stream: Sequence[float], reports: Sequence[int]) -> list[float]:
    """The statistic at each step (reports: the steps, from 1, at which it was reset)."""
    out: list[float] = []
    s = 0.0
    for n, x in enumerate(stream, 1):
        if kind == "sum":
            s += x
        elif kind == "signed sum":
            s += 2 * x - 1
        elif kind == "window":
            s = sum(stream[max(0, n - 3) : n])
        elif kind == "cusum":
            s = max(0.0, s + x - 0.5)
        elif kind == "running max":
            s = max(s, 2 * x) if n > 1 else 2 * x
        elif kind == "restarted":
            s = x if n - 1 in reports else s + x
        else:
            s = x
        out.append(s)
    return out


@dataclass(frozen=True)
class Gate:
    """direction 1: s + w >= T + z; direction -1: s + w <= T + z. Indices into the noises; None = no noise.
    z_sign, w_sign: the factor of the noise on the threshold and of the fresh noise on the statistic."""

    direction: int
    threshold: float
    z: int | None
    z_sign: int
    w: int | None
    w_sign: int = 1


@dataclass(frozen=True)
class Instance:
    """`life`: once, or each report. `reports`: how many reports end the run; 0 = the gates are stops."""

    kind: str
    gates: tuple[Gate, ...]
    persistent: tuple[NoiseLaw, ...]
    fresh: tuple[NoiseLaw, ...]
    life: str = "once"
    reports: int = 0
    alphabet: tuple[float, ...] = (0.0, 1.0)
    text: str = field(default="", compare=False)

    @property
    def every(self) -> bool:
        """Whether all entries of a neighbour may differ by 1 (a stream of queries)."""
        return self.kind == "query"


FAMILIES = ("laplace", "exponential", "geometric", "staircase")


def random_instance(rng: random.Random) -> Instance:
    """One instance; kinds, noises, sharing and lives are drawn independently."""
    repeated = rng.random() < 0.3
    kinds = [k for k in STATISTICS if k != "restarted"]
    kind = "restarted" if repeated and rng.random() < 0.3 else rng.choice(kinds)
    family = rng.choice(FAMILIES)
    two = not repeated and rng.random() < 0.5
    law = lambda: _law(rng, family if rng.random() < 0.8 else rng.choice(FAMILIES))  # noqa: E731
    lattice = family == "geometric"
    threshold = float(rng.randint(0, 2))
    low = float(rng.randint(-2, 0))
    lattice_family = lambda laws: all(n.family == "geometric" for n in laws)  # noqa: E731
    while True:
        persistent = [law()]
        fresh = [law()]
        gates = [Gate(1, threshold, 0, _sign(rng, persistent[0]), 0, -1 if not two and rng.random() < 0.15 else 1)]
        if rng.random() < 0.1:
            gates = [Gate(1, threshold, None, 1, 0)]
        elif rng.random() < 0.1:
            gates = [Gate(1, threshold, 0, 1, None)]
        if two:
            shape = rng.choice(["independent", "opposite", "parallel"])
            # independent kept noises with one fresh noise need a plane of nodes: whole numbers only
            shared = rng.random() < 0.5 and (shape != "independent" or lattice)
            z = 0
            sign = gates[0].z_sign if shape == "parallel" else -gates[0].z_sign
            if shape == "independent":
                persistent.append(law())
                z, sign = 1, rng.choice([1, -1]) if rng.random() < 0.2 else -1
            if not shared:
                fresh.append(law())
            gates.append(Gate(-1, low, None if gates[0].z is None else z, sign,
                              None if gates[0].w is None else (0 if shared else 1), 1 if shared else -1))  # fmt: skip
        used = [persistent[g.z] for g in gates if g.z is not None] + [fresh[g.w] for g in gates if g.w is not None]
        plane = two and shape == "independent" and shared and len(used) > 2
        if lattice_family(used) or (not plane and (not lattice or rng.random() < 0.1)):
            break
    reports = rng.randint(1, 2) if repeated else 0
    life = rng.choice(["once", "each high"]) if repeated else "once"
    alphabet = (0.0, 1.0, 2.0) if kind != "query" and rng.random() < 0.1 else (0.0, 1.0)
    bare = Instance(kind, tuple(gates), tuple(persistent), tuple(fresh), life, reports, alphabet)
    return replace(bare, text=text(bare))


def _sign(rng: random.Random, law: NoiseLaw) -> int:
    return -1 if rng.random() < (0.3 if law.family == "exponential" else 0.1) else 1


def _law(rng: random.Random, family: str) -> NoiseLaw:
    if family == "geometric":
        return NoiseLaw(family, rng.choice([0.25, 0.5, 0.75]))
    return NoiseLaw(family, rng.choice([0.5, 1.0, 2.0]))


def text(instance: Instance) -> str:
    """The `.seq` text."""
    lines = ["algorithm instance"]
    for j, gate in enumerate(instance.gates):
        lines.append(f"param T{j} = {gate.threshold!r}")
    if instance.every:
        lines += ["stream x in real", "adjacent every x within 1"]
    else:
        lines.append(f"stream x in {{{', '.join(f'{a:g}' for a in instance.alphabet)}}}")
    lines.append(f"statistic s = {STATISTICS[instance.kind]}")
    separate = len({g.w for g in instance.gates}) > 1
    for j, _ in enumerate(instance.gates if separate else ()):
        lines.append(f"statistic s{j} = s")
    for j, gate in enumerate(instance.gates):
        name = f"s{j}" if separate else "s"
        test = f"{name} {'>=' if gate.direction > 0 else '<='} T{j}"
        lines.append(f"report high when {test}" if instance.reports else f"stop when {test} return r{j}")
    if instance.reports:
        lines.append(f"stop when count(high over steps) >= {instance.reports}")
    for i, law in enumerate(instance.persistent):
        users = [(j, g) for j, g in enumerate(instance.gates) if g.z == i]
        if len(users) == 1 and users[0][1].z_sign > 0:
            lines.append(f"attach {law.text()} to T{users[0][0]} {instance.life}")
        elif users:
            lines.append(f"draw z{i} ~ {law.text()} {instance.life}")
            lines += [f"attach {'-' if g.z_sign < 0 else ''}z{i} to T{j}" for j, g in users]
    for i, law in enumerate(instance.fresh):
        users = [(j, g) for j, g in enumerate(instance.gates) if g.w == i]
        if not users:
            continue
        target = f"s{users[0][0]}" if separate else "s"
        if users[0][1].w_sign > 0:
            lines.append(f"attach {law.text()} to {target}")
        else:
            lines.append(f"draw w{i} ~ {law.text()}")
            lines.append(f"attach -w{i} to {target}")
    return "\n".join(lines) + "\n"
