"""Programs without noise for kernels on given rows: many features in few programs, as each of them is compiled."""

from __future__ import annotations

NUMBERS = """
algorithm numbers
param a = 1.5
param n in 1.. = 7
let shared = step % 3 == 0
let square(u) = u ^ 2
stream x in real, y in -4..4, c in {0, 1}
statistic plus = x + y - a * 2 / 4
statistic divided = x / 4 + (if y == 0 then 0 else a / y)
statistic remainder = y % 3 + (0 - y) % 3 + x % 0.5 + y % (-3)
statistic powers = x ^ 2 + x ^ 3 + y ^ 4 + 2 ^ y + (abs(x) + 0.5) ^ 0.5 + x ^ 0
statistic signs = (-x) ^ 2 - -x ^ 2
statistic rounded = floor(x) + 10 * ceil(x) + abs(y) + floor(-2.5)
statistic elementary = log(1 + abs(x)) + log2(2 + abs(y)) + exp(-abs(x)) + sqrt(abs(x)) + exp(x / 100)
statistic clipped = clip(x, -1, 1) + 10 * clip(y, c, a)
statistic extremes = max(x, y) + 10 * min(x, y, 0) + 100 * max(x, y, 1, a) + 1000 * min(c, 1)
statistic infinite = if x == 0 then -1 else min(1 / abs(x) ^ 400, x) + max(log(abs(x - x)), y) + max(-1 / (x - x), y)
statistic compared = (if x < y then 1 else 0) + (if x <= y then 2 else 0) + (if x > y then 4 else 0)
statistic equal = (if x == y then 1 else 0) + (if x != y then 2 else 0) + (if x >= y then 4 else 0)
statistic truth = x >= y
statistic other = not truth
statistic both = truth and c == 1 or other and not (c == 1)
statistic lazy = y != 0 and x / y >= 1
statistic lazier = y == 0 or c == 0 or log(abs(y)) / c >= 0.5
statistic laziest = not (y != 0 and (if y > 0 then sqrt(y) else sqrt(-y)) > 1) or c == 1
statistic nested = if y > 0 then if c == 1 then log(y) else sqrt(y) else if x > 0 then x else if y < 0 then y else 1
statistic chosen = (if shared then x else y) * (if truth == (c == 1) then 1 else 2)
statistic thirds = if step % 2 == 0 then step / 3 else square(step - 1)
statistic zetas = zeta(2) * c
statistic steps = 0.5 ^ step + log(step) * sqrt(step) + 1 / step
statistic coin = log((if c == 1 then 0.3 else 0.7) / (if c == 1 then 0.6 else 0.4))
statistic scaled = n * (1 - c) + (if n > 3 then x else y)
stop when step >= n + 2
"""

VECTORS = """
algorithm vectors
param d in 1.. = 3
param r > 0 = 1.25
stream v in real ^ d, u in {-1, 0, 2} ^ d, x in 0..4
let weights = [1, -2, 0.5]
let letters = [1, 3, 3, 2, 3]
statistic added = v + u
statistic scaled = 2 * v - u / 2
statistic product = v * 2
statistic folded = sum(u) + 10 * max(u) + 100 * min(u) + 1000 * mean(u) + 10000 * length(u)
statistic places = argmax(u) + 10 * argmin(u) + 100 * argmax(letters) + 1000 * argmin(letters)
statistic best = argmax(u[i] for i in 1..d) + 10 * argmin(abs(u[i]) for i in 1..d)
statistic among = argmax(u[i] for i in 1..d where i != x)
statistic numbered = count(u[i] >= 0 for i in 1..d) + 10 * count(u[i] == v[i] for i in 1..d where u[i] > 0)
statistic weighed = dot(weights, v) + 10 * dot(u, u) + norm(v)
statistic listed = sum([x, 2, u[1]]) + max([x, 1.5]) + [x, x + 1, x + 2][2]
statistic ranged = sum(i * u[i] for i in 1..d where u[i] > 0) + sum(j for j in 0..x) + max(x - 2 * j for j in 1..2)
statistic doubled = sum(sum(i * j + u[j] for j in 1..i) for i in 1..d)
statistic shadowed = sum(max(u[i] - j * v[j] for j in 1..d where j != i) for i in 1..d)
stop when step >= 8
"""

