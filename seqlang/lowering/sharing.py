"""No noise may count as noise in one gate and be looked at in another: such gates become opaque. A comparison keeps its
test, for the rule about noisy values that are kept.

A margin's terms protect its value only while nothing else depends on these noises; a value that reads the noise itself
(times data, say) would be conditioned on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seqlang.lowering.contents import Reader
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.gate_source import OfNoise
from seqlang.model.margins import leaves, margins


def keep_sound(reader: Reader, gates: Sequence[p.Gate]) -> tuple[p.Gate, ...]:
    """The gates, with those made opaque whose plain parts read noise that is a term somewhere."""
    terms = {t.noise for gate in gates for t in _terms(gate)}
    shown = {t.noise for gate in gates if isinstance(gate.source, OfNoise) for t in _terms(gate)}
    return tuple(_checked(reader, gate, terms, shown) for gate in gates)


def _checked(reader: Reader, gate: p.Gate, terms: set[str], shown: set[str]) -> p.Gate:
    if isinstance(gate, p.OpaqueGate):
        return gate
    inside, outside = _noise_in_values(reader, gate, terms), _noise_in_publics(reader, gate, terms, shown)
    if inside is not None:
        test = gate.test if isinstance(gate, p.CompareGate) and outside is None else None
        return _opaque(gate, inside, "its plain part reads noise that another gate relies on", test)
    if outside is not None:
        if isinstance(gate, p.ReleaseGate):
            outside = _with_its_reading(reader, outside, gate)
        return _opaque(gate, outside, "its public part reads noise that another gate relies on", None)
    return gate


def _noise_in_values(reader: Reader, gate: p.Gate, terms: set[str]) -> m.Expression | None:
    for expression in _values(gate):
        found = reader.contents(expression)
        if found.noised or found.celled or found.loose or found.coins & terms:
            return expression
    return None


def _noise_in_publics(reader: Reader, gate: p.Gate, terms: set[str], shown: set[str]) -> m.Expression | None:
    for expression in _publics(gate):
        found = reader.contents(expression)
        noises = {t.noise for reading in (*found.noised, *found.celled) for t in reading.terms}
        if not noises <= shown or found.loose or found.coins & terms:
            return expression
    return None


def _opaque(gate: p.Gate, expression: m.Expression, reason: str, test: p.Test | None) -> p.Gate:
    guard = None if isinstance(gate, p.PublicGate) else gate.guard
    return p.OpaqueGate(gate.source, guard, expression, reason, test, gate.span)


def _with_its_reading(reader: Reader, expression: m.Expression, gate: p.ReleaseGate) -> m.Expression:
    """With the noisy value of the gate in the place of what was released: an opaque gate releases nothing first."""
    if isinstance(expression, m.ReleasedValue):
        if not gate.terms:
            return gate.value
        noise = reader.noises[gate.terms[0].noise]
        return m.Noised(noise.target or noise.name, gate.value, gate.terms)
    return m.rebuild(expression, lambda child: _with_its_reading(reader, child, gate))


def _terms(gate: p.Gate) -> tuple[m.Term, ...]:
    match gate:
        case p.CompareGate(test=test):
            return tuple(t for margin in margins(test) for t in margin.terms)
        case p.ReleaseGate(terms=terms) | p.ChooseGate(law=p.NoisyMaxLaw(terms=terms)):
            return terms
        case _:
            return ()


def _values(gate: p.Gate) -> Iterator[m.Expression]:
    """What must be free of noise."""
    match gate:
        case p.CompareGate(test=test):
            yield from (margin.value for margin in margins(test))
        case p.ReleaseGate(value=value):
            yield value
        case p.ChooseGate(law=p.FlipLaw(of=of) | p.NoisyMaxLaw(of=of)):
            yield of
        case p.ChooseGate(law=p.PrivateLaw(law=law)):
            yield law
        case _:
            return


def _publics(gate: p.Gate) -> Iterator[m.Expression]:
    """What must be known from what is shown."""
    match gate:
        case p.PublicGate(expression=expression) if expression is not None:
            yield expression
        case p.CompareGate(test=test):
            yield from (leaf.expression for leaf in leaves(test) if isinstance(leaf, p.PublicTest))
        case p.ReleaseGate(post=post) if post is not None:
            yield post
        case _:
            pass
    if not isinstance(gate, p.PublicGate) and gate.guard is not None:
        yield gate.guard
