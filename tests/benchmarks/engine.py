"""Steps a CPU-second of compiled runs, beside plain C and hand-written numpy: ratios, medians of interleaved rounds.

python tests/benchmarks/engine.py [--rounds 5] [--work 1] [--only NAME...]

All three do the same work on one thread: our own runs through `seqlang.run`, with everything that it adds; a scalar C
program (`PLAIN` below: xoshiro256++ and ziggurats of 256 strips, `gcc -O3 -march=native`, one generator for all
runs), where a compiler is there; and a loop over steps in numpy with all runs side by side, finished ones dropped.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import seqlang
from seqlang.record import record

SPARSE = """\
algorithm sparse_vector
param T = 20
param n in 1.. = 30
stream q in real
model normal: q ~ normal(0, 1)
report above when q >= T
stop when count(above over steps) >= 1 return found
stop when step >= n return none
attach laplace(2) to T once
attach laplace(4) to q
"""

PLAIN = r"""
#include <math.h>
#include <stdint.h>
static uint64_t s[4];
static inline uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
static inline uint64_t next(void) {
    uint64_t r = rotl(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3]; s[2] ^= t; s[3] = rotl(s[3], 45);
    return r;
}
static void seed(uint64_t x) {
    for (int i = 0; i < 4; i++) {
        uint64_t z = x += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u; z = (z ^ (z >> 27)) * 0x94D049BB133111EBu; s[i] = z ^ (z >> 31);
    }
}
static inline double uniform(void) { return (next() >> 11) * 0x1p-53; }

/* Marsaglia and Tsang 2000: edges x, heights f, widths w of a unit of 52 random bits, and what is accepted outright */
#define STRIPS 256
typedef struct { double x[STRIPS + 1], f[STRIPS + 1], w[STRIPS]; int64_t k[STRIPS]; } table;
static table normals, exponentials;
static double bell(double x) { return exp(-x * x / 2); }
static double unbell(double y) { return sqrt(-2 * log(y)); }
static double fall(double x) { return exp(-x); }
static double unfall(double y) { return -log(y); }
static void fill(table *t, double (*f)(double), double (*inverse)(double), double r, double area) {
    t->x[0] = area / f(r); t->x[1] = r; t->x[STRIPS] = 0;
    for (int i = 2; i < STRIPS; i++) t->x[i] = inverse(f(t->x[i - 1]) + area / t->x[i - 1]);
    for (int i = 0; i <= STRIPS; i++) t->f[i] = f(t->x[i]);
    for (int i = 0; i < STRIPS; i++) {
        t->w[i] = t->x[i] * 0x1p-52; t->k[i] = (int64_t)(t->x[i + 1] / t->x[i] * 0x1p52);
    }
}
static void start(uint64_t x) {
    double r = 3.6541528853610088, q = 7.69711747013104972;
    fill(&normals, bell, unbell, r, r * bell(r) + sqrt(M_PI / 2) * erfc(r / sqrt(2)));
    fill(&exponentials, fall, unfall, q, (q + 1) * fall(q));
    seed(x);
}
static double normal_slow(int64_t j, int i) {
    for (;;) {
        double x = j * normals.w[i];
        if (i == 0) {
            double a, b;
            do { a = -log(1 - uniform()) / normals.x[1]; b = -log(1 - uniform()); } while (b + b < a * a);
            return j < 0 ? -normals.x[1] - a : normals.x[1] + a;
        }
        if (normals.f[i] + uniform() * (normals.f[i + 1] - normals.f[i]) < bell(x)) return x;
        uint64_t w = next();
        i = w & (STRIPS - 1); j = (int64_t)w >> 11;
        if ((j < 0 ? -j : j) < normals.k[i]) return j * normals.w[i];
    }
}
static inline double normal(void) {
    uint64_t w = next();
    int i = w & (STRIPS - 1);
    int64_t j = (int64_t)w >> 11;
    return __builtin_expect((j < 0 ? -j : j) < normals.k[i], 1) ? j * normals.w[i] : normal_slow(j, i);
}
static double laplace_slow(int64_t j, int i) {
    double base = 0;
    int64_t sign = j < 0 ? -1 : 1, m = sign * j;
    for (;;) {
        double x = m * exponentials.w[i];
        if (i == 0) base += exponentials.x[1]; /* no memory: the tail is the whole law again */
        else if (exponentials.f[i] + uniform() * (exponentials.f[i + 1] - exponentials.f[i]) < fall(x))
            return sign * (base + x);
        uint64_t w = next();
        i = w & (STRIPS - 1); m = (int64_t)(w >> 12);
        if (m < exponentials.k[i]) return sign * (base + m * exponentials.w[i]);
    }
}
static inline double laplace(void) {
    uint64_t w = next();
    int i = w & (STRIPS - 1);
    int64_t j = (int64_t)w >> 11;
    return __builtin_expect((j < 0 ? -j : j) < exponentials.k[i], 1) ? j * exponentials.w[i] : laplace_slow(j, i);
}

