"""Small programs built by hand: sums, windows, CUSUM and queries against noisy thresholds."""

from __future__ import annotations

from fractions import Fraction

from seqlang.model.domain import REAL, Domain, Interval
from seqlang.model.expression import (
    Apply,
    CellValue,
    Expression,
    Field,
    Label,
    Law,
    Local,
    Noised,
    Number,
    Reported,
    Term,
)
from seqlang.model.gate_source import OfEvent, OfStop, OfValue
from seqlang.model.life import EachReport, EachStep, Life, Once
from seqlang.model.program import (
    Adjacency,
    AllSteps,
    Cell,
    CompareGate,
    Define,
    Gate,
    Input,
    Keep,
    LastSteps,
    Level,
    Margin,
    Noise,
    Previous,
    Program,
    PublicGate,
    ReleaseGate,
    Replace,
    Report,
    SinceReport,
    Statement,
    Stop,
    Within,
)


def num(x: float | Fraction) -> Number:
    return Number(Fraction(x).limit_denominator(10**9))


def minus(a: Expression, b: Expression) -> Expression:
    return Apply("-", (a, b))


def noised(base: Expression, noise: str, factor: int = 1) -> Noised:
    """The base as it is read in the body: with its noise."""
    return Noised(noise, base, (Term(noise, num(factor)),))


ONE = num(1)
MINUS = num(-1)
EVERY = Within(Field("x"), ONE, "every", False)


def interval(low: float, high: float) -> Interval:
    return Interval(num(low), num(high))


def noise(name: str, family: str, *arguments: float, life: Life | None = None) -> Noise:
    return Noise(name, Law(family, tuple(num(a) for a in arguments)), life or EachStep(), None)


def program(
    body: tuple[Statement, ...],
    gates: tuple[Gate, ...],
    noises: tuple[Noise, ...],
    domain: Domain,
    adjacency: Adjacency | None = None,
) -> Program:
    return Program(
        name="test", title="", documentation="", parameters=(), inputs=(Input("x", domain, "stream"),), size=None,
        adjacency=adjacency or Replace(ONE), models=(), memories=(), noises=noises, body=body, gates=gates, claims=(),
        labels=("high", "low"),
    )  # fmt: skip


def statistic(kind: str, keep: Keep | None = None, drift: float = 0.6) -> tuple[tuple[Statement, ...], Expression]:
    """Statements of a statistic and how it is read: sum, window, since, cusum or query (the entry itself)."""
    if kind == "query":
        return (), Field("x")
    if kind == "cusum":
        cell = Cell("g_before", "last", Local("g"), None, Previous(num(0)), (), Level.PRIVATE)
        value = Apply("max", (num(0), minus(Apply("+", (CellValue("g_before"), Field("x"))), num(drift))))
        return (Define("g", value, "statistic", Level.PRIVATE), cell), Local("g")
    cell = Cell("total", "sum", Field("x"), None, keep or AllSteps(), (), Level.PRIVATE)
    return (cell,), CellValue("total")


def one_sided(
    lz: float = 1, lw: float = 1, b: float = 10, kind: str = "sum", keep: Keep | None = None, z: str = "laplace",
    w: str = "laplace", domain: Domain | None = None, adjacency: Adjacency | None = None,
) -> Program:  # fmt: skip
    """stop when statistic + w >= b + z"""
    statements, value = statistic(kind, keep)
    terms = (Term("w", ONE), Term("z", MINUS)) if lw else (Term("z", MINUS),)
    terms = terms if lz else (Term("w", ONE),)
    gate = CompareGate(OfStop(1), None, Margin(minus(value, num(b)), terms, False))
    noises = tuple(n for n, scale in ((noise("z", z, lz or 1, life=Once()), lz), (noise("w", w, lw or 1), lw)) if scale)
    when = Apply(">=", (noised(value, "w") if lw else value, noised(num(b), "z") if lz else num(b)))
    body = (*statements, Stop(1, when, None))
    home = domain or (REAL if kind == "query" else interval(0, 1))
    return program(body, (gate,), noises, home, adjacency or (EVERY if kind == "query" else None))


