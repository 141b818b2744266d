"""The program in which every stored noisy value is a threshold with a noise of its own, drawn once.

A comparison `q - x` with a stored x becomes `q - z`; alignments of that program are alignments of the first one, with z
moved as x moves. The law of z stands for what moving x costs, see the proof in `stored.py`; no run ever draws it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import Formula, number, product, total
from seqlang.model.expression import Apply, Expression, Law, Local, MemoryValue, Noised, Number, Term, rebuild, walk
from seqlang.model.gate_source import OfNoise
from seqlang.model.life import EachStep, Once
from seqlang.model.margins import margins
from seqlang.model.program import (
    And,
    CompareGate,
    Define,
    Gate,
    Margin,
    Noise,
    Not,
    OpaqueGate,
    Or,
    Program,
    PublicTest,
    ReleaseGate,
    Test,
    expressions_in,
)
from seqlang.operators.groups import EXTREMES
from seqlang.record import record, replace
from seqlang.rules.alignment.stores import Store, is_stored_before, store_of
from seqlang.rules.gates.exposure import touched
from seqlang.rules.gates.radius import radius_of
from seqlang.rules.reading.limits import first_step, least
from seqlang.rules.reading.read_sets import gate_noises, noises_read
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.reading.translation import translation_of
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.facts.linear import linear
from seqlang.rules.sensitivity.facts.numbers import NOUGHT
from seqlang.rules.sensitivity.facts.shapes import is_number


@record
class Kept:
    """The comparisons of a group with what they store. `samples`: the noisy values that are stored, as gates; `others`:
    the rest of the group. `frozen`: each store's value stays as it is from the first step on in which it is read."""

    stores: tuple[Store, ...]
    samples: dict[str, ReleaseGate]
    others: tuple[Gate, ...]
    frozen: tuple[bool, ...]

    def of_sample(self, name: str) -> tuple[int, ...]:
        """The numbers of the stores of these noisy values."""
        return tuple(i for i, store in enumerate(self.stores) if store.sample.name == name)


def kept_of(program: Program, names: tuple[str, ...]) -> Kept | str:
    """What the gates of these names compare with; text: why that is no stored noisy value. "" if nothing is kept."""
    signs = Signs(parameter_values(program))
    gates = tuple(gate for gate in program.gates if gate.name in names)
    compared = tuple(gate for gate in gates if isinstance(gate, OpaqueGate) and gate.test is not None)
    if not compared:
        return ""
    hidden = {g.source.target: g for g in gates if isinstance(g, ReleaseGate) and isinstance(g.source, OfNoise)}
    stores: dict[Expression, Store] = {}
    frozen: dict[Expression, bool] = {}
    held: set[str] = set()
    for gate in compared:
        asked = first_step(program, gate.guard, signs)
        for margin in margins(gate.test) if gate.test is not None else ():
            for part in parts_kept(program, margin.value):
                store = store_of(program, part, signs)
                if store is None:
                    return f"{gate.name}: it reads noise that is kept in no way that a rule knows"
                if store.sample.name not in hidden:
                    return f"{gate.name}: the noisy value {store.sample.name} is read elsewhere too"
                if not is_stored_before(program, store, gate.guard, asked):
                    return f"{gate.name}: it may be asked when nothing is kept yet"
                stores[part] = store
                still = store.steps is not None and asked >= store.steps[-1]
                frozen[part] = frozen.get(part, True) and still
                held.add(store.sample.name)
    samples = {name: hidden[name] for name in sorted(held)}
    others = tuple(gate for gate in gates if gate not in samples.values())
    kept = Kept(tuple(stores.values()), samples, others, tuple(frozen.values()))
    return _trouble(program, kept, signs) or kept


