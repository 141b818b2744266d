"""Lower bounds on the privacy loss, and refutations of claims: concrete neighbours and an event, with exact chances."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import exp, inf, isinf, log

from seqlang.analyses.witnesses.chances import Chances
from seqlang.analyses.witnesses.confirm import epsilon_at, excess, renyi, two_point
from seqlang.analyses.witnesses.scene import Scene
from seqlang.analyses.witnesses.search import Score, Search, loss
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model.program import Program
from seqlang.proof.family import Family
from seqlang.proof.witness import Witness
from seqlang.record import replace
from seqlang.rules.claims import longest_run

LARGE = 12.0  # a loss beyond it says: no useful epsilon
LONGEST = 160  # steps of a quick witness: people read it
MORE_STEPS = 100  # where no comparison is looked at for a while
FARTHEST = 4000
"""Steps of a witness where time was given to search: an audit, or a claim that is to be refuted."""
QUICK = 32.0  # work, see `Search`
BRIEF = 8.0
"""Work, in the unit of `Search` (about 0.5 ms), that is spent on a loss beyond a given bound."""
THOROUGH = 900.0
"""The same where a thorough search is asked for, and for losses without limit."""
MORE = 100.0  # work, where the quick search ended far below the proved bound
FAR_OFF = 0.97  # of it
DEEPER = 120.0  # to find out how much a refuted claim is off
NEAR = 0.998  # of a proved bound: nothing worth more search is left
CONTENTED = 0.985  # of it: not worth changing a good pattern any more
PATTERNS = 0.5  # of the time of an audit goes into patterns, the rest into changes at random
ROUGHLY = 1.02
"""So much more than a claim must be estimated where the estimates are rough: of noisy values that are kept."""
ORDERS = (1.5, 2.0, 4.0, 8.0, 32.0)
"""Renyi orders at which a claim about all orders is tried."""


def lower_bound(
    program: Program,
    *,
    horizon: int | None = None,
    seconds: float = 0.0,
    enough: float = inf,
    chances: Chances | None = None,
) -> Witness | None:
    """The witness with the largest loss found (its loss is a lower bound on any pure epsilon), or None.

    `horizon`: no event is longer (steps). `seconds` > 0 searches that long for a better one; else the work is fixed.
    `enough`: a proved bound; a witness that all but reaches it ends the search. Where there is none, and no horizon, a
    family of pairs whose loss grows beyond any bound is looked for first: the witness then is a short one of these.
    `chances`: what another search over the program has computed, to be used again.
    """
    chances = chances or chances_of(program)
    if chances is None:
        return None
    family = None
    if isinf(enough) and horizon is None:
        witness, family = _without_bound(chances.scene)
        if witness is not None:
            return witness
    witness = _lower_bound(chances, horizon, 0.0, enough)
    if witness is not None and family is not None:
        return replace(witness, family=family)
    if seconds and (witness is None or witness.loss < min(LARGE, NEAR * enough)):
        deeper = _lower_bound(chances, horizon, seconds, enough)
        if witness is None or (deeper is not None and deeper.loss > witness.loss):
            witness = deeper
    return witness


def _without_bound(scene: Scene) -> tuple[Witness | None, Family | None]:
    """A family whose loss grows beyond any bound, and a short pair of it."""
    from seqlang.analyses.witnesses.families.find import growing, member

    family = growing(scene)
    return None if family is None else member(scene.follower, family), family


def _lower_bound(chances: Chances, horizon: int | None, seconds: float, enough: float) -> Witness | None:
    deadline = time.monotonic() + seconds
    search = _search(chances, loss, horizon, seconds, min(LARGE, NEAR * enough))
    if not seconds:
        search.contented = CONTENTED * enough
    witness = _confirmed(search, lambda w: w.loss > 0)
    if search.reached and search.enough < LARGE and (witness is None or witness.loss < NEAR * search.enough):
        # The search's own, coarser estimate was too high: it goes on with the work that is left.
        search.enough = search.contented = LARGE
        witness = _confirmed(search, lambda w: w.loss > 0)
    if not seconds and (witness is None or (enough < inf and witness.loss < FAR_OFF * enough)):
        search.varied(MORE)
        better = _best_of(search)
        if better is not None and (witness is None or better.loss > witness.loss):
            witness = better
    if seconds and (witness is None or witness.loss < search.enough):
        for better in search.evolved(3, deadline):
            if witness is None or better.loss > witness.loss:
                witness = better
    return witness


def _search(chances: Chances, score: Score, horizon: int | None, seconds: float, enough: float) -> Search:
    """A quick search, or one of so many seconds, a part of which goes into patterns."""
    longest = _longest(chances.scene)
    steps = min(horizon or longest, FARTHEST if seconds else longest)
    search = Search(chances, score, steps, inf if seconds else QUICK, bool(seconds), enough)
    search.deadline = time.monotonic() + PATTERNS * seconds if seconds else inf
    return search


def lower_dp(
    program: Program,
    delta: float,
    *,
    horizon: int | None = None,
    seconds: float = 0.0,
    enough: float = inf,
    chances: Chances | None = None,
) -> tuple[float, Witness] | None:
    """The largest epsilon found of which (epsilon, delta)-DP is refuted, and by what; None if there is none.

    `enough`: a proved bound on that epsilon. `horizon`, `seconds` and `chances` as for `lower_bound`.
    """
    chances = chances or chances_of(program)
    if chances is None:
        return None
    deadline = time.monotonic() + seconds
    search = _search(chances, _beyond(delta), horizon, seconds, 1 + min(LARGE, NEAR * enough))
    found = _confirmed(search, lambda w: epsilon_at(w, delta) > 0)
    if seconds and (found is None or epsilon_at(found, delta) < NEAR * enough):
        for better in search.evolved(3, deadline):
            if epsilon_at(better, delta) > (0.0 if found is None else epsilon_at(found, delta)):
                found = better
    return None if found is None else (epsilon_at(found, delta), found)


def beyond(program: Program, bound: float, *, horizon: int | None = None, thorough: bool = False) -> Witness | None:
    """A witness whose loss is above a bound that is held for proved; None is what should come out.

    A search that ends where it reaches the bound would never find that the bound is too small; this one is told that
    more is wanted. Its work is fixed, and larger if `thorough`.
    """
    chances = chances_of(program)
    if chances is None:
        return None
    longest = min(horizon or _longest(chances.scene), _longest(chances.scene))
    search = Search(
        chances, loss, longest, THOROUGH if thorough else BRIEF, False, min(LARGE, bound * (1 + 1e-3) + 1e-6)
    )
    return _confirmed(search, lambda w: w.loss > bound * (1 + 1e-9))


def refute(
    program: Program,
    notion: str,
    epsilon: float,
    delta: float | None = None,
    order: float | None = None,
    horizon: int | None = None,
    start: Witness | None = None,
) -> Witness | None:
    """A witness against a strong claim: pure(epsilon), dp(epsilon, delta), rdp(order, epsilon), zcdp(epsilon = rho).

    `start`: a known witness, tried first. None: not refuted (which says nothing about the claim). Against a dp claim
    the search goes on for a while after that, for a witness that needs a larger delta.
    """
    refutes = _test(notion, epsilon, delta or 0.0, order or 2.0)
    if start is not None:
        if notion == "pure" and horizon is None and start.family is not None:
            return start
        if refutes(start) and length_of(start) <= (horizon or length_of(start)):
            start = replace(start, family=None)
            return _deeper(program, start, epsilon, horizon) if notion == "dp" else start
    chances = chances_of(program)
    if chances is None:
        return None
    if notion == "pure" and horizon is None:
        one, family = _without_bound(chances.scene)
        if family is not None and (one is not None or start is not None):
            return replace(one or start, family=family)
    score, enough = _score(notion, epsilon, delta or 0.0, order or 2.0)
    keeps = bool(chances.scene.follower.stepper.kept)
    steps = min(horizon or FARTHEST, FARTHEST)
    for work, far in ((QUICK, False), (THOROUGH, True)):
        search = Search(chances, score, steps, work, far, enough * (ROUGHLY if keeps else 1))
        search.best()
        if keeps and search.highest < enough:
            continue  # to compute the chances finely takes seconds
        found = _best_of(search, refutes)
        if found is not None:
            return _deeper(program, found, epsilon, horizon, search) if notion == "dp" else found
    return None


def _deeper(
    program: Program, found: Witness, epsilon: float, horizon: int | None, search: Search | None = None
) -> Witness:
    """A witness that needs a larger delta at this epsilon, from the patterns of a search that has reached its goal."""
    chances = chances_of(program) if search is None else search.chances
    if chances is None:
        return found
    deeper = Search(chances, _excess_score(epsilon), min(horizon or FARTHEST, FARTHEST), DEEPER, False, 2 - 1e-3)
    if search is None:
        deeper.best()
    else:
        deeper.improved([pattern for _, pattern in search.ranked()[:2]])
    better = _best_of(deeper, lambda w: excess(w, epsilon) > excess(found, epsilon))
    return found if better is None else better


def _longest(scene: Scene) -> int:
    """Of a quick witness; where something is shown only after a number of steps, more by as many."""
    end = longest_run(scene.program) if scene.ends_by_itself else None
    return min(FARTHEST, max(LONGEST, end or 0) + scene.closed + (MORE_STEPS if scene.closed else 0))


def chances_of(program: Program) -> Chances | None:
    """What `lower_bound` and `lower_dp` share over one program; None where its steps cannot be followed."""
    try:
        return Chances(Scene(program))
    except Unsupported:
        return None


def sight(program: Program) -> str:
    """What it means that a claim was not refuted: how far the search for witnesses sees."""
    try:
        scene = Scene(program)
    except Unsupported as why:
        return f"witnesses against it were not looked for ({why})"
    tried = f"streams of at most {FARTHEST} steps" if scene.streams else "datasets"
    return f"that no witness refutes it says little, as only a few kinds of neighbouring {tried} were tried"


def _confirmed(search: Search, good: Callable[[Witness], bool]) -> Witness | None:
    """The best of the best patterns that stands up to recomputation."""
    search.best()
    return _best_of(search, good)


def _best_of(search: Search, good: Callable[[Witness], bool] = lambda w: w.loss > 0) -> Witness | None:
    for _, pattern in search.ranked()[:6]:
        witness = search.witness(pattern)
        if witness is not None and good(witness):
            return witness
    return None


def length_of(witness: Witness) -> int:
    event = witness.event
    last = max((step for step, _, _ in event.reports), default=0)
    return max(event.not_by or 0, event.stopped_at or 0, last)


def _test(notion: str, epsilon: float, delta: float, order: float) -> Callable[[Witness], bool]:
    match notion:
        case "pure":
            return lambda w: w.loss > epsilon
        case "dp":
            return lambda w: excess(w, epsilon) > delta
        case "rdp":
            return lambda w: renyi(w, order) > epsilon
        case "zcdp":
            return lambda w: any(renyi(w, a) > epsilon * a for a in ORDERS)
        case _:
            return lambda w: False


def _score(notion: str, epsilon: float, delta: float, order: float) -> tuple[Score, float]:
    """What the search makes large, and from where on the claim is (roughly) refuted."""
    match notion:
        case "dp":
            return _excess_score(epsilon), 1 + delta * (1 + 1e-3)
        case "rdp":
            return _renyi_score((order,)), epsilon * (1 + 1e-3)
        case "zcdp":
            orders = ORDERS
            return _renyi_score(orders, per_order=True), epsilon * (1 + 1e-3)
        case _:
            return loss, epsilon * (1 + 1e-4)


def _excess_score(epsilon: float) -> Score:
    def score(first: float, second: float) -> float:
        high, low = max(first, second), min(first, second)
        if isinf(high):
            return -inf
        found = exp(high) - (exp(epsilon + low) if epsilon + low < 700 else inf)
        if found > 0:
            return 1 + found
        # not there yet: a larger ratio and a likelier event both lead there
        return 0.5 * min(1.0, (high - low) / max(epsilon, 1e-9)) * exp(0.05 * high)

    return score


def _beyond(delta: float) -> Score:
    """1 + the epsilon of which (epsilon, delta)-DP is refuted; below 1 where the event is too unlikely for any."""

    def score(first: float, second: float) -> float:
        high, low = max(first, second), min(first, second)
        p = exp(high) if high > -700 else 0.0
        if p > delta:
            return 1 + (1e6 if isinf(low) else max(0.0, log(p - delta) - low))
        return 0.5 * exp(0.02 * high) if high > low else -inf

    return score


def _renyi_score(orders: tuple[float, ...], per_order: bool = False) -> Score:
    def score(first: float, second: float) -> float:
        p, q = (exp(x) if x > -700 else 0.0 for x in (max(first, second), min(first, second)))
        if q == 0:
            return 1e6 if p > 0 else -inf
        return max(max(two_point(p, q, a), two_point(q, p, a)) / (a if per_order else 1) for a in orders)

    return score