def two_sided(lz: float = 1, lw: float = 1, share: str = "none", query: bool = False) -> Program:
    """stop high when total + w >= 10 + z, low when total + w <= -10 + z'.

    share: "none" (own z, own w), "w" (one w), "opposite" (z' = -z, one w), "parallel" (z' = z, own w).
    """
    statements, value = statistic("query" if query else "sum")
    second_w = "w" if share in ("w", "opposite") else "w2"
    second_z, sign = {"opposite": ("z", MINUS), "parallel": ("z", ONE)}.get(share, ("z2", ONE))
    up = Margin(minus(value, num(10)), (Term("w", ONE), Term("z", MINUS)), False)
    # low + z' - value - w >= 0, where z' is second_z with its sign
    down = Margin(minus(num(-10), value), (Term(second_w, MINUS), Term(second_z, sign)), False)
    gates = (CompareGate(OfStop(1), None, up), CompareGate(OfStop(2), None, down))
    noises = [noise("z", "laplace", lz, life=Once()), noise("w", "laplace", lw)]
    if second_w == "w2":
        noises.append(noise("w2", "laplace", lw))
    if second_z == "z2":
        noises.append(noise("z2", "laplace", lz, life=Once()))
    up_when = Apply(">=", (noised(value, "w"), noised(num(10), "z")))
    low = noised(num(-10), second_z, -1 if share == "opposite" else 1)
    down_when = Apply("<=", (noised(value, second_w), low))
    body = (*statements, Stop(1, up_when, Label("high")), Stop(2, down_when, Label("low")))
    home, adjacency = (REAL, EVERY) if query else (interval(-0.5, 0.5), None)
    return program(body, gates, tuple(noises), home, adjacency)


def repeated(kind: str, c: int, lz: float = 1, lw: float = 1, query: bool = False, b: float = 10) -> Program:
    """report high when total + w >= b + z; stop after c reports. kind: kept, refreshed or restarted."""
    keep = SinceReport("high") if kind == "restarted" else AllSteps()
    statements, value = statistic("query" if query else "sum", keep)
    life = Once() if kind == "kept" else EachReport("high")
    count = Cell("reports", "count", Reported("high"), None, AllSteps(), (), Level.PUBLIC)
    done = Apply(">=", (CellValue("reports"), num(c)))
    test = Margin(minus(value, num(b)), (Term("w", ONE), Term("z", MINUS)), False)
    gates = (CompareGate(OfEvent("high"), None, test), PublicGate(OfStop(1), done))
    when = Apply(">=", (noised(value, "w"), noised(num(b), "z")))
    body = (*statements, Report("high", when, None), count, Stop(1, done, None))
    home, adjacency = (REAL, EVERY) if query else (interval(0, 1), None)
    return program(body, gates, (noise("z", "laplace", lz, life=life), noise("w", "laplace", lw)), home, adjacency)


def plain_threshold(b: float = 3) -> Program:
    """stop when total >= b, without any noise"""
    statements, value = statistic("sum")
    gate = CompareGate(OfStop(1), None, Margin(minus(value, num(b)), (), False))
    body = (*statements, Stop(1, Apply(">=", (value, num(b))), Label("high")))
    return program(body, (gate,), (), interval(0, 1))


def released(family: str, *arguments: float, query: bool = False) -> Program:
    """report y = total + noise, every step"""
    statements, value = statistic("query" if query else "sum")
    gate = ReleaseGate(OfValue("y"), None, value, (Term("w", ONE),), None)
    home, adjacency = (REAL, EVERY) if query else (interval(0, 1), None)
    body = (*statements, Report("y", None, noised(value, "w")))
    return program(body, (gate,), (noise("w", family, *arguments),), home, adjacency)


WINDOW = LastSteps(num(20))
