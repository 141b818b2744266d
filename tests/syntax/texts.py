"""Well-formed specs that together use every production of the grammar."""

from __future__ import annotations

EVERYTHING = """
# a comment before the first statement
algorithm everything edition 2026 "A title" "What it is: # and ( mean nothing in a text"

param p in (0, 1] = 0.2          # half open
param k in 1.. = 3
param size in -3..k = 0
param radius >= 2 ^ -1.5 = 4     # a limit takes a sum
param other != 1 = if 1 >= 2 then 3 else 4
param side in {-1, 1} = -1
param v in [0, 1] ^ 3 = zeros(3)
param w in ball(radius, 3) = zeros(3)
let one = 1.5e-3
let f(a, b) = -a ^ 2 * b % 3 / (a + b) - 1
let law = {-1: 0.5, 1: 0.5}
let other_law = {j: 1 / k for j in 1..k where not j == 2}
let rows = [[1, 2], [], [i ^ 2 for i in 0..k - 1]]

stream x in [0, 1), y in {0, 1}
public u in real, t in 0..
adjacent every abs(x) - 1 within 2 * radius same direction
model null: x ~ uniform(0, 1), y ~ bernoulli(if x >= 0.5 then 0.9 else 0.1)

memory m = 0
statistic total = sum(x where y == 1 and x > 0.1 over steps)
statistic recent = mean(x over last 2 * k)
statistic best = argmax(f(x, j) for j in {1, 2, 3} where j < k)
statistic since_seen = count(y == 1 since seen) + rows[1][2] + null.pmf(x, exact=true)
draw z ~ laplace(1)
draw coin ~ bernoulli(x) each step
draw kept ~ tree(laplace(1)) once
report seen when total + step >= k or not (y != 1) and false
report level = total when seen
report plain = recent
update m = m + level when seen
stop when m > 3 return accept
stop return if m <= 1 then reject else best
stop when step >= 10 stop
attach laplace(1) to total, recent each seen
attach -z + 2 * kept to level once
attach randomized_response(0.7) to return

claim strong pure(1) within 2 * k steps "Theorem 1" expect refuted
claim strong dp(1, 1e-5)
claim weak dp(1, 0.01) under null per step "weak" expect unknown
claim probability(accept) <= 0.05 under null
claim expected(step) < 10 # the last
"""

DATASET = """algorithm data
param n in 1.. = 10
dataset x in ball(10, 2), y in 0.. size n + 1
adjacent add or remove one
stop return sum(x[i] for i in records)
"""

REPLACE = "algorithm a adjacent replace 2 * 3 stop algorithm_free = 1".replace(" algorithm_free = 1", "")