LISTS = """
algorithm lists
param d in 1.. = 3
param r > 0 = 1.25
stream v in real ^ d, u in {-1, 0, 2} ^ d, x in 0..4
statistic made = [i * x + v[i] for i in 1..d]
statistic halves = [if i < x then v[i] else u[i] for i in 1..d]
statistic projected = project(2 * v, ball(r, d))
statistic shortened = clip_norm(v, r)
statistic clipped = [clip(v[i], u[i], 1) for i in 1..d]
statistic rounded = [floor(v[i]) + ceil(v[i] / 2) for i in 1..d]
statistic taken = if u[1] > 0 then v else u
statistic inside = if x >= 1 and x <= d then u[x] else 0
statistic rows = sum(m[2] for m in [u, v, 2 * u])
statistic totals = sum(m for m in [u, v])
statistic largest = max(dot(m, u) for m in [v, u])
statistic entry = [u, v, made][2][d]
statistic empty = sum(u[i] for i in 1..d where u[i] > 5) + count(u[i] > 5 for i in 1..d)
statistic set = sum(k ^ 2 for k in {1, 4, 2.5, 4}) + max(k * x for k in {0.5, 2})
statistic zero = zeros(d) + v * x
statistic averaged = mean(u[i] + x for i in 1..d where i <= 2) + mean([x, 1])
statistic signed = [-1, 1][1 + (if u[2] > 0 then 1 else 0)]
statistic alike = count([u[1] > 0, x > 1, true])
stop when step >= 8
"""

CELLS = """
algorithm cells
param m in 1.. = 3
param long in 1.. = 50
stream x in -2..2, q in real ^ 2
statistic total = sum(x over steps)
statistic where_total = sum(x where x > 0 over steps)
statistic numbers = count(x > 0 over steps) + 100 * count(x > 0 where step > 2 over steps)
statistic highest = max(x over steps)
statistic lowest = min(x where x != -2 or step > 1 over steps)
statistic average = mean(x over steps)
statistic best = argmax(x over steps) + 100 * argmin(x over steps)
statistic vectors = sum(q over steps)
statistic vector_mean = mean(q over steps)
statistic vector_where = sum(q where x >= 1 over steps)
statistic before = previous(x, -7)
statistic own = max(0, previous(own, 0) + x - 0.5)
statistic both = previous(q, [1, 2])
statistic older = previous(previous(x, 0), 9)
statistic truth = previous(x > 0, true)
stop when step >= 11
"""

WINDOWS = """
algorithm windows
param m in 1.. = 3
param long in 1.. = 50
stream x in -2..2, q in real ^ 2
statistic early = [sum(x over last k) for k in 1..4]
statistic own = max(0, previous(own, 0) + x - 0.5)
statistic window = sum(x over last m)
statistic one = sum(x over last 1) + max(x over last 1)
statistic longer = sum(x over last long) + 10 * max(x over last long)
statistic window_where = sum(x where x != 1 over last m) + 100 * count(x > 0 over last m)
statistic window_best = max(x over last m) + 10 * min(x over last m) + 100 * mean(x over last m)
statistic vector_window = sum(q over last m)
statistic total = sum(x over steps)
statistic sums = max(sum(x over last k) - k for k in 1..4)
statistic where_best = argmax(sum(x over last k) for k in {1, 2, 4})
statistic thresholds = [count(x >= k over steps) for k in -1..1]
statistic since_ups = sum(x since up) + 10 * count(x > 0 since up) + 100 * max(x since up)
statistic since_best = argmax(x since up)
statistic since_mean = mean(x since up)
statistic since_vector = sum(q since up)
statistic since_levels = [sum(max(x, k) since up) for k in 0..1]
statistic marks = history(x, up)
statistic past = sum(marks) + 100 * length(marks) + (if length(marks) > 0 then max(marks) + marks[length(marks)] else 0)
statistic whole = sum(2 * z for z in history(step, up) where z > 2)
statistic steps = count(true over steps)
statistic branch = if x > 0 then sum(x over steps) else count(x > 0 over steps)
report up when x == 2 or own >= 1.5
report down = total + own when x == -2
statistic after = if up then own else 0
statistic since_below = sum(x since down)
stop when step >= 11
"""


