"""Brute force for the exact solver: every stream of data, every persistent value by panels, nothing shared with it.

A `Case` describes a small program in its own terms; `text()` writes it as a `.seq` file, `exact_table()` computes
P(T = t, outcome) for t up to the horizon from the description alone. A test reads a statistic with noise,

    statistic + sum of factor * noise >= (>, <=, <) threshold,

noises live once, each step, or each report. In each step: the report (if any), the stop at its `limit`-th occurrence,
the stops with tests in order, and a last stop at the horizon if `ends`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from scipy import stats

Array = Any
LEGENDRE = np.polynomial.legendre.leggauss(10)
TIE = 1e-9

STATISTICS: dict[str, Callable[[tuple[float, ...]], float]] = {
    "sum(x over steps)": lambda seen: math.fsum(seen),
    "mean(x over steps)": lambda seen: math.fsum(seen) / len(seen),
    "max(x over steps)": max,
    "x": lambda seen: seen[-1],
    "sum(x over last 2)": lambda seen: math.fsum(seen[-2:]),
    "count(x > 0 over steps)": lambda seen: float(sum(v > 0 for v in seen)),
    "sum(x over steps) - step / 4": lambda seen: math.fsum(seen) - len(seen) / 4,
    "x - previous(x, 0)": lambda seen: seen[-1] - (seen[-2] if len(seen) > 1 else 0.0),
}


@dataclass(frozen=True)
class Noise:
    family: str
    arguments: tuple[Any, ...]
    life: str = "step"  # "once", "step", "report"

    @property
    def law(self) -> Law:
        return law(self.family, self.arguments)

    def text(self) -> str:
        return law_text((self.family, *self.arguments))


@dataclass(frozen=True)
class Check:
    """A test; `terms` are (name of the noise, factor)."""

    statistic: str
    compare: str
    threshold: float
    terms: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Case:
    data: tuple[tuple[float, float], ...]
    noises: dict[str, Noise]
    stops: tuple[tuple[Check, str], ...]
    horizon: int
    ends: bool = True
    report: Check | None = None
    limit: int = 1
    tables: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def outcomes(self) -> tuple[str, ...]:
        return (*(("full",) if self.report else ()), *(o for _, o in self.stops), *(("late",) if self.ends else ()))

    def text(self) -> str:
        values = ", ".join(number(v) for v, _ in self.data)
        law_of_x = ", ".join(f"{number(v)}: {number(p)}" for v, p in self.data)
        lines = ['algorithm case "a random case"', f"stream x in {{{values}}}", f"model m: x ~ {{{law_of_x}}}"]
        life = {"once": "once", "step": "each step", "report": "each seen"}
        lines += [f"draw {name} ~ {n.text()} {life[n.life]}" for name, n in self.noises.items()]
        checks = [*([self.report] if self.report else []), *(c for c, _ in self.stops)]
        for i, check in enumerate(checks):
            lines.append(f"statistic t{i} = {check.statistic}")
            if check.terms:
                terms = " + ".join(f"{number(f)} * {name}" for name, f in check.terms)
                lines.append(f"attach {terms} to t{i}")
        written = [f"t{i} {check.compare} {number(check.threshold)}" for i, check in enumerate(checks)]
        if self.report:
            lines.append(f"report seen when {written.pop(0)}")
            lines.append(f"stop when count(seen over steps) >= {self.limit} return full")
        lines += [f"stop when {w} return {o}" for w, (_, o) in zip(written, self.stops, strict=True)]
        if self.ends:
            lines.append(f"stop when step >= {self.horizon} return late")
        return "\n".join(lines) + "\n"


def number(value: float) -> str:
    text = f"{value:.10f}".rstrip("0").rstrip(".")
    return text or "0"


def law_text(value: tuple[Any, ...]) -> str:
    if value[0] == "weights":
        return "{" + ", ".join(f"{number(v)}: {number(w)}" for v, w in value[1]) + "}"
    return f"{value[0]}({', '.join(law_text(a) if isinstance(a, tuple) else number(a) for a in value[1:])})"


# ---- laws


@dataclass(frozen=True)
class Law:
    """Points and chances of a discrete law, or density, P(X <= x), P(X >= x) and the ends of smooth panels."""

    points: Array | None = None
    chances: Array | None = None
    density: Any = None
    cdf: Any = None
    sf: Any = None
    marks: tuple[float, ...] = ()
    scale: float = 1.0

    def chance(self, compare: str, x: Array) -> Array:
        """P(X compare x)."""
        if self.points is None:
            return self.sf(x) if compare in (">", ">=") else self.cdf(x)
        x = np.asarray(x, float)
        tie = TIE * np.maximum(1.0, np.abs(x))
        up_to = np.concatenate(([0.0], np.cumsum(self.chances)))  # what lies left of a place in the list
        left = up_to[np.searchsorted(self.points, x - tie, side="left")]
        left_with_ties = up_to[np.searchsorted(self.points, x + tie, side="right")]
        return {
            ">=": up_to[-1] - left, ">": up_to[-1] - left_with_ties, "<=": left_with_ties, "<": left
        }[compare]  # fmt: skip


def holds(compare: str, difference: Array) -> Array:
    """`difference compare 0`."""
    return {
        ">=": difference >= 0, ">": difference > 0, "<=": difference <= 0, "<": difference < 0
    }[compare]  # fmt: skip


def law(family: str, arguments: tuple[Any, ...]) -> Law:
    match family:
        case "laplace":
            b = arguments[0]
            return dense(stats.laplace(scale=b), (-42.0 * b, 0.0, 42.0 * b), b)
        case "gaussian":
            sd = arguments[0]
            return dense(stats.norm(scale=sd), (-9.0 * sd, 9.0 * sd), sd)
        case "exponential":
            mean = arguments[0]
            return dense(stats.expon(scale=mean), (0.0, 42.0 * mean), mean)
        case "uniform":
            low, width = arguments[0], arguments[1] - arguments[0]
            return dense(stats.uniform(low, width), arguments, width)
        case "geometric":
            ratio = arguments[0]
            last = math.ceil(-42 / math.log(ratio))
            k = np.arange(-last, last + 1)
            return Law(k.astype(float), ratio ** np.abs(k) * (1 - ratio) / (1 + ratio))
        case "weights":
            points, weights = np.array(sorted(arguments[0]), float).T
            return Law(points, weights / weights.sum())
        case "conditioned":
            inner, low, high = law(arguments[0][0], arguments[0][1:]), arguments[1], arguments[2]
            if inner.points is not None:
                kept = (inner.points >= low) & (inner.points <= high)
                return Law(inner.points[kept], inner.chances[kept] / inner.chances[kept].sum())
            total = inner.cdf(high) - inner.cdf(low)
            return Law(
                density=lambda x: np.where((x >= low) & (x <= high), inner.density(x) / total, 0.0),
                cdf=lambda x: (inner.cdf(np.clip(x, low, high)) - inner.cdf(low)) / total,
                sf=lambda x: (inner.cdf(high) - inner.cdf(np.clip(x, low, high))) / total,
                marks=(low, *(m for m in inner.marks if low < m < high), high),
                scale=inner.scale,
            )
        case _:
            raise ValueError(family)


def dense(reference: Any, marks: tuple[float, ...], scale: float) -> Law:
    return Law(density=reference.pdf, cdf=reference.cdf, sf=reference.sf, marks=marks, scale=scale)


def panels(law: Law, cuts: Array) -> tuple[Array, Array]:
    """Nodes and weights (including the density) of shape (.., n), split at `cuts` of shape (.., m)."""
    if law.points is not None:
        shape = (*cuts.shape[:-1], len(law.points))
        return np.broadcast_to(law.points, shape), np.broadcast_to(law.chances, shape)
    low, high = law.marks[0], law.marks[-1]
    pieces = [(a, b, max(2, math.ceil((b - a) / (2.5 * law.scale)) + 1)) for a, b in pairwise(law.marks)]
    own = np.unique(np.concatenate([np.linspace(*piece) for piece in pieces]))
    ends = np.concatenate((np.broadcast_to(own, (*cuts.shape[:-1], len(own))), np.clip(cuts, low, high)), axis=-1)
    ends = np.sort(ends, axis=-1)
    half = np.diff(ends)[..., None] / 2
    x = ends[..., :-1, None] + half * (1 + LEGENDRE[0])
    w = half * LEGENDRE[1] * law.density(x)
    return x.reshape(*x.shape[:-2], -1), w.reshape(*w.shape[:-2], -1)


# ---- one step


Values = dict[str, Array]
MOST_ON_A_PLANE = 50_000
"""Of the pieces of a grid of two noises that are kept: each takes some 40 numbers."""
MOST_AT_ONCE = 2_000
"""Places at which a fresh noise is integrated at a time: some 2,000 numbers each."""


def literals_chance(case: Case, literals: list[tuple[Check, bool]], plain: dict[str, float], fixed: Values) -> Array:
    """P(all the checks have these truth values) for statistics `plain` and persistent noises `fixed`."""
    used = [n for check, _ in literals for n, _ in check.terms if n not in fixed]
    own: dict[int, str] = {}
    outer = {n for n in used if used.count(n) > 1}
    for i, (check, _) in enumerate(literals):
        mine = [n for n, _ in check.terms if n not in fixed and n not in outer]
        if mine:
            own[i] = mine[-1]
            outer |= set(mine[:-1])
    if len(outer) > 1:
        raise ValueError("the oracle integrates one fresh noise")
    if not outer:
        return product(case, literals, plain, fixed, own)
    name = outer.pop()
    shape = np.broadcast_shapes(*(np.shape(v) for v in fixed.values())) if fixed else ()
    if math.prod(shape) > MOST_AT_ONCE and shape[0] > 1:
        spread = {n: np.broadcast_to(v, shape) for n, v in fixed.items()}
        parts = np.array_split(np.arange(shape[0]), min(shape[0], math.ceil(math.prod(shape) / MOST_AT_ONCE)))
        return np.concatenate([
            literals_chance(case, literals, plain, {n: v[part] for n, v in spread.items()}) for part in parts
        ])  # fmt: skip
    cuts = []
    for i, (check, _) in enumerate(literals):
        factor = dict(check.terms).get(name, 0.0)
        if factor:
            rest = margin(check, plain, fixed, skip={name, own.get(i, "")})
            marks = [0.0]
            if i in own:
                marks = [m * dict(check.terms)[own[i]] for m in kinks(case.noises[own[i]].law)]
            cuts += [np.broadcast_to(-(rest + m) / factor, shape) for m in marks]
    x, w = panels(case.noises[name].law, np.stack(cuts, axis=-1) if cuts else np.zeros((*shape, 0)))
    deeper = {n: np.asarray(v)[..., None] for n, v in fixed.items()} | {name: x}
    return np.sum(w * product(case, literals, plain, deeper, own), axis=-1)


def kinks(law: Law) -> tuple[float, ...]:
    """Where its tails bend: not at the artificial ends of infinite supports."""
    if law.points is not None:
        return tuple(law.points)
    return tuple(m for m in law.marks if m == 0 or float(law.density(np.asarray(m))) > 1e-12)


def margin(check: Check, plain: dict[str, float], fixed: Values, skip: set[str]) -> Array:
    total = plain[check.statistic] - check.threshold
    for name, factor in check.terms:
        if name not in skip:
            total = total + factor * fixed[name]
    return total


def product(
    case: Case, literals: list[tuple[Check, bool]], plain: dict[str, float], fixed: Values, own: dict[int, str]
) -> Array:
    """The same where each check has at most one noise of its own left."""
    result: Array = 1.0
    for i, (check, truth) in enumerate(literals):
        compare = check.compare if truth else {">=": "<", ">": "<=", "<=": ">", "<": ">="}[check.compare]
        rest = margin(check, plain, fixed, {own.get(i, "")})
        if i in own:
            factor = dict(check.terms)[own[i]]
            side = compare if factor > 0 else {">=": "<=", ">": "<", "<=": ">=", "<": ">"}[compare]
            result = result * case.noises[own[i]].law.chance(side, -np.asarray(rest) / factor)
        else:
            rest = np.where(np.abs(rest) <= TIE, 0.0, rest)
            result = result * holds(compare, rest)
    return result


# ---- persistent noises


class TooLarge(Exception):
    """A grid of two persistent noises would take more memory than there is."""


def prefixes(case: Case) -> Iterator[tuple[float, ...]]:
    layer: list[tuple[float, ...]] = [()]
    for _ in range(case.horizon):
        layer = [(*seen, v) for seen in layer for v, _ in case.data]
        yield from layer


def planes(case: Case, names: list[str]) -> Array:
    """Rows (factors of the persistent noises .., constant): where a chance is not a smooth function of them."""
    checks = [*([case.report] if case.report else []), *(c for c, _ in case.stops)]
    rows = []
    for seen in prefixes(case):
        fresh_sides = []
        for check in checks:
            value = STATISTICS[check.statistic](seen) - check.threshold
            factors = [dict(check.terms).get(n, 0.0) for n in names]
            fresh = [(n, f) for n, f in check.terms if n not in names]
            marks = [0.0]
            for n, f in fresh:
                own = kinks(case.noises[n].law) or (0.0,)
                marks = [m + f * k for m in marks for k in own]
            rows += [[*factors, value + m] for m in (marks if len(marks) <= 400 else [0.0])]
            if len(fresh) == 1:
                fresh_sides.append((fresh[0], factors, value))
        for (one, a, u), (two, b, v) in combinations(fresh_sides, 2):
            if one[0] == two[0]:  # the two ends for the shared noise cross
                rows.append([p / one[1] - q / two[1] for p, q in zip([*a, u], [*b, v], strict=True)])
    table = np.array(rows, float).reshape(-1, len(names) + 1)
    # rows that differ by rounding are one; a jump must be met exactly, so that none is rounded itself
    table = table[np.unique(np.round(table, 9), axis=0, return_index=True)[1]]
    return table[np.any(table[:, :-1] != 0, axis=1)] if names else table[:0]


def persistent(case: Case) -> tuple[Values, Array, Array]:
    """Values of the persistent noises on a grid (outer, inner), weights of the outer (outer, 1) and inner ones. A
    noise that a report renews is the inner one."""
    names = [n for life in ("once", "report") for n, v in case.noises.items() if v.life == life]
    if not names:
        return {}, np.ones((1, 1)), np.ones((1, 1))
    rows = planes(case, names)
    if len(names) == 1:
        x, w = panels(case.noises[names[0]].law, -rows[:, 1] / rows[:, 0])
        return {names[0]: x[None, :]}, np.ones((1, 1)), w[None, :]
    if len(names) > 2:
        raise ValueError("the oracle takes two persistent noises")
    first, second = (case.noises[n].law for n in names)
    slanted = rows[rows[:, 1] != 0]
    marks = list(second.marks) if second.points is None else []
    lines = np.vstack((slanted, *([[0.0, 1.0, -m]] for m in marks))) if marks else slanted
    lines = lines / lines[:, 1:2]
    i, j = np.triu_indices(len(lines), 1)
    crossings = lines[i] - lines[j]
    upright = np.vstack((rows[rows[:, 1] == 0], crossings))
    upright = upright[np.abs(upright[:, 0]) > 1e-9]
    places = -upright[:, 2] / upright[:, 0]
    x, w = panels(first, places[np.unique(np.round(places, 9), return_index=True)[1]])
    if x.size * len(lines) > MOST_ON_A_PLANE:
        raise TooLarge
    y, v = panels(second, -(lines[:, 0] * x[:, None] + lines[:, 2]))
    return {names[0]: x[:, None], names[1]: y}, w[:, None], v


# ---- the whole


def exact_table(case: Case) -> Array:
    """P(T = t, outcome), shape (horizon, outcomes)."""
    values, outer, inner = persistent(case)
    renewed = sum(n.life == "report" for n in case.noises.values())
    if renewed > 1:
        raise ValueError("two noises that a report renews")
    result = np.zeros((case.horizon, len(case.outcomes)))
    chances: dict[Any, Array] = {}
    order = {o: k for k, o in enumerate(case.outcomes)}

    def chance(literals: list[tuple[Check, bool]], plain: dict[str, float]) -> Array:
        key = (tuple(literals), tuple(round(plain[c.statistic], 9) for c, _ in literals))
        if key not in chances:
            chances[key] = literals_chance(case, literals, plain, values)
        return chances[key]

    def add(step: int, outcome: str, mass: Array) -> None:
        result[step - 1, order[outcome]] += float(np.sum(mass))

    def walk(seen: tuple[float, ...], mass: Array, reports: int) -> None:
        step = len(seen)
        if step:
            plain = {name: f(seen) for name, f in STATISTICS.items()}
            start: list[tuple[list[tuple[Check, bool]], int]] = [([], reports)]
            if case.report:
                start = [([(case.report, False)], reports), ([(case.report, True)], reports + 1)]
            for literals, count in start:
                if count >= case.limit and case.report:
                    add(step, "full", mass * chance(literals, plain))
                    continue
                so_far = list(literals)
                for check, outcome in case.stops:
                    add(step, outcome, mass * chance([*so_far, (check, True)], plain))
                    so_far.append((check, False))
                left = mass * (chance(so_far, plain) if so_far else 1.0)
                if case.ends and step >= case.horizon:
                    add(step, "late", left)
                elif step < case.horizon:
                    if renewed and count > reports:
                        left = left.sum(axis=-1, keepdims=True) * inner
                    for v, p in case.data:
                        walk((*seen, v), left * p, count)
            return
        for v, p in case.data:
            walk((v,), mass * p, 0)

    walk((), outer * inner, 0)
    return result


# ---- random cases


def random_case(rng: np.random.Generator, persistent_noises: int = 1, reports: bool = False) -> Case:
    """A small case: one or two stops, at most two persistent noises, lattice or real data."""
    data = [((0, 0.4), (1, 0.6)), ((-1, 0.3), (1, 0.7)), ((-0.5, 0.45), (0.25, 0.3), (1, 0.25)), ((0, 0.5), (1, 0.5))]
    stops = int(rng.integers(1, 3))
    once = pick(rng, CONTINUOUS_FAMILIES if persistent_noises > 1 else FAMILIES)
    noises: dict[str, Noise] = {}
    for k in range(persistent_noises):
        family, arguments = once() if k == 0 else pick(rng, CONTINUOUS_FAMILIES)()
        life = "report" if reports and k == persistent_noises - 1 and rng.random() < 0.6 else "once"
        noises[f"z{k + 1}"] = Noise(family, arguments, life)
    shared = rng.random() < 0.35 and stops == 2
    checks: list[Check] = []
    statistic = str(rng.choice(list(STATISTICS)))
    for k in range(stops + reports):
        terms: list[tuple[str, float]] = []
        for z in [name for name in noises if name.startswith("z")]:
            if persistent_noises == 1 or rng.random() < 0.6:
                terms += [(z, float(rng.choice([1, -1, 0.5])))]
        bare = rng.random() < (0.25 if persistent_noises == 1 and not shared else 0.0)
        if shared:
            noises.setdefault("w", Noise(*pick(rng, FAMILIES)()))
            terms.append(("w", 1.0))
        elif not bare:
            noises[f"w{k + 1}"] = Noise(*pick(rng, FAMILIES)())
            terms.append((f"w{k + 1}", float(rng.choice([1, -1, 2]))))
        up = k == 0
        compare = str(rng.choice([">=", ">"] if up else ["<=", "<"]))
        threshold = float(rng.choice([1, 1.5, 2, 2.5] if up else [-1.5, -1, 0]))
        checks.append(Check(statistic, compare, threshold, tuple(terms)))
    used = {n for c in checks for n, _ in c.terms}
    noises = {n: v for n, v in noises.items() if n in used}
    report = checks.pop(0) if reports else None
    names = ["high", "low"]
    return Case(
        data[int(rng.integers(len(data)))],
        noises,
        tuple((c, names[k]) for k, c in enumerate(checks)),
        horizon=3 if persistent_noises > 1 else 4,
        ends=bool(rng.random() < 0.7),
        report=report,
        limit=2,
    )


Maker = Callable[[], tuple[str, tuple[Any, ...]]]
CONTINUOUS_FAMILIES: list[Maker] = [
    lambda: ("laplace", (1.5,)),
    lambda: ("gaussian", (1.25,)),
    lambda: ("exponential", (0.8,)),
    lambda: ("conditioned", (("laplace", 1.0), -1.25, 1.0)),
]
FAMILIES: list[Maker] = [*CONTINUOUS_FAMILIES, lambda: ("geometric", (0.4,)), lambda: ("gaussian", (0.75,))]


def pick(rng: np.random.Generator, makers: list[Maker]) -> Maker:
    return makers[int(rng.integers(len(makers)))]
