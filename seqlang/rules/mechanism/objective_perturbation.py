"""The minimiser of a convex objective with a random linear term (Chaudhuri, Monteleoni & Sarwate 2011, Algorithm 2).

Shown is v = argmin over R^d of P(v) + c * sum of f(v; record) + k <z, v>, z of density proportional to exp(-|z|/b).
P does not depend on the data and is m-strongly convex, f is convex, and both have gradients that are Lipschitz. The map
from v back to z = -(grad P + c sum grad f)/k is bi-Lipschitz and onto, so v has the density

    nu(z(v)) * det(Hessian of P + c sum f at v) / |k|^d     for almost every v

(Rademacher's theorem and the area formula; a Huber loss without a second derivative at two places is as good as one
with). One other record moves z(v) by at most c g / |k|, g a Lipschitz constant of the difference of its losses: the
first factor changes by at most exp(c g / (|k| b)). The second: let S be the Hessian without that record, S >= m, and H,
H' its own parts, 0 <= H, H' <= c h, of rank r at most. Then det(S + H) / det(S + H') <= det(S + H) / det(S)
<= (1 + c h / m)^r. For losses of a margin r = 1, and 1 + c h/m is less than the (1 + c h/m)^2 of the source.
"""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.arithmetic.formula import ONE, ZERO, Formula, absolute, logarithm, number, product
from seqlang.model.binding import replaced
from seqlang.model.expression import Apply, Bound, Drawn, Expression, Law, Quantified, RealVectors, walk
from seqlang.model.life import EachStep
from seqlang.model.program import Gate, OpaqueGate, Program, ReleaseGate
from seqlang.operators.groups import PLACES
from seqlang.record import record
from seqlang.rules.gates.exposure import showings
from seqlang.rules.gates.gate_rule import pure_rule
from seqlang.rules.gates.showings import NOT_MINE, Showings
from seqlang.rules.reading.read_sets import revealed_choices, shared_noise
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.facts.linear import linear
from seqlang.rules.sensitivity.facts.numbers import NOUGHT
from seqlang.rules.sensitivity.functions.convexity import curve_of, negated
from seqlang.rules.sensitivity.motion.minimiser import difference
from seqlang.rules.sensitivity.motion.motion_of import motion_of
from seqlang.rules.sensitivity.motion.neighbours import neighbours_of
from seqlang.rules.sensitivity.motion.records import is_index_set, one_record, records_in
from seqlang.rules.sensitivity.motion.spreads import Entry


@record
class Objective:
    """What is minimised, less its noise: `public` + `weight` * sum of `loss` over the records, with `weight` > 0; the
    noise is added with `factor`, a vector of density exp(-|z|/scale) (once or new at every showing)."""

    v: Bound
    dimension: Formula
    public: tuple[tuple[Expression, Formula], ...]
    loss: Expression
    weight: Formula
    noise: str
    factor: Formula
    scale: Formula


def showings_of(program: Program, gate: Gate) -> Showings | str:
    """One showing costs c g / (|k| b) for the noise and r log(1 + c h / m) for the volume."""
    if not isinstance(gate, OpaqueGate | ReleaseGate) or (isinstance(gate, ReleaseGate) and gate.terms):
        return NOT_MINE
    entries, single = single_entry(program)
    facts, signs = facts_of(single, 1, revealed_choices(single)), Signs(parameter_values(single))
    value = gate.value if isinstance(gate, ReleaseGate) else gate.expression
    objective = _objective(facts, value)
    if isinstance(objective, str):
        return objective
    shared = shared_noise(single, (gate.name,), frozenset({objective.noise}))
    if shared is not None:
        return shared
    times = showings(single, gate, signs)
    if not isinstance(single.noise(objective.noise).life, EachStep) and not signs.equal(times, ONE):
        return f"{objective.noise}: one draw hides several minimisers"
    one = _one_showing(facts, objective)
    return one if isinstance(one, str) else Showings(entries, times, one)


def _objective(facts: Facts, value: Expression) -> Objective | str:
    """The one minimiser in the value, which else is public."""
    expanded = facts.expand(value)
    found = list(dict.fromkeys(_minimisers(expanded)))
    if len(found) != 1:
        return NOT_MINE
    (whole,) = found
    around = replaced(expanded, whole, NOUGHT)
    if facts.is_private(around) or facts.noises_inside(around):
        return "beside the minimiser, something private or random is shown"
    body = whole.body if whole.operator == "argmin" else negated(whole.body)
    return _parts(facts, body, whole)


def _minimisers(expression: Expression) -> Iterator[Quantified]:
    for node in walk(expression):
        if isinstance(node, Quantified) and isinstance(node.domain, RealVectors):
            yield node