def _trouble(program: Program, kept: Kept, signs: Signs) -> str | None:
    """What keeps the noises of the stored values from being moved."""
    noises: set[str] = set()
    for name, gate in kept.samples.items():
        if len(gate.terms) != 1 or not _is_number(program, gate.value):
            return f"{name}: it is kept, and is no number with one noise"
        ((noise, factor),) = ((term.noise, _rational(program, term.factor)) for term in gate.terms)
        drawn = program.noise(noise)
        if noise in noises or not isinstance(drawn.life, EachStep) or not factor:
            return f"{noise}: it is kept, and is not drawn in each step, for one value, with a constant factor"
        if translation_of(program, drawn, signs).kind != "linear":
            return f"{noise}: the law of a noisy value that is kept must be laplace or logistic"
        noises.add(noise)
        if noises_read(program, (gate.value,)):
            return f"{name}: it is kept, and is more than data with one noise"
    return None


def parts_kept(program: Program, value: Expression) -> tuple[Expression, ...]:
    """The stored values of which the value is a sum, with whatever does not read them."""
    return tuple(part for part, _ in _terms_kept(program, value))


def _terms_kept(program: Program, value: Expression) -> tuple[tuple[Expression, Formula], ...]:
    signs = Signs(parameter_values(program))
    terms = linear(facts_of(program), _opened(program, value, signs)).terms
    return tuple((part, factor) for part, factor in terms if noises_read(program, (part,)))


def _opened(program: Program, value: Expression, signs: Signs) -> Expression:
    """The value with the definitions of statistics that are made of stored values."""
    match value:
        case Local(name) if noises_read(program, (value,)) and store_of(program, value, signs) is None:
            inner = next((s.expression for s in program.body if isinstance(s, Define) and s.name == name), None)
            if inner is None or any(isinstance(e, MemoryValue | Noised) for e in walk(inner)):
                return value
            return _opened(program, inner, signs)
        case Apply("+" | "-" | "negate" | "*" | "/" as operator, arguments):
            return Apply(operator, tuple(_opened(program, a, signs) for a in arguments))
        case _:
            return value


def with_thresholds(program: Program, kept: Kept, by_one: tuple[bool, ...]) -> Program | str:
    """The program with a noise for each stored value. `by_one[i]`: the i-th is moved by one of its noisy entries alone,
    a largest one upwards, a smallest one downwards; else all of them move alike."""
    if len(by_one) != len(kept.stores):
        return "a way of moving is needed for every stored value"
    wrong = _ways(kept, by_one)
    if wrong is not None:
        return wrong
    names = {store.expression: f"kept {i + 1}" for i, store in enumerate(kept.stores)}  # a user's name has no space
    turned = {store.expression: alone and store.kind == "min" for store, alone in zip(kept.stores, by_one, strict=True)}
    gates: list[Gate] = []
    for gate in program.gates:
        if gate in kept.samples.values():
            continue
        if isinstance(gate, OpaqueGate) and gate in kept.others and gate.test is not None:
            test = _test(program, gate.test, names, turned)
            if isinstance(test, str):
                return f"{gate.name}: {test}"
            gate = CompareGate(gate.source, gate.guard, test, gate.span)
        gates.append(gate)
    noises = tuple(
        Noise(names[store.expression], _law(program, kept, store, alone), Once(), None)
        for store, alone in zip(kept.stores, by_one, strict=True)
    )
    made = replace(program, noises=(*program.noises, *noises), gates=tuple(gates))
    return _still_read(made, kept) or made


def _ways(kept: Kept, by_one: tuple[bool, ...]) -> str | None:
    """What speaks against moving the stored values so, each by an amount of its own."""
    for i, store in enumerate(kept.stores):
        if by_one[i] and not (store.kind in EXTREMES and kept.frozen[i]):
            return "only the largest or the smallest of several entries is moved alone, once it stays as it is"
    for name in kept.samples:
        mine = kept.of_sample(name)
        stores = [kept.stores[i] for i in mine]
        if len(mine) == 1:
            continue
        pair = (
            len(mine) == len(EXTREMES) and {store.kind for store in stores} == EXTREMES and all(by_one[i] for i in mine)
        )
        if not pair or stores[0].steps != stores[1].steps:
            return f"{name}: one noisy value is kept in several ways"
    return None


