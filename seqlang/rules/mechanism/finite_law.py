"""A randomised answer about one entry with finitely many values: the exact ratio of its laws, pair by pair."""

from __future__ import annotations

from itertools import permutations

from seqlang.arithmetic.formula import INFINITY, ONE, ZERO, Formula, enclose, logarithm, number, product
from seqlang.model.expression import Drawn, Expression, Law
from seqlang.model.life import EachStep
from seqlang.model.program import ChooseGate, Gate, PrivateLaw, Program, ReleaseGate
from seqlang.rules.gates.exposure import showings, touched
from seqlang.rules.gates.gate_rule import pure_rule
from seqlang.rules.gates.outcomes import (
    Entries,
    Table,
    coins_of,
    entries_of,
    mixed,
    one_record,
    parts_of,
    table_of,
    vector_of,
)
from seqlang.rules.gates.showings import NOT_MINE, Showings
from seqlang.rules.reading.read_sets import shared_noise
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.sensitivity.facts.ends import greatest
from seqlang.rules.sensitivity.facts.evaluate import Assignment, evaluate
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.motion.entry import Entry
from seqlang.rules.sensitivity.motion.neighbours import neighbours_of
from seqlang.rules.sensitivity.motion.records import reads_records
from seqlang.rules.sensitivity.motion.shift import Shift
from seqlang.rules.sensitivity.motion.spreads import too_far

MOST_TABLES = 4000
Ratios = tuple[tuple[Formula, Formula], ...]
"""Probabilities of independent outcomes under the one value and the other, as (p, q)."""


def showings_of(program: Program, gate: Gate) -> Showings | str:
    """One answer costs the largest log ratio of two of its laws."""
    if isinstance(gate, ChooseGate) and isinstance(gate.law, PrivateLaw):
        shown = gate.law.law
    elif isinstance(gate, ReleaseGate) and not gate.terms and gate.post is None:
        shown = gate.value
    else:
        return NOT_MINE
    signs = Signs(parameter_values(program))
    entries, single = single_entry(program)
    facts = facts_of(single)
    near = neighbours_of(facts)
    read = one_record(facts, facts.expand(shown))
    if isinstance(near, str) or near.resized or read is None:
        return NOT_MINE
    entry = Entry(facts, near)
    coins = frozenset[Expression]() if isinstance(gate, ChooseGate) else coins_of(read)
    if isinstance(gate, ReleaseGate):
        if not coins or not all(_is_fresh(single, gate, coin, signs) for coin in coins):
            return NOT_MINE
        shared = shared_noise(program, (gate.name,), frozenset(c.name for c in coins if isinstance(c, Drawn)))
        if shared is not None:
            return shared
    cost = _cost(entry, read, coins)
    if cost is None:
        return NOT_MINE
    if cost.is_infinite:
        return "an answer that is possible with one value of the entry is not with another"
    shift = Shift("uniform" if reads_records(facts, facts.expand(shown)) else "single step", ONE)
    return Showings(entries, touched(single, gate, (shown,), shift, signs), cost)


def _is_fresh(program: Program, gate: ReleaseGate, coin: Expression, signs: Signs) -> bool:
    """A new toss at every showing."""
    noise = next((n for n in program.noises if isinstance(coin, Drawn) and n.name == coin.name), None)
    if noise is None:
        return False
    return isinstance(noise.life, EachStep) or signs.equal(showings(program, gate, signs), ONE)


def _cost(entry: Entry, shown: Expression, coins: frozenset[Expression]) -> Formula | None:
    """The largest log ratio of probabilities over outcomes, pairs of neighbours, and everything public. None: not
    known."""
    facts = entry.facts
    if not entry.moves(shown):
        return ZERO
    parts = (shown,) if coins else parts_of(shown)
    entries = entries_of(entry, parts, coins) if parts else None
    if entries is None:
        return None
    listed: list[Ratios] = []
    for other in entries.others:
        rows = [_laws(facts, shown, coins, {**own, **other}) for own in entries.own]
        known = [row for row in rows if row is not None]
        if len(known) < len(rows) or len(rows) ** 2 * sum(map(len, known[:1])) > MOST_TABLES:
            return None
        found = _pairs(entry, entries, known)
        if not isinstance(found, list):
            return found
        listed += found
    return _worst(facts, listed)