def _parts(facts: Facts, body: Expression, whole: Quantified) -> Objective | str:
    assert isinstance(whole.domain, RealVectors)
    v, dimension = Bound(whole.variable), evaluate_number(facts, whole.domain.dimension)
    near = neighbours_of(facts)
    if whole.operator not in PLACES or whole.where is not None or dimension is None:
        return NOT_MINE
    if isinstance(near, str):
        return near
    if whole.domain.radius is not None:
        return "the minimum is sought in a ball: on its edge the minimiser is not one to one with the noise"
    entry = Entry(facts, near)
    noisy: list[tuple[Expression, Formula]] = []
    moving: list[tuple[Expression, Formula]] = []
    still: list[tuple[Expression, Formula]] = []
    for part, coefficient in linear(facts, body).terms:
        place = noisy if facts.noises_inside(part) else moving if entry.moves(part) else still
        place.append((part, coefficient))
    if not noisy:
        return NOT_MINE
    if len(noisy) != 1 or len(moving) != 1:
        return "the objective is not one sum over the records, one linear random term, and public terms"
    ((term, factor),), ((fold, weight),) = noisy, moving
    noise = _noise_of(facts, term, v, dimension)
    if isinstance(noise, str):
        return noise
    name, scale = noise
    if facts.sign(factor) not in (1, -1):
        return f"{name}: no constant factor"
    loss = _loss(facts, entry, fold, weight)
    if isinstance(loss, str):
        return loss
    return Objective(v, dimension, tuple(still), *loss, name, factor, scale)


def _noise_of(facts: Facts, term: Expression, v: Bound, dimension: Formula) -> tuple[str, Formula] | str:
    """The name and scale b of z in <z, v>."""
    match term:
        case Apply("dot", (Drawn(name), other)) | Apply("dot", (other, Drawn(name))) if other == v:
            law = facts.noises[name].law if name in facts.noises else None

            if not isinstance(law, Law) or law.family != "l2_laplace":
                return f"{name}: a random linear term needs l2_laplace noise"
            known = [formula_of(facts.program, argument) for argument in law.arguments]
            if len(known) != 2 or known[0] is None or known[1] is None or facts.sign(known[0]) != 1:
                return f"{name}: no positive constant scale"
            if facts.compare(known[1], dimension) != "equal":
                return f"{name}: it has another dimension"
            return name, known[0]
    return "noise in the objective that is not one linear term, dot(z, v)"


def _loss(facts: Facts, entry: Entry, fold: Expression, weight: Formula) -> tuple[Expression, Formula] | str:
    """One record's part, and what it is multiplied by."""
    match fold:
        case Quantified("sum" | "mean" as operator, body, variable, domain, None) if is_index_set(facts, domain):
            pass
        case _:
            return "the data are read by something else than one sum over the records"
    size = ONE if operator == "sum" else records_in(facts, domain)
    if entry.near.resized or not entry.near.single or isinstance(domain, Drawn) or size is None:
        return "the rule is about one replaced record"
    if facts.sign(size) != 1 or facts.sign(weight) != 1:
        return "the sum over the records has no positive weight"
    part = one_record(entry, body, variable)
    if part is None or not entry.is_local(part):
        return "a record's loss depends on the other records"
    return part, weight / size


def _one_showing(facts: Facts, objective: Objective) -> Formula | str:
    near = neighbours_of(facts)
    assert not isinstance(near, str)
    v, loss = objective.v, curve_of(facts, objective.loss, objective.v)
    if loss is None or loss.smoothness is None:
        return "a record's loss is not known to be convex with a gradient that changes at a bounded rate"
    lipschitz = difference(Entry(facts, near), objective.loss, v, motion_of)
    if lipschitz is None:
        return "how steep a record's loss can be is not known"
    strong: Formula = ZERO
    for part, coefficient in objective.public:
        curve = curve_of(facts, part, v)
        if curve is None or curve.smoothness is None or (facts.sign(coefficient) != 1 and not curve.affine):
            return "the public part of the objective is not known to be convex with a Lipschitz gradient"
        if not curve.affine:
            strong = strong + coefficient * curve.strong
    if facts.sign(strong) != 1:
        return "the public part of the objective is not strongly convex: add Lambda / 2 * dot(v, v)"
    rank = objective.dimension if loss.nonlinear_in is None else number(len(loss.nonlinear_in))
    shift = objective.weight * lipschitz / (absolute(objective.factor) * objective.scale)
    return shift + product((rank, logarithm(1 + objective.weight * loss.smoothness / strong)))


STATEMENT = """
    shown: argmin over v of  P(v) + c sum of f(v; record) + k <z, v>,   z of density prop. to exp(-|z|/b)
    P public, m-strongly convex;  f convex, its Hessian at most h, of rank r at most;  both with Lipschitz gradients
    a replaced record changes grad f by at most g
    ---------------------------------------------------------------------------------------------------------------
              one showing is (c g / (|k| b) + r log(1 + c h / m))-DP

Over all of R^d, each record in one f. With the logistic loss, |x| <= 1 and J = mean of losses + Lambda/2 |v|^2:
2/(n k b) + log(1 + 1/(4 n Lambda)). Epsilon in nats.
"""

RULE, SEARCH = pure_rule(
    "mechanism/objective_perturbation",
    "Objective perturbation",
    STATEMENT,
    "Chaudhuri, Monteleoni & Sarwate 2011, Theorem 9; the determinant for losses of rank one: file's own proof",
    "the minimiser is one to one with the noise: its density moves with the gradient and the Hessian",
    showings_of,
)