def _law(program: Program, kept: Kept, store: Store, alone: bool) -> Law:
    """A law whose translations cost what it costs to move the stored value, beside hiding how its entries move."""
    (term,) = kept.samples[store.sample.name].terms
    law = program.noise(term.noise).law
    factor = _rational(program, term.factor)
    assert isinstance(law, Law) and factor is not None
    scale = Apply("*", (law.arguments[0], Number(abs(factor))))
    if not alone and store.kind != "sum":
        scale = Apply("/", (scale, store.count))
    return Law("exponential" if alone else "laplace", (scale,))


def _test(program: Program, test: Test, names: dict[Expression, str], turned: dict[Expression, bool]) -> Test | str:
    match test:
        case Margin(value, terms, strict):
            found = without_kept(program, value)
            if isinstance(found, str):
                return found
            rest, factors = found
            moved = tuple(Term(names[e], Number(-f if turned[e] else f)) for e, f in factors)
            return Margin(rest, (*terms, *moved), strict)
        case PublicTest():
            return test
        case And(parts) | Or(parts):
            made = tuple(_test(program, part, names, turned) for part in parts)
            good = tuple(part for part in made if not isinstance(part, str))
            wrong = next((part for part in made if isinstance(part, str)), None)
            return wrong if wrong is not None else And(good) if isinstance(test, And) else Or(good)
        case Not(part):
            inner = _test(program, part, names, turned)
            return inner if isinstance(inner, str) else Not(inner)


def without_kept(
    program: Program, value: Expression
) -> tuple[Expression, tuple[tuple[Expression, Fraction], ...]] | str:
    """The value with 0 for what is stored, and the factors of what is stored."""
    factors: list[tuple[Expression, Fraction]] = []
    signs = Signs(parameter_values(program))
    for part, factor in _terms_kept(program, value):
        exact = exact_value(factor, signs.values)
        if exact is None:
            return "a noisy value that is kept has a factor that is no rational number"
        factors.append((part, exact))
    gone = {part for part, _ in factors}

    def put(e: Expression) -> Expression:
        return NOUGHT if e in gone else rebuild(e, put)

    return put(_opened(program, value, signs)), tuple(factors)


def _still_read(program: Program, kept: Kept) -> str | None:
    """Which gate reads the noise of a stored value other than as that value; no translation may change what it sees."""
    noises = {term.noise for gate in kept.samples.values() for term in gate.terms}
    for gate in program.gates:
        read = gate_noises(gate) | noises_read(program, expressions_in(gate))
        if noises & read:
            return f"{gate.name}: it reads {', '.join(sorted(noises & read))}, which is kept, in another way too"
    return None


def hiding(program: Program, kept: Kept) -> Formula | str:
    """What it would cost to show the noisy entries in the steps in which they are stored: by how much each moves, over
    the scale of its noise, in the steps in which a changed entry touches it."""
    signs = Signs(parameter_values(program))
    entries, single = single_entry(program)
    costs: list[Formula] = []
    for name, gate in kept.samples.items():
        measured = radius_of(single, gate.value, "abs")
        if isinstance(measured, str):
            return f"{name}: {measured}"
        (term,) = gate.terms
        factor = _rational(program, term.factor)
        assert factor is not None
        stored = formula_of(program, kept.stores[kept.of_sample(name)[0]].count)  # several stores have the same steps
        assert stored is not None
        times = least([touched(single, gate, (gate.value,), measured[1], signs), stored], signs)
        unit = translation_of(program, program.noise(term.noise), signs).unit
        costs.append(product((entries, times, measured[0], unit, number(1 / abs(factor)))))
    return total(costs)


def ways_of(kept: Kept) -> Iterator[tuple[bool, ...]]:
    """The ways of moving that are worth a try: extremes alone where that is possible, or all alike."""
    alone = tuple(store.kind in EXTREMES and frozen for store, frozen in zip(kept.stores, kept.frozen, strict=True))
    yield alone
    if any(alone):
        yield tuple(False for _ in alone)


def _is_number(program: Program, value: Expression) -> bool:
    facts = facts_of(program)
    return is_number(facts, facts.expand(value))


def _rational(program: Program, factor: Expression) -> Fraction | None:
    found = linear(facts_of(program), factor)
    return exact_value(found.constant, parameter_values(program)) if found.is_constant else None
