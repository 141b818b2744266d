"""The probability that independent noises satisfy a system of linear conditions, step by step.

Noises that several steps read (persistent) are integrated out by quadrature, at most `MOST_NESTED` of them in one
connected part; what is left of a step then splits into noises that stand alone, where a law's tails give the answer.
The probability of a step that occurs n times is raised to the power n.
"""

from __future__ import annotations

from functools import partial
from math import inf

from seqlang.backends.transcript.integrals.linear_conditions import (
    Alternatives,
    Conjunction,
    Key,
    LinearCondition,
    System,
    components,
    exclude_each_other,
    fixed_at,
    of_persistent_noises,
    parts_of,
    shared_by,
)
from seqlang.backends.transcript.integrals.noise_laws import log_sum, no_kinks
from seqlang.backends.transcript.integrals.one_noise import Laws, one_variable
from seqlang.backends.transcript.integrals.one_persistent import Line
from seqlang.backends.transcript.integrals.orderings import ordering
from seqlang.backends.transcript.integrals.quadrature import FINE, IMPOSSIBLE, NOT_FOUND, Accuracy, Answer, log_integral
from seqlang.backends.transcript.integrals.two_persistent import Plane, apart
from seqlang.backends.transcript.unsupported import Unsupported, Work

MOST_NESTED = 2
"""Integrals inside each other: a third would take some hundred times as long."""
VALUES_EACH = 200
"""What summing out one noisy value that is compared with others is charged, as conditional probabilities."""


def log_probability(system: System, laws: Laws, accuracy: Accuracy, work: Work | None = None) -> Answer:
    """The log probability of the system. Raises `Unsupported`."""
    work = work or Work(inf)
    total, error, certain = 0.0, 0.0, False
    for part in parts_of(system if accuracy.cut else apart(system, laws)):
        answer = _connected(part, laws, accuracy, 0, work)
        total += answer.log
        error += answer.error
        certain |= answer == IMPOSSIBLE
    return IMPOSSIBLE if certain else Answer(total, error)


def _connected(part: System, laws: Laws, accuracy: Accuracy, depth: int, work: Work) -> Answer:
    uses: dict[Key, int] = {}
    for step in part:
        for key in shared_by(step):
            uses[key] = uses.get(key, 0) + 1
    if not uses:
        return _independent(part, laws, accuracy, depth, work)
    if len(uses) > MOST_NESTED and depth == 0 and (answer := _in_order(part, laws, accuracy, work)) is not None:
        return answer
    if len(uses) > 1 and (alone := of_persistent_noises(part)) is not None:
        return IMPOSSIBLE if exclude_each_other(alone) else _conjunction(alone, laws, accuracy, depth, work)
    if depth >= MOST_NESTED:
        raise Unsupported("more than two noises would have to be integrated together")
    key = max(uses, key=lambda k: (uses[k], str(k)))
    law = laws(key)
    if len(uses) == 1:
        line = Line(key, part, laws, work)
        if not accuracy.cut:
            line.condense()
        if line.simple and not line.built:
            return Answer(law.log_between(line.low, line.high), 0.0)
        if line.simple:
            return line.integral(law, accuracy)
    if len(uses) == 2:
        plane = Plane(sorted(uses, key=str), part, laws, work)
        if plane.simple and plane.meets and depth and accuracy.cut:
            raise Unsupported("a third noise, beside two that are the ends of one range, would have to be integrated")
        if plane.simple:
            return plane.integral(accuracy, depth == 0)
    peaks = any(len(step) > 1 for step in part)
    inner = partial(_at, part, key, laws, accuracy, depth, work)
    return log_integral(inner, law, no_kinks, law.scale, (-inf, inf), accuracy, lambda n: None, peaks)


def _in_order(part: System, laws: Laws, accuracy: Accuracy, work: Work) -> Answer | None:
    """Where many noisy values are compared with each other; None where they are not."""
    order = ordering(part)
    if order is None or any(laws(value).kind != "density" for value in order.places):
        return None
    from seqlang.backends.transcript.integrals.elimination import log_by_quadrature, log_estimate

    work.add(VALUES_EACH * len(order.places))
    if not accuracy.cut:
        found = log_estimate(order, laws)
        return NOT_FOUND if found == -inf else Answer(found, accuracy.relative)
    return log_by_quadrature(order, laws, finest=accuracy.relative < FINE.relative)


def _at(part: System, key: Key, laws: Laws, accuracy: Accuracy, depth: int, work: Work, x: float) -> float:
    """The log probability of the part where the noise `key` has the value x."""
    fixed: dict[Alternatives, int] = {}
    for step, times in part.items():
        new = fixed_at(step, key, x)
        if not new:
            return -inf
        fixed[new] = fixed.get(new, 0) + times
    total = 0.0
    for piece in parts_of(fixed):
        total += _connected(piece, laws, accuracy, depth + 1, work).log
        if total == -inf:
            break
    return total


def _independent(part: System, laws: Laws, accuracy: Accuracy, depth: int, work: Work) -> Answer:
    """Steps that share nothing: the product of their probabilities."""
    total, error = 0.0, 0.0
    for step, times in part.items():
        answers = [_conjunction(c, laws, accuracy, depth, work) for c in step]
        value = log_sum([a.log for a in answers])
        if value == -inf:
            return IMPOSSIBLE if all(a == IMPOSSIBLE for a in answers) else NOT_FOUND
        total += times * value
        error += times * max(a.error for a in answers)
    return Answer(total, error)


def _conjunction(conjunction: Conjunction, laws: Laws, accuracy: Accuracy, depth: int, work: Work) -> Answer:
    total, error = 0.0, 0.0
    for part in components(conjunction):
        keys: dict[Key, int] = {}
        for _, terms, _ in part:
            for key, _ in terms:
                keys[key] = keys.get(key, 0) + 1
        if len(keys) <= 1:
            value = one_variable((tuple(part),), laws)
            answer = Answer(-inf if value is None else value, 0.0)
        else:
            if depth >= MOST_NESTED:
                raise Unsupported("more than two noises would have to be integrated together")
            key = max(keys, key=lambda k: (keys[k], str(k)))
            law = laws(key)
            # with `key` in the role of the persistent noise the part is one step of one conjunction
            inner = Line(key, {(tuple(part),): 1}, laws, work)
            if inner.simple:
                answer = inner.integral(law, accuracy)
            else:

                def log_value(x: float, part: list[LinearCondition] = part, key: Key = key) -> float:
                    fixed = fixed_at((tuple(part),), key, x)
                    return _conjunction(fixed[0], laws, accuracy, depth + 1, work).log if fixed else -inf

                answer = log_integral(log_value, law, no_kinks, law.scale, (-inf, inf), accuracy, lambda n: None)
        if answer == IMPOSSIBLE:
            return IMPOSSIBLE
        total += answer.log
        error += answer.error
    return Answer(total, error)
