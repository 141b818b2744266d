"""Strangers' one-shot algorithms: selection, histograms, sums, local answers. Bounds from the literature or by hand.

Each program stands with the pure epsilon and the rho of zCDP that hold for it (inf: none), and where they come from.
"""

from __future__ import annotations

from math import inf, log

import pytest
from thorough import spread

from seqlang.analyses.prove import prove, size_of
from seqlang.driver import check, load
from seqlang.source import Source

PROGRAMS = [
    (
        "expmech",
        """dataset q in real size 5
adjacent every q within 1
draw r ~ {i: exp(q[i] / 2) for i in records}
stop return r""",
        1, 1 / 8, "McSherry & Talwar 2007; Cesar & Rogers 2021",
    ),
    (
        "expmech_monotone",
        """dataset q in real size 5
adjacent every q within 1 same direction
draw r ~ {i: exp(q[i]) for i in records}
stop return r""",
        1, 1 / 8, "Dwork & Roth 2014, remark after Theorem 3.10: no factor 2",
    ),
    (
        "expmech_nofactor2",
        """dataset q in real size 5
adjacent every q within 1
draw r ~ {i: exp(q[i]) for i in records}
stop return r""",
        2, 1 / 2, "twice as much without the factor 2",
    ),
    (
        "rnm_laplace",
        """dataset q in real size 5
adjacent every q within 1
stop return argmax(q)
attach laplace(2) to q""",
        1, 1 / 2, "Dwork & Roth 2014, Claim 3.9",
    ),
    (
        "rnm_exponential",
        """dataset q in real size 5
adjacent every q within 1
stop return argmax(q)
attach exponential(2) to q""",
        1, 1 / 2, "McKenna & Sheldon 2020: permute and flip",
    ),
    (
        "rnm_gumbel",
        """dataset q in real size 5
adjacent every q within 1
stop return argmax(q)
attach gumbel(2) to q""",
        1, 1 / 8, "Durfee & Rogers 2019: the exponential mechanism",
    ),
    (
        "rnm_geometric",
        """dataset q in 0.. size 5
adjacent every q within 1
stop return argmax(q)
attach geometric(exp(-1/2)) to q""",
        1, 1 / 2, "ties go to the first",
    ),
    (
        "argmin_exponential_bad",
        """dataset q in real size 5
adjacent every q within 1
stop return argmin(q)
attach exponential(2) to q""",
        4, 8, "four losers move",
    ),
    (
        "noisymax_gap_let",
        """dataset q in real size 5
adjacent every q within 1
statistic w = argmax(q)
report winner = w
report gap = q[w] - max(q[i] for i in records where i != w)
stop
attach laplace(2) to q""",
        1, 1 / 2, "Ding et al. 2019: the gap is free",
    ),
    (
        "noisymax_value",
        """dataset q in real size 5
adjacent every q within 1
stop return max(q)
attach laplace(2) to q""",
        5 / 2, 25 / 8, "all five numbers",
    ),
    (
        "noisymax_value_fresh",
        """dataset q in real size 5
adjacent every q within 1
statistic v = max(q)
statistic m = max(q)
stop return m
attach laplace(1) to m""",
        1, 1 / 2, "the maximum moves by 1",
    ),
    (
        "noisymax_one_entry",
        """dataset q in real size 5
adjacent one q within 1
stop return argmax(q)
attach laplace(1) to q""",
        1, 1 / 2, "one number moves by 1",
    ),
    (
        "noisymax_same_dir",
        """dataset q in real size 5
adjacent every q within 1 same direction
stop return argmax(q)
attach laplace(1) to q""",
        1, 1 / 2, "all move one way",
    ),
    (
        "topk_loop",
        """param k = 3
dataset q in real size 5
adjacent every q within 1
memory chosen = zeros(5)
report pick = argmax(q[i] for i in records where chosen[i] == 0)
update chosen = [if i == pick then 1 else chosen[i] for i in 1..5]
stop when step >= k
attach laplace(6) to q""",
        1, 1 / 6, "three rounds of 1/3",
    ),
    (
        "topk_peel_exp",
        """param k = 3
param N = 5
dataset q in real size N
adjacent every q within 1
memory chosen = zeros(N)
draw r ~ {i: exp(q[i] / (2 * k)) for i in records where chosen[i] == 0}
report pick = r
update chosen = [if i == pick then 1 else chosen[i] for i in 1..N]
stop when step >= k""",
        1, 1 / 24, "three rounds of (1/3)^2 / 8",
    ),
    (
        "topk_oneshot",
        """dataset q in real size 5
adjacent every q within 1
statistic w = argmax(q)
report first = w
report second = argmax(q[i] for i in records where i != w)
stop
attach laplace(4) to q""",
        1, 1 / 2, "two winners of 1/2",
    ),
    (
        "hist_replace_count",
        """param N = 100
dataset x in {1, 2, 3, 4} size N
statistic h = [count(x[i] == k for i in records) for k in 1..4]
stop return h
attach laplace(2) to h""",
        1, 1 / 2, "l1 is 2",
    ),
    (
        "hist_replace_gauss",
        """param N = 100
dataset x in {1, 2, 3, 4} size N
statistic h = [count(x[i] == k for i in records) for k in 1..4]
stop return h
attach gaussian(1) to h""",
        inf, 1, "l2 is sqrt 2",
    ),
    (
        "hist_add",
        """param N = 100
dataset x in {1, 2, 3, 4} size N
adjacent add or remove one
statistic h = [count(x[i] == k for i in records) for k in 1..4]
stop return h
attach laplace(1) to h""",
        1, 1 / 2, "l1 is 1",
    ),
    (
        "hist_bins",
        """param N = 100
dataset x in [0, 10] size N
adjacent add or remove one
statistic h = [count(x[i] >= k and x[i] < k + 1 for i in records) for k in 0..9]
stop return h
attach laplace(1) to h""",
        1, 1 / 2, "bins by comparisons",
    ),
    (
        "hist_floor",
        """param N = 100
dataset x in [0, 10] size N
statistic h = [count(floor(x[i]) == k for i in records) for k in 0..9]
stop return h
attach laplace(2) to h""",
        1, 1 / 2, "bins by rounding",
    ),
    (
        "hist_argmax_add",
        """param N = 100
dataset x in {1, 2, 3, 4} size N
adjacent add or remove one
statistic h = [count(x[i] == k for i in records) for k in 1..4]
stop return argmax(h)
attach laplace(1) to h""",
        1, 1 / 2, "one count moves",
    ),
    (
        "mode_exp",
        """param N = 100
dataset x in {1, 2, 3, 4} size N
adjacent add or remove one
statistic h = [count(x[i] == k for i in records) for k in 1..4]
draw r ~ {k: exp(h[k]) for k in 1..4}
stop return r""",
        1, 1 / 8, "one count moves",
    ),
    (
        "hist_stream",
        """param n = 50
stream x in {1, 2, 3}
report h = [count(x == k over steps) for k in 1..3] when step == n
stop when step >= n
attach laplace(2) to h""",
        1, 1 / 2, "shown once",
    ),
    (
        "mean_clip2",
        """param N = 100
dataset x in real size N
statistic m = mean(clip(x[i], 0, 10) for i in records)
stop return m
attach laplace(10 / N) to m""",
        1, 1 / 2, "10 / N",
    ),
    (
        "mean_two_parts",
        """param N = 100
dataset x in [0, 1] size N
adjacent add or remove one
statistic s = sum(x)
statistic c = sum(1 for i in records)
stop return s / max(1, c)
attach laplace(2) to s
attach laplace(2) to c""",
        1, 1 / 4, "sum and count",
    ),
    (
        "laplace_parallel",
        """param eps = 0.05
dataset x in real size 1
adjacent one x within 1
statistic v = [x[1] for k in 1..20]
stop return v
attach laplace(1 / eps) to v""",
        1, 1 / 2, "twenty copies",
    ),
    (
        "prefixsum",
        """param T = 10
stream q in real
adjacent one q within 1
memory next = 0
report noisy = q
update next = next + noisy
report out = next
stop when step >= T
attach laplace(1) to noisy""",
        1, 1 / 2, "ShadowDP",
    ),
    (
        "smartsum_checkdp",
        """param T = 20
param M = 5
stream q in real
adjacent one q within 1
memory next = 0
memory n = 0
report block = sum(q over last M) when step % M == 0
report small = q when not (step % M == 0)
update next = if step % M == 0 then block else next + small
report out = next
stop when step >= T
attach laplace(1) to block
attach laplace(1) to small""",
        2, 1, "Chan, Shi & Song 2011 as CheckDP has it",
    ),
    (
        "smartsum_shadowdp",
        """param T = 20
param M = 5
stream q in real
adjacent one q within 1
memory blocks = 0
memory within = 0
report end when step % M == 0
report block = sum(q since end) when step % M == 0
report small = q when not (step % M == 0)
update blocks = blocks + block when step % M == 0
update within = if step % M == 0 then 0 else within + small
report out = blocks + within
stop when step >= T
attach laplace(1) to block
attach laplace(1) to small""",
        2, 1, "as ShadowDP has it",
    ),
    (
        "two_level",
        """param T = 100
param B = 10
stream x in [0, 1]
memory done = 0
memory run = 0
report end when step % B == 0
report big = sum(x since end) when end
report one = x
update done = done + big when end
update run = if step % B == 0 then 0 else run + one
report total = done + run
stop when step >= T
attach laplace(2) to big, one""",
        1, 1 / 4, "blocks of ten and single entries",
    ),
    (
        "rappor_attach",
        """param d = 4
param f in (0, 1) = 0.5
stream x in {1, 2, 3, 4}
statistic bits = [if x == k then 1 else 0 for k in 1..d]
stop return bits
attach randomized_response(1 - f / 2) to bits""",
        2 * log(3), 2 * log(3) ** 2, "Erlingsson et al. 2014, one time",
    ),
    (
        "krr_direct",
        """param k = 4
param eps = 1
stream x in {1, 2, 3, 4}
draw y ~ {v: if x == v then exp(eps) else 1 for v in 1..k}
stop return y""",
        1, 1 / 2, "Kairouz et al. 2016",
    ),
    (
        "oue",
        """param eps = 1
stream x in {1, 2, 3, 4}
draw u ~ bernoulli([if x == k then 1/2 else 1 / (1 + exp(eps)) for k in 1..4])
stop return u""",
        1, 1 / 2, "Wang et al. 2017",
    ),
    (
        "rr_fair_coins",
        """stream x in {0, 1}
draw c1 ~ bernoulli(1/2)
draw c2 ~ bernoulli(1/2)
stop return if c1 == 1 then x else c2""",
        log(3), log(3) ** 2 / 2, "Warner 1965",
    ),
    (
        "trunc_geometric_post",
        """param N = 100
dataset x in {0, 1} size N
statistic c = sum(x)
stop return clip(c, 0, N)
attach geometric(exp(-1)) to c""",
        1, 1 / 2, "Ghosh et al. 2009",
    ),
    (
        "staircase",
        """param N = 100
dataset x in [0, 1] size N
statistic c = sum(x)
stop return c
attach staircase(1, 1) to c""",
        1, 1 / 2, "Geng & Viswanath 2016",
    ),
    (
        "shared_same",
        """param N = 100
dataset x in [0, 1] size N
statistic a = sum(x)
statistic b = sum(x)
draw z ~ laplace(1) once
report u = a
report w = b
stop
attach z to a, b""",
        1, 1 / 2, "the second number tells nothing",
    ),
    (
        "shared_opposite",
        """param N = 100
dataset x in [0, 1] size N
statistic a = sum(x)
statistic b = sum(x)
draw z ~ laplace(1) once
report u = a
report w = b
stop
attach z to a
attach -z to b""",
        inf, inf, "the sum of both is bare",
    ),
    (
        "same_value_same_noise",
        """param N = 100
dataset x in [0, 1] size N
statistic a = sum(x)
report u = a
report w = 2 * a + 1
stop
attach laplace(1) to a""",
        1, 1 / 2, "post-processing",
    ),
    (
        "vector_l2laplace",
        """param N = 100
dataset x in ball(1, 3) size N
statistic g = sum(x)
stop return g
attach l2_laplace(2) to g""",
        1, 1 / 2, "diameter 2",
    ),
    (
        "vector_gauss_add",
        """param N = 100
dataset x in ball(1, 3) size N
adjacent add or remove one
statistic g = sum(x)
stop return g
attach gaussian(2) to g""",
        inf, 1 / 8, "norm 1, deviation 2",
    ),
    (
        "mwem_like",
        """param N = 100
param T = 5
dataset x in {1, 2, 3, 4} size N
memory w = zeros(4)
statistic h = [count(x[i] == k for i in records) for k in 1..4]
draw j ~ {k: exp(abs(h[k] - w[k]) / (4 * T)) for k in 1..4}
report q = j
report m = h[q]
update w = [if k == q then m else w[k] for k in 1..4]
stop when step >= T
attach laplace(2 * T) to m""",
        1, 1 / 32, "five rounds, half for each part",
    ),
    (
        "bisect",
        """param k = 8
param N = 100
dataset x in [0, 1] size N
memory lo = 0
memory hi = 1
let mid = (lo + hi) / 2
report below = count(x[i] <= mid for i in records)
update lo = if below < N / 2 then mid else lo
update hi = if below >= N / 2 then mid else hi
stop when step >= k return (lo + hi) / 2
attach laplace(8) to below""",
        1, 1 / 16, "eight counts of 1/8",
    ),
    (
        "quantile_exp",
        """param N = 99
param m = 20
dataset x in [0, 1] size N
statistic u = [-abs(count(x[i] <= j / m for i in records) - N / 2) for j in 0..m]
draw r ~ {j: exp(u[j + 1] / 2) for j in 0..m}
stop return r / m""",
        1, 1 / 8, "Smith 2011, on a grid",
    ),
    (
        "median_exp2",
        """param N = 99
dataset x in 1..20 size N
draw r ~ {j: exp(-abs(count(x[i] < j for i in records) - count(x[i] > j for i in records)) / 4) for j in 1..20}
stop return r""",
        1, 1 / 8, "the rank difference moves by 2",
    ),
    (
        "interior_point",
        """param N = 99
dataset x in 1..20 size N
draw r ~ {j: exp(min(count(x[i] <= j for i in records), count(x[i] >= j for i in records)) / 2) for j in 1..20}
stop return r""",
        1, 1 / 8, "Beimel et al. 2013, on a grid",
    ),
    (
        "flip_return_stop",
        """stream x in {0, 1}
statistic s = sum(x over steps)
stop when step >= 10 and s >= 5 return yes
stop when step >= 10 return nope
attach randomized_response(3/4) to return""",
        log(3), log(3) ** 2 / 2, "the label alone is shown",
    ),
    (
        "two_selects",
        """dataset q in real size 5
adjacent every q within 1
draw r ~ {i: exp(q[i] / 4) for i in records}
draw s ~ {i: exp(q[i] / 4) for i in records}
report a = r
report b = s
stop""",
        1, 1 / 16, "two choices of 1/2",
    ),
    (
        "select_then_measure",
        """dataset q in real size 5
adjacent every q within 1
draw r ~ {i: exp(q[i] / 4) for i in records}
report a = r
report b = q[a]
stop
attach laplace(2) to b""",
        1, 5 / 32, "1/32 + 1/8",
    ),
    (
        "rappor_two_levels",
        """param f in (0, 1) = 0.5
param p in (0, 1) = 0.5
param q in (0, 1) = 0.75
stream x in {1, 2, 3, 4}
statistic bits = [x == k for k in 1..4]
draw s ~ bernoulli([if bits[k] then q else p for k in 1..4])
stop return s
attach randomized_response(1 - f / 2) to bits once""",
        2 * log(3), 2 * log(3) ** 2, "the second flips read the first ones",
    ),
    (
        "duchi",
        """param eps > 0 = 1
stream x in [-1, 1]
draw b ~ bernoulli(1 / 2 + x * (exp(eps) - 1) / (2 * (exp(eps) + 1)))
report y = if b == 1 then 1 else -1
stop when step >= 100""",
        1, 1 / 2, "Duchi, Jordan & Wainwright 2013",
    ),
    (
        "hist_two_fields",
        """param N = 100
dataset x in 1..3, y in 0..1 size N
statistic h = [count(x[i] == k and y[i] == 1 for i in records) for k in 1..3]
stop return h
attach laplace(2) to h""",
        1, 1 / 2, "a record is in one cell at most",
    ),
    (
        "marginals",
        """param N = 100
dataset x in 0..1, y in 0..1, z in 0..1 size N
statistic h = [sum(x), sum(y), sum(z), count(x[i] == y[i] for i in records)]
stop return h
attach laplace(4) to h""",
        3 / 4, 9 / 32, "one of four predicates stays as it is",
    ),
    (
        "weighted_mode",
        """param N = 100
dataset x in 1..4, w in [0, 1] size N
statistic h = [sum(w[i] for i in records where x[i] == k) for k in 1..4]
stop return argmax(h)
attach laplace(2) to h""",
        1, 1 / 2, "weights up to 1",
    ),
    (
        "gumbel_topk",
        """param k = 3
dataset q in real size 6
adjacent every q within 1
memory chosen = zeros(6)
report pick = argmax(q[i] for i in records where chosen[i] == 0)
update chosen = [if i == pick then 1 else chosen[i] for i in 1..6]
stop when step >= k
attach gumbel(6) to q""",
        1, 1 / 24, "three rounds of (1/3)^2 / 8",
    ),
    (
        "noisy_count_stop",
        """param N = 100
dataset x in {0, 1} size N
statistic c = sum(x)
report noisy = c
stop when noisy >= 50 return many
stop return few
attach laplace(1) to c""",
        1, 1 / 2, "the stop reads what was reported",
    ),
    (
        "mean_plus_mode",
        """param N = 100
dataset x in 1..5 size N
statistic h = [count(x[i] == k for i in records) for k in 1..5]
statistic m = sum(x) / N
report mode = argmax(h)
report mean = m
stop
attach laplace(4) to h
attach laplace(8 / N) to m""",
        1, 1 / 4, "1/2 + 1/2",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "epsilon", "rho"), spread([row[:4] for row in PROGRAMS], 29))