int64_t sprt(uint64_t x, int64_t runs, double p, double up, double low, double high, int64_t *told) {
    int64_t steps = 0;
    start(x);
    for (int64_t run = 0; run < runs; run++) {
        double llr = 0;
        do { steps++; llr += uniform() < p ? up : -up; } while (llr < high && llr > low);
        told[llr >= high]++;
    }
    return steps;
}
int64_t private_sprt(uint64_t x, int64_t runs, double p, double up, double a, double once, double each, int64_t *told) {
    int64_t steps = 0;
    start(x);
    for (int64_t run = 0; run < runs; run++) {
        double llr = 0, lower = -a - once * normal(), upper = a + once * normal();
        for (;;) {
            steps++; llr += uniform() < p ? up : -up;
            if (llr >= upper + each * normal()) { told[1]++; break; }
            if (llr <= lower - each * normal()) { told[0]++; break; }
        }
    }
    return steps;
}
int64_t sparse(uint64_t x, int64_t runs, double level, double once, double each, double n, int64_t *told) {
    int64_t steps = 0;
    start(x);
    for (int64_t run = 0; run < runs; run++) {
        double threshold = level + once * laplace();
        int64_t above = 0, step = 0;
        do { step++; above += normal() + each * laplace() >= threshold; } while (above < 1 && step < n);
        steps += step; told[above]++;
    }
    return steps;
}
"""


def numpy_sprt(rng: Any, runs: int, p: float, up: float, low: float, high: float) -> int:
    llr, steps = np.zeros(runs), 0
    while llr.size:
        llr += np.where(rng.random(llr.size) < p, up, -up)
        steps += llr.size
        llr = llr[(llr < high) & (llr > low)]
    return steps


def numpy_private_sprt(rng: Any, runs: int, p: float, up: float, a: float, once: float, each: float) -> int:
    llr, steps = np.zeros(runs), 0
    lower, upper = -a - once * rng.standard_normal(runs), a + once * rng.standard_normal(runs)
    while llr.size:
        llr += np.where(rng.random(llr.size) < p, up, -up)
        steps += llr.size
        on = llr < upper + each * rng.standard_normal(llr.size)
        on &= llr > lower - each * rng.standard_normal(llr.size)
        llr, lower, upper = llr[on], lower[on], upper[on]
    return steps


def numpy_sparse(rng: Any, runs: int, level: float, once: float, each: float, n: float) -> int:
    threshold, steps, step = level + rng.laplace(0, once, runs), 0, 0
    while threshold.size and step < n:
        step += 1
        steps += threshold.size
        on = rng.standard_normal(threshold.size) + rng.laplace(0, each, threshold.size) < threshold
        threshold = threshold[on]
    return steps


@record
class Case:
    """`arguments` are those of the C function and of the loop in numpy. `runs` are about a second's; `label` is what
    the C program counts in the second place."""

    title: str
    name: str
    spec: seqlang.Spec
    model: str
    arguments: tuple[float, ...]
    by_numpy: Callable[..., int]
    runs: int
    label: str
    bar: float


def cases() -> tuple[Case, ...]:
    short, long, end = math.log(0.7 / 0.3), math.log(0.55 / 0.45), math.log(19)
    sigma = math.sqrt(2 * math.log(1.25e5))
    private = seqlang.load("@zhang2022/privsprt_bernoulli", p0=0.2, p1=0.578, A=0.5, a=43, b=43, eps=1)
    return (
        Case("SPRT, 9 steps", "sprt", seqlang.load("@wald1945/sprt"), "null",
             (0.3, short, -end, end), numpy_sprt, 20_000_000, "reject", 1.5),
        Case("SPRT, 136 steps", "sprt", seqlang.load("@wald1945/sprt", p0=0.45, p1=0.55), "null",
             (0.45, long, -end, end), numpy_sprt, 4_000_000, "reject", 1.5),
        Case("PrivSPRT, 289 steps", "private_sprt", private, "alternative",
             (0.578, 0.5, 43.0, sigma, 2 * sigma), numpy_private_sprt, 800_000, "reject", 2.5),
        Case("sparse vector, 30 queries", "sparse", seqlang.load(SPARSE), "normal",
             (20.0, 2.0, 4.0, 30.0), numpy_sparse, 6_000_000, "found", 3.0),
    )  # fmt: skip


def plain(folder: Path) -> ctypes.CDLL | None:
    """The C programs, compiled."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    (folder / "plain.c").write_text(PLAIN, encoding="utf-8")
    command = [compiler, "-O3", "-march=native", "-shared", "-fPIC", "plain.c", "-o", "plain.so", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "plain.so"))


