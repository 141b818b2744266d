"""Small specs whose laws have extreme parameters: huge, tiny, or just inside of their domain."""

from __future__ import annotations

import random

from seqlang.laws.facts import Facts, Parameter, facts, names

EXTREME = {
    "scale": "1e-307 1e-300 1e-154 1e-20 1e-5 0.03 1 7 1000 13158 1e5 1e10 1e15 1e20 1e154 1e300 8e307".split(),
    "ratio": "1e-307 1e-300 1e-16 0.001 0.5 exp(-1) 0.999 0.9999999 0.9999999999999999 exp(-1e-10) exp(-700)".split(),
    "probability": "0 1e-307 1e-300 1e-16 0.3 1/2 0.9999999999999999 1-1e-9 1".split(),
    "natural": "0 1 2 40 1000 1000000 9007199254740993 1e18 1e300".split(),
    "count": "1 2 3 1000".split(),
    "number": "-8e307 -1e300 -1e154 -1e20 -1e5 -1 -1e-20 -1e-307 0 1e-300 1e-20 0.5 3 1e6 1e20 1e300".split(),
}
DOMAINS = {
    "points": "{0,1} {0,1} {0,1} [0,1] [0,1] real 0..1000 -3..3 [0,1e300] {0,1e300} {-1e-300,1e-300}".split(),
    "whole numbers": ["real"], "line": ["real"], "counts": ["0..", "real"], "half line": ["[0, 1e300]", "real"],
}  # fmt: skip
BARS = "0 1 20 -20 1e5 -1e10 1e20 1e300 -1e300 1e-300 1/3".split()
NEIGHBOURS = [
    "", "", "", "adjacent every x within 1", "adjacent every x within 1e-300", "adjacent every x within 1e300",
    "adjacent one x within 1/3", "adjacent every x within 1 same direction", "adjacent replace 3",
]  # fmt: skip
CLAIMS = [
    "strong pure(1)", "strong dp(1, 1e-6)", "strong zcdp(1/2)", "strong rdp(2, 1)", "strong pure(1) within 5 steps",
    "weak dp(1, 1e-6) under m", "expected(step) <= 3 under m", "probability(up) >= 0.1 under m",
]  # fmt: skip
SHAPES = [
    "draw z ~ {law}\nstop when x + z >= {bar} return up",
    "draw z ~ {law} once\nstop when x + z >= {bar} return up",
    "statistic s = sum(x over steps)\nattach {law} to s\nstop when s >= {bar} return up",
    "param b = {bar}\nstatistic s = sum(x over steps)\nattach {law} to b once\nattach {other} to s\n"
    "stop when s >= b return up",
    "report r = x\nattach {law} to r\nstop when r >= {bar} return up",
    "report r = sum(x over steps)\nattach {law} to r\nstop when step >= 4 return up",
    "report r = sum(x over steps)\nattach tree({law}) to r\nstop when step >= 4 return up",
    "statistic v = [x, 1 - x, x / 2]\nattach {law} to v\nstop return argmax(v)",
    "draw z ~ conditioned({law}, {bar}, {top})\nstop when x + z >= 1 return up",
    "draw z ~ convolve({law}, {other})\nstop when x + z >= {bar} return up",
    "draw z ~ sum_of({count}, {law})\nstop when x + z >= {bar} return up",
    "param b = {bar}\nreport above when x >= b\nattach {law} to b each above\nattach {other} to x\n"
    "stop when count(above over steps) >= 3 return up",
    "stop when sum(clip(log({law}.{mass}(x) / {other}.{mass}(x)), -1, 1) over steps) >= {bar} return up",
    "draw z ~ {law}\ndraw u ~ {other} once\nstop when abs(x + z) <= {bar} and u >= z return up",
]  # fmt: skip


def spec(rng: random.Random) -> str:
    """A spec; not every one is valid."""
    noises = [name for name in sorted(names()) if facts(name).noise and _plain(facts(name))]
    numbers = [name for name in sorted(names()) if _plain(facts(name))]
    law, model = rng.choice(noises), rng.choice(["bernoulli", *numbers])
    where = DOMAINS["line" if facts(model).support == "arguments" else facts(model).support.replace("listed", "points")]
    data = _law(model, rng, 0.6)
    if model == "bernoulli":
        where, data = DOMAINS["points"], rng.choice([data, "uniform({0})", "uniform({0})"])
    other = rng.choice([law, law, rng.choice(noises)])
    mass = "pdf" if facts(law).kind == "density" else "pmf"
    shape = rng.choice(SHAPES).format(
        law=_law(law, rng), other=_law(other, rng, 0.6), bar=rng.choice(BARS), top=rng.choice(BARS), mass=mass,
        count=rng.choice(EXTREME["natural"]),
    )  # fmt: skip
    domain = rng.choice(where)
    lines = [
        "algorithm extreme",
        f"stream x in {domain}",
        rng.choice(NEIGHBOURS),
        f"model m: x ~ {data.format(_inside(domain))}",
        shape,
        rng.choice(["", "stop when step >= 9 return no", "stop when step >= 1e15 return no"]),
        *(f"claim {claim}" for claim in rng.sample(CLAIMS, 2)),
    ]
    return "\n".join(line for line in lines if line) + "\n"


def _inside(domain: str) -> str:
    """Arguments of the uniform law on it, or on a part of it."""
    return {"real": "-1, 1", "0..1000": "0..9", "-3..3": "-3..3"}.get(domain, domain.strip("[]"))


def _plain(law: Facts) -> bool:
    """Whether it is a law of one number whose parameters are numbers."""
    return (
        bool(law.parameters)
        and not law.joint
        and law.kind != "none"
        and not any(p.kind in ("law", "set") for p in law.parameters)
    )


def _law(name: str, rng: random.Random, usual: float = 0.0) -> str:
    return f"{name}({', '.join(_parameter(p, rng, usual) for p in facts(name).parameters)})"


def _parameter(parameter: Parameter, rng: random.Random, usual: float) -> str:
    choices = EXTREME[parameter.kind]
    return choices[len(choices) // 2] if rng.random() < usual else rng.choice(choices)