def test_bounds(name: str, text: str, epsilon: float, rho: float) -> None:
    made = load(Source(name, f"algorithm {name}\n{text}\n")).program
    found = prove(made, orders=())
    pure = inf if found.pure is None else size_of(made, found.pure)
    concentrated = inf if found.zcdp is None else size_of(made, found.zcdp)
    assert pure == (inf if epsilon == inf else pytest.approx(epsilon))
    assert concentrated == (inf if rho == inf else pytest.approx(rho))


AT_DELTA = [
    # 100 answers of 0.1, 200 of 0.05: optimal composition (Kairouz, Oh & Viswanath 2015)
    ("report a = sum(x)\nstop when step >= 100\nattach laplace(10) to a", 4.774567),
    ("report a = sum(x)\nstop when step >= 200\nattach laplace(20) to a", 3.276336),
    # Gaussian answers together are one, and its profile is exact (Balle & Wang 2018)
    ("report a = sum(x)\nstop when step >= 1000\nattach gaussian(30) to a", 5.1890366408),
    ("stop return sum(x)\nattach gaussian(1) to return", 4.886554),
]


@pytest.mark.parametrize(("text", "epsilon"), AT_DELTA)
def test_epsilons_at_a_delta_of_a_millionth(text: str, epsilon: float) -> None:
    made = load(Source("t", f"algorithm t\ndataset x in [0, 1] size 50\n{text}\n")).program
    found = prove(made)
    assert found.dp is not None
    assert size_of(made, found.dp) == pytest.approx(epsilon, abs=2e-6)


REFUTED = [
    ("expmech_nofactor2", "pure(1)"), ("argmin_exponential_bad", "pure(3.9)"), ("noisymax_value", "pure(1)"),
    ("rnm_laplace", "zcdp(1 / 8)"), ("rnm_exponential", "zcdp(1 / 8)"), ("hist_add", "pure(0.9)"),
    ("krr_direct", "pure(0.9)"), ("rr_fair_coins", "pure(1)"), ("marginals", "pure(0.7)"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "claim"), spread(REFUTED, 4))
def test_claims_below_the_truth_are_refuted(name: str, claim: str) -> None:
    text = next(row[1] for row in PROGRAMS if row[0] == name)
    result = check(load(Source(name, f"algorithm {name}\n{text}\nclaim strong {claim}\n")))
    assert [verdict.verdict for verdict in result.verdicts] == ["refuted"]


def test_the_reason_of_an_open_goal_says_what_leaks() -> None:
    text = next(row[1] for row in PROGRAMS if row[0] == "shared_opposite")
    found = prove(load(Source("t", f"algorithm t\n{text}\n")).program)
    assert found.open_goals == ("u, w: u + w is shown without noise: the noise cancels",)
