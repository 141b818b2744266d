"""From a value that is shown to a release, a choice, a comparison, or several releases (rule 2.8 v, vi)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from seqlang.lowering.forms import Form, Place, Unfit, linear
from seqlang.lowering.lower_condition import test_of
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.gate_source import GateSource, OfResult, OfValue
from seqlang.model.kinding import Kinds
from seqlang.model.kinds import TRUTH
from seqlang.record import record, replace
from seqlang.source import Span

RELEASED = m.ReleasedValue()
Alphabet = Callable[[m.Noised], tuple[m.Expression, ...]]


@record
class Spot:
    """Where a value is shown: what its gate stands for, and the public guard."""

    place: Place
    kinds: Kinds
    alphabet: Alphabet
    source: GateSource
    guard: m.Expression | None
    span: Span

    def public(self, e: m.Expression) -> p.Gate:
        return p.PublicGate(self.source, e, self.span)

    def choice(self, law: p.FlipLaw | p.NoisyMaxLaw | p.PrivateLaw) -> p.Gate:
        return p.ChooseGate(self.source, self.guard, law, True, self.span)

    def compare(self, test: p.Test) -> p.Gate:
        return p.CompareGate(self.source, self.guard, test, self.span)

    def opaque(self, e: m.Expression, reason: str) -> p.Gate:
        return p.OpaqueGate(self.source, self.guard, e, reason, span=self.span)

    def release(self, value: m.Expression, terms: tuple[m.Term, ...], post: m.Expression | None = None) -> p.Gate:
        return p.ReleaseGate(self.source, self.guard, value, terms, post, self.span)


def lower_value(spot: Spot, e: m.Expression) -> list[p.Gate]:
    """The gates of one value that is seen where the guard holds: one, unless several comparisons decide it."""
    place = spot.place
    contents = place.reader.contents(e)
    match e:
        case m.Noised() if contents.flips:
            return [spot.choice(flip_law(place, e, spot.alphabet))]
        case m.Drawn(name=draw) if contents.choices:
            law = place.reader.draws[draw].law
            if place.reader.contents(law).settled:  # a draw from a law that flips and choices decide, which are counted
                place.reveal(law)
                return [spot.public(e)]
            return [spot.choice(p.PrivateLaw(law))]
        case _ if contents.settled:
            place.reveal(e)
            return [spot.public(e)]
    saved = dict(place.hidden)
    for way in (_decisions, _noisy_max, _release):
        try:
            gates = way(spot, e)
        except Unfit as problem:
            reason = problem.reason
        else:
            if gates:
                return gates
        place.hidden.clear()
        place.hidden.update(saved)
    return [spot.opaque(e, reason)]


def flip_law(place: Place, reading: m.Noised, alphabet: Alphabet) -> p.FlipLaw:
    """The randomised response of a flipped reading."""
    law = next(place.reader.noises[t.noise].law for t in reading.terms)
    assert isinstance(law, m.Law)
    return p.FlipLaw(reading.base, law.arguments[0], alphabet(reading))


def _decisions(spot: Spot, e: m.Expression) -> list[p.Gate]:
    """A truth value, or `if TEST then A else B` with public A and B: seen is how the tests come out. Where tests are
    nested, each counts as seen even if an outer one made it idle."""
    place = spot.place
    if spot.kinds.of(e) == TRUTH:
        return [spot.compare(test_of(place, spot.kinds, e))]
    tests: list[m.Expression] = []
    if not isinstance(e, m.Choice) or not _collect(place, e, tests):
        return []
    made: list[p.Gate] = []
    for at, test in enumerate(dict.fromkeys(tests), 1):
        assert at == 1 or isinstance(spot.source, OfResult | OfValue), "conditions are no choices between values"
        own = spot if at == 1 else replace(spot, source=replace(spot.source, part=at))
        made.append(own.compare(test_of(place, spot.kinds, test)))
    return made


def _collect(place: Place, e: m.Expression, tests: list[m.Expression]) -> bool:
    """Gather the private tests of nested `if`s; False if a branch is not public."""
    if place.reader.contents(e).settled:
        place.reveal(e)
        return True
    if not isinstance(e, m.Choice):
        return False
    if place.reader.contents(e.test).settled:
        place.reveal(e.test)
    else:
        tests.append(e.test)
    return _collect(place, e.yes, tests) and _collect(place, e.no, tests)


def _noisy_max(spot: Spot, e: m.Expression) -> list[p.Gate]:
    """argmax(v), or argmax(v[i] for i in records), of a noised vector v."""
    place = spot.place
    match e:
        case m.Local(name=local) if place.reader.contents(e).noisy:
            return _noisy_max(spot, place.definition(local))
        case m.Apply(operator="argmax" | "argmin" as operator, arguments=(m.Noised() as vector,)):
            pass
        case m.Quantified(
            operator="argmax" | "argmin" as operator,
            body=m.Index(base=m.Noised() as vector, at=m.Bound(variable=at)),
            variable=variable,
            domain=m.Records(),
            where=None,
        ) if at == variable:
            pass
        case _:
            return []
    form = linear(place, vector)
    return [spot.choice(p.NoisyMaxLaw(form.value, form.as_terms(), 1 if operator == "argmax" else -1))]


def _release(spot: Spot, e: m.Expression) -> list[p.Gate]:
    place = spot.place
    contents = place.reader.contents(e)
    if not contents.noisy:
        return [spot.release(linear(place, e).value, ())]
    if len(contents.noised) == 1 and not contents.plain and not contents.loose:
        (reading,) = contents.noised
        form = linear(place, reading)
        post = _put(place, e, {reading: RELEASED})
        if post == RELEASED:
            return [spot.release(form.value, form.as_terms())]
        place.reveal(post)
        return [spot.release(form.value, form.as_terms(), post)]
    try:
        form = linear(place, e)
        return [spot.release(form.value, form.as_terms())]
    except Unfit:
        inner = _inside(spot, e)
        if inner is not None:
            return [inner]
        if contents.plain or contents.loose:
            raise
    place.reveal_all(e, spot.guard)
    return [spot.public(e)]


def _inside(spot: Spot, e: m.Expression) -> p.Gate | None:
    """A public function of one sum of noisy readings, `min(5, floor(q - T))`: released is the sum. None: more than one
    sum stands in it, or something private beside it."""
    place = spot.place
    saved = dict(place.hidden)
    found: list[Form] = []
    post = _around(place, e, found)
    if post is None or not found or any(form != found[0] for form in found):
        place.hidden.clear()
        place.hidden.update(saved)
        return None
    return spot.release(found[0].value, found[0].as_terms(), post)


def _around(place: Place, e: m.Expression, found: list[Form]) -> m.Expression | None:
    """`e` with the released value for its largest linear noisy parts, which are entered in `found`."""
    contents = place.reader.contents(e)
    if not contents.noisy:
        if not contents.settled:
            return None
        place.reveal(e)
        return e
    saved = dict(place.hidden)
    try:
        found.append(linear(place, e))
    except Unfit:
        place.hidden.clear()
        place.hidden.update(saved)
    else:
        return RELEASED
    if isinstance(e, m.Local):
        return _around(place, place.definition(e.name), found)
    if not isinstance(e, m.Apply | m.Choice | m.Sequence):
        return None
    missing = False

    def put(child: m.Expression) -> m.Expression:
        nonlocal missing
        around = _around(place, child, found)
        missing = missing or around is None
        return child if around is None else around

    whole = m.rebuild(e, put)
    return None if missing else whole


def release_of_condition(spot: Spot, rest: Sequence[m.Expression]) -> p.Gate | None:
    """A condition that is no comparison of margins, but a public function of noisy readings: as if these were shown."""
    condition = rest[0]
    for other in rest[1:]:
        condition = m.Apply("and", (condition, other))
    contents = spot.place.reader.contents(condition)
    if contents.plain or contents.loose or not contents.noised:
        return None
    try:
        (gate,) = _release(spot, condition)
    except Unfit:
        return None
    if isinstance(gate, p.PublicGate) and spot.guard is not None:
        return spot.public(m.Apply("and", (spot.guard, condition)))
    return gate


def _put(place: Place, e: m.Expression, new: dict[m.Noised, m.ReleasedValue]) -> m.Expression:
    """`e` with the noisy reading replaced; statistics that hold it are written out."""
    if isinstance(e, m.Noised) and e in new:
        return RELEASED
    if isinstance(e, m.Local) and place.reader.contents(e).noisy:
        return _put(place, place.definition(e.name), new)
    if isinstance(e, m.Noised):
        return e
    return m.rebuild(e, lambda child: _put(place, child, new))