def _laws(facts: Facts, shown: Expression, coins: frozenset[Expression], given: Assignment) -> tuple[Table, ...] | None:
    """The laws of independent outcomes: one, or one a coordinate for a list of coins."""
    if coins:
        tables = {coin: _coin(facts, coin) for coin in sorted(coins, key=str)}
        known = {coin: table for coin, table in tables.items() if table is not None}
        found = mixed(facts, shown, known, given) if len(known) == len(tables) else None
        return None if found is None else (found,)
    if isinstance(shown, Law) and shown.family == "bernoulli" and vector_of(shown.arguments[0]):
        chances = evaluate(facts, shown.arguments[0], given)
        if not isinstance(chances, tuple) or not all(isinstance(p, Formula) for p in chances):
            return None
        rows = [{number(1): p, number(0): ONE - p} for p in chances]
        if any(facts.sign(p) not in (0, 1) for row in rows for p in row.values()):
            return None
        return tuple({v: p for v, p in row.items() if facts.sign(p) == 1} for row in rows)
    one = table_of(facts, shown, given)
    return None if one is None else (one,)


def _coin(facts: Facts, coin: Expression) -> Table | None:
    noise = facts.noises.get(coin.name) if isinstance(coin, Drawn) else None
    return None if noise is None else table_of(facts, noise.law, {})


def _pairs(entry: Entry, entries: Entries, rows: list[tuple[Table, ...]]) -> list[Ratios] | Formula | None:
    """For all pairs of neighbours, every joint outcome that may be the worst; INFINITY: one is impossible on one side;
    None: not decided."""
    found: list[Ratios] = []
    for (i, a), (j, b) in permutations(enumerate(rows), 2):
        if a == b or (not entries.every and too_far(entry, entries.own[i], entries.own[j])):
            continue
        if len(a) != len(b) or any(x.keys() != y.keys() for x, y in zip(a, b, strict=True)):
            return INFINITY
        if len(a) == 1:
            found += [((p, b[0][outcome]),) for outcome, p in a[0].items()]
            continue
        # independent coordinates: the worst outcome of each
        worst = [_largest_ratio(entry.facts, x, y) for x, y in zip(a, b, strict=True) if x != y]
        if None in worst:
            return None
        found.append(tuple(ratio for ratio in worst if ratio is not None))
    return found


def _largest_ratio(facts: Facts, a: Table, b: Table) -> tuple[Formula, Formula] | None:
    """The largest p / q at the parameter values; None if it cannot be told which is."""
    best: tuple[Formula, Formula] | None = None
    for outcome, p in a.items():
        q = b[outcome]
        relation = "greater" if best is None else facts.compare(p * best[1], q * best[0])
        if relation is None:
            return None
        if relation == "greater":
            best = (p, q)
    return best


def _worst(facts: Facts, listed: list[Ratios]) -> Formula | None:
    """The largest of the sums of logarithms. Those that are certainly smaller are put aside in floating point."""
    from math import inf, log

    bounds: dict[Ratios, tuple[float, float]] = {}
    for ratios in dict.fromkeys(listed):
        low = high = 0.0
        for p, q in ratios:
            x, y = enclose(p, facts.values), enclose(q, facts.values)
            if not (0 < x.low <= x.high < inf and 0 < y.low <= y.high < inf):
                return None
            low, high = low + log(x.low / y.high), high + log(x.high / y.low)
        bounds[ratios] = (low, high)
    if not bounds:
        return ZERO
    top = max(low for low, _ in bounds.values())
    kept = [ratios for ratios, (_, high) in bounds.items() if high >= top - 1e-9]
    sums = dict.fromkeys(logarithm(product([p / q for p, q in ratios])) for ratios in kept)
    return greatest(facts, tuple(sums)) if len(sums) < 64 else None


STATEMENT = """
    the answer depends on one entry, which has finitely many values (as far as the answer can tell)
    ---------------------------------------------------------------------------------------------------
      it is (T max log(P(answer | value) / P(answer | other value)))-DP, T = answers a changed entry touches

The maximum runs over answers and neighbouring values, and over everything public. Independent coordinates: the sum of
their maxima. Coins that decide the answer are tossed anew each time and read nowhere else. Epsilon in nats.
"""

RULE, SEARCH = pure_rule(
    "mechanism/finite_law",
    "Law of a finite answer",
    STATEMENT,
    "the definition; unary encoding: Wang et al. 2017; k-ary response: Kairouz, Oh & Viswanath 2016",
    "the laws of the answer under any two values of the entry were compared, outcome by outcome",
    showings_of,
)