PUBLIC = """
algorithm public_state
param T = 2
param n in 1.. = 12
stream x in -1..2
memory m = 1
memory w = [0, T]
memory flag = false
report first when x + m >= T
let now = if first then m else -m
update m = m + (if first then 1 else 0.5) when step % 2 == 1 or first
let later = m
report value = x * 2 + m when first
update w = [w[2], w[1] + value] when first
report vector = w * 2 when first
update flag = not flag when first
statistic s = sum(x over steps) + now + later + w[1]
statistic seen = if first then value else 0
statistic last = sum(x since value)
statistic flagged = flag
stop when s >= 17 and flag return early
statistic below = s + 100
report late = below when not first
stop when m >= 6 return [s, m]
stop when step >= n return w
statistic never = 5
"""

LABELS = """
algorithm labels
stream x in -1..1
statistic s = sum(x over steps)
statistic last = max(0, previous(last, 0) + x)
stop when s >= 3 return if last > 3 then high else middle
statistic middle_of_it = s - 1
stop when s <= -3 return low
stop when step >= 9 return if s > 0 then middle else if s < 0 then low else none
"""

NUMBERED = """
algorithm numbered
stream x in -1..1
statistic s = sum(x over steps)
stop when s >= 2 return s * 10 + step
stop when s <= -2
stop when step >= 7 return if s == 0 then 0.5 else 1 / s
"""

RECORDS = """
algorithm records
dataset x in 0..3, v in real ^ 2 size 6
statistic total = sum(x[i] for i in records)
statistic top = argmax(x[i] for i in records where i != step)
statistic vector = sum(v[i] for i in records where x[i] > 0)
statistic inner = sum(dot(v[i], [1, 2]) for i in records)
statistic second = max(x[i] for i in records where i >= step)
statistic here = x[step] + v[step][2] + length(records)
statistic both = sum(sum(x[j] for j in records where j < i) * x[i] for i in records)
stop when step >= 5
"""