def by_c(library: ctypes.CDLL, case: Case, runs: int, seed: int) -> tuple[int, float]:
    """Steps, and the share of the runs that ended with the second label."""
    function = library[case.name]
    function.restype = ctypes.c_int64
    told = (ctypes.c_int64 * 2)()
    numbers = map(ctypes.c_double, case.arguments)
    steps = function(ctypes.c_uint64(seed), ctypes.c_int64(runs), *numbers, told)
    return int(steps), told[1] / runs


def ours(case: Case, runs: int, seed: int) -> tuple[float, float]:
    (result,) = seqlang.run(case.spec, model=case.model, runs=runs, seed=seed, engine="compiled", threads=1)
    found = result.to_dict()
    return found["steps"]["mean"] * runs, found["returns"][case.label]["probability"]


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    return work(), time.process_time() - began


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def compare(case: Case, library: ctypes.CDLL | None, rounds: int, work: float) -> str:
    runs = max(1000, int(case.runs * work))
    ours(case, 1000, 1)  # compiles
    rng = np.random.default_rng(1)
    rates: dict[str, list[float]] = {"ours": [], "C": [], "numpy": []}
    shares: dict[str, float] = {}
    for seed in range(1, rounds + 1):
        (steps, shares["ours"]), seconds = timed(lambda: ours(case, runs, seed))  # noqa: B023
        rates["ours"].append(steps / seconds)
        if library is not None:
            (steps, shares["C"]), seconds = timed(lambda: by_c(library, case, runs // 4, seed))  # noqa: B023
            rates["C"].append(steps / seconds)
        steps, seconds = timed(lambda: case.by_numpy(rng, min(40_000, runs), *case.arguments))
        rates["numpy"].append(steps / seconds)
    rate = {name: median(found) for name, found in rates.items() if found}
    to_c = f"{rate['ours'] / rate['C']:6.2f}" if "C" in rate else "     -"
    told = " ".join(f"{name} {share:.4f}" for name, share in shares.items())
    columns = f"{rate['ours'] / 1e6:9.1f} {to_c} {case.bar:6.1f} {rate['ours'] / rate['numpy']:8.1f} {5.0:6.1f}"
    return f"{case.title:<28} {columns}   {case.label}: {told}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", type=float, default=1.0, help="factor on the numbers of runs")
    parser.add_argument("--only", nargs="*", default=[], help="names of the C functions")
    chosen = parser.parse_args()
    print(f"{'':<28} {'M steps/s':>9} {': C':>6} {'bar':>6} {': numpy':>8} {'bar':>6}")
    with tempfile.TemporaryDirectory() as folder:
        library = plain(Path(folder))
        for case in cases():
            if not chosen.only or case.name in chosen.only:
                print(compare(case, library, chosen.rounds, chosen.work), flush=True)


if __name__ == "__main__":
    main()