FAULTS = {
    "quotient": ("statistic s = x / (x - 1) + 0 / (x - 1)", 1),
    "logarithm": ("statistic s = log(x - 2) - log(x - 2)", 1),
    "root": ("statistic s = sqrt(2 - x)", 3),
    "position": ("statistic s = [1, 2, 3][x]", 4),
    "fraction": ("statistic s = [1, 2, 3][x / 2 + 1.5]", 0),
    "nothing": ("statistic s = max(x - k for k in 1..3 where k > x)", 3),
    "mean of nothing": ("statistic s = mean(k for k in 1..3 where k > x)", 3),
    "comparison": ("stop when 0 / (x - 2) >= 1", 2),
    "guarded comparison": ("stop when x > 2 and 0 / (x - 3) >= 1", 3),
    "sum of a root": ("statistic s = sum(sqrt(3 - x) where x != 4 over steps)", 5),
    "unread sum": ("statistic s = if x == 0 then sum(sqrt(3 - x) over steps) else 1", 4),
    "best of nothing": ("statistic s = argmax(x where x > 1 over steps)", 0),
    "memory": ("report r when x > 1\nmemory m = 1\nupdate m = m / (step - 3) - m / (step - 3) when r", 3),
    "report": ("report r = 0 / (x - 2) when x >= 2", 2),
    "returned": ("stop when x >= 3 return 0 / (3 - x)", 3),
    "power of nothing": ("statistic s = (0 / (x - 2)) ^ 0", 2),
    "extreme of nothing": ("statistic s = min(1, sqrt(2 - x))", 3),
    "count of nothing": ("statistic s = count([0 / (x - 2) > 1, true])", 2),
    "vector": ("statistic s = [1, sqrt(2 - x), 2]", 3),
    "vector argument": ("statistic s = norm([1, sqrt(2 - x), 2])", 3),
    "remainder": ("statistic s = x % (x - 2)", 2),
    "choice": ("statistic s = if sqrt(2 - x) > 1 then 1 else 2", 3),
    "position of a vector": ("statistic s = sum([[1, 2], [3, 4]][x])", 3),
    "position of a truth": ("statistic s = if [true, false][x] then 1 else 2", 3),
    "infinite difference": ("statistic s = 1 / (x - 2) - 1 / (x - 2)", 2),
    "unread let": ("let u = 0 / (step - 2)", 2),
    "window mean": ("statistic s = mean(x where x < 3 over last 2)", 4),
    "since mean": ("report r when x == 2\nstatistic s = mean(x where x != 3 since r)", 3),
    "negative power": ("statistic s = (2 - x) ^ 0.5", 3),
    "a long way": ("statistic s = sum(1 / (k - x) - 1 / (k - x) for k in 3..4)", 3),
    "truth": ("statistic s = sqrt(3 - x) == 1", 4),
    "index of the past": ("report r when x == 1\nstatistic s = history(x, r)[1]", 1),
    "dot": ("statistic s = dot([1, sqrt(3 - x)], [1, 0])", 4),
    "clip": ("statistic s = clip(x, 0, sqrt(3 - x))", 4),
    "argmax": ("statistic s = argmax([1, sqrt(3 - x)])", 4),
    "range": ("statistic s = sum(1 for k in 1..(x / 2))", 1),
    "infinite range": ("statistic s = sum(1 for k in -1 / abs(x - 2)..1)", 2),
    "missing range": ("statistic s = sum(1 for k in 1..[2, 1][x])", 3),
    "remembered": ("statistic s = previous(sqrt(3 - x), 0)", 4),
    "remembered vector": ("statistic s = previous([1, sqrt(3 - x)], [0, 0])", 4),
    "history": ("report r when x >= 5\nstatistic s = sum(history(sqrt(3 - x), r))", 4),
    "history of vectors": ("report r when x >= 5\nstatistic s = length(history([1, sqrt(3 - x)], r))", 4),
    "window": ("statistic s = sum(sqrt(3 - x) over last 2)", 4),
    "window of vectors": ("statistic s = sum([1, sqrt(3 - x)] over last 2)", 4),
    "binders": ("statistic s = [sum(sqrt(k - x) over last k) for k in 3..4]", 4),
    "binders over steps": ("statistic s = [sum(sqrt(k - x) over steps) for k in 3..4]", 4),
    "best step": ("statistic s = argmax(sqrt(3 - x) over steps)", 4),
    "largest": ("statistic s = max(sqrt(3 - x) over steps)", 4),
    "vector fold": ("statistic s = sum([1, sqrt(3 - x)] over steps)", 4),
    "guarded fold": ("statistic s = sum(if x == 4 then 0 else sqrt(3 - x) over steps)", 5),
    "counted": ("statistic s = count(sqrt(3 - x) > 1 over steps)", 4),
    "condition": ("statistic s = sum(x where sqrt(3 - x) > 1 over steps)", 4),
    "report's condition": ("report r when sqrt(3 - x) > 1", 4),
    "pmf": ("statistic s = bernoulli(x / 4).pmf(1)", 5),
    "density": ("statistic s = normal(0, 2 - x).pdf(0)", 2),
    "weights": ("statistic s = {1: x - 3, 2: 2}.pmf(1)", 1),
    "mean of a vector": ("statistic s = mean([1, sqrt(3 - x)])", 4),
    "drawn from": ("draw z ~ bernoulli(x / 3)\nreport s = z", 4),
    "drawn from weights": ("draw z ~ {1: 3 - x, 2: 4}\nreport s = z", 4),
    "drawn from many": ("draw z ~ {k: 3 - x for k in 1..9}\nreport s = z", 3),
    "uniform": ("draw z ~ uniform(x, 3)\nreport s = z", 3),
    "chosen law": ("draw z ~ if x > 2 then bernoulli(1 / (x - 2)) else bernoulli(1 / (3 - x))\nreport s = z", 0),
    "chosen density": ("statistic s = (if x > 2 then bernoulli(1 / (x - 2)) else bernoulli(1 / (3 - x))).pmf(1)", 0),
    "chosen vectors": ("statistic s = if x > 2 then [1, if 1 / (x - 2) > 0 then 1 else 2] else [3, log(3 - x)]", 0),
    "chosen comparisons": ("statistic s = if x > 2 then [1, if sqrt(x - 3) > 0 then 1 else 2] else [3, 4]", 0),
    "chosen folds": (
        "statistic s = if x > 2 then [1, sum(if sqrt(x - k) >= 0.5 then 1 else 2 for k in 1..3)] else [3, 4]",
        0,
    ),
    "chosen positions": ("statistic s = if x > 2 then [1, 2] else [[1, 2][x], sum([3, 4][k] for k in 1..x)]", 0),
    "law of a vector": ("draw z ~ bernoulli([1, 1 / x, 3 - x])\nreport s = sum(z)", 1),
    "argmin of choices": ("statistic s = argmin(sqrt(k - x) for k in 2..5)", 3),
}
"""Name -> (a statement, the step with x = 1, 2, .. in which it has no value; 0: the interpreter's word)."""
