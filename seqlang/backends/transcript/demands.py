"""Turns the facts of a step into linear conditions on draws of noise, and into the chances that involve no noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, log
from typing import Any

from seqlang.backends.transcript.draws import NoiseDraws
from seqlang.backends.transcript.facts import Fact
from seqlang.backends.transcript.integrals.linear_conditions import (
    Alternatives,
    Conjunction,
    Key,
    LinearCondition,
    Terms,
)
from seqlang.backends.transcript.reported_value import same
from seqlang.backends.transcript.unsupported import Unsupported

MOST_ALTERNATIVES = 256
"""Disjoint conjunctions of one step; where there would be more, the event is given up."""


class Demands:
    """Reads the facts of the steps of one program. `faint`: the choices of which a chance of 0 may be a small one."""

    def __init__(self, draws: NoiseDraws, faint: frozenset[str] = frozenset()) -> None:
        self.draws = draws
        self.faint = faint

    def noises(self, facts: Sequence[Fact], terms: Any) -> set[Key]:
        """The draws that `terms` of one of these facts read; of a vector the draw of its first coordinate."""
        counts: Mapping[str, int] = next((f[1] for f in facts if f[0] == "lives"), {})
        step = next((f[1] for f in facts if f[0] == "step"), 0)
        return {key for key, _ in self.draws.terms(terms, counts, step, None)}

    def pieces(self, facts: Sequence[Fact]) -> tuple[tuple[Alternatives, ...], float]:
        """The step's conditions, apart where no fresh noise connects them, and the log of its plain chances."""
        counts: Mapping[str, int] = {}
        step = 0
        factor = 0.0
        found: list[Alternatives] = []
        for fact in facts:
            match fact:
                case ("lives", now):
                    counts = now
                case ("step", now):
                    step = now
                case ("certain", holds):
                    if not holds:
                        return (), -inf
                case ("open" | "idle", *_):
                    pass
                case ("chance", chance, gate):
                    if chance <= 0 and gate in self.faint:
                        raise Unsupported("a chance that floats do not tell from 0")
                    if chance <= 0:
                        return (), -inf
                    factor += log(chance)
                case ("compare", wanted, test, _):
                    found.append(tuple(self._test(test, wanted, counts, step)))
                case ("release", observed, value, terms, post, _):
                    found.append(self._release(observed, value, terms, post, counts, step))
                case ("argmax", observed, values, terms, sign, _):
                    found.append(self._argmax(observed, values, terms, sign, counts, step))
                case _:
                    raise Unsupported("an unknown condition")
        if any(not alternatives for alternatives in found):
            return (), -inf
        found = [a for a in found if a != ((),)]
        return tuple(_joined(found)), factor

    def _condition(self, value: float, terms: Terms, strict: bool) -> list[Conjunction]:
        if value != value:
            raise Unsupported("a margin is not a number")
        if not terms:
            return [()] if value > 0 or (value == 0 and not strict) else []
        if value in (inf, -inf):
            return [()] if value > 0 else []
        return [((float(value), terms, strict),)]

    def _test(self, test: Any, wanted: bool, counts: Mapping[str, int], step: int) -> list[Conjunction]:
        """Disjoint conjunctions that say that the test comes out as wanted."""
        if isinstance(test, bool):
            return [()] if test == wanted else []
        if not isinstance(test[0], str):
            value, terms, strict = test
            if isinstance(value, tuple):
                raise Unsupported("a vector is compared")
            known = self.draws.terms(terms, counts, step, None)
            if wanted:
                return self._condition(value, known, strict)
            return self._condition(-value, tuple((k, -f) for k, f in known), not strict)
        if test[0] == "not":
            return self._test(test[1], not wanted, counts, step)
        if (test[0] == "and") == wanted:
            result: list[Conjunction] = [()]
            for part in test[1:]:
                result = _product(result, self._test(part, wanted, counts, step))
            return result
        result = []
        before: list[Conjunction] = [()]
        for part in test[1:]:
            result += _product(before, self._test(part, wanted, counts, step))
            before = _product(before, self._test(part, not wanted, counts, step))
        return result

    def _release(
        self, observed: Any, value: Any, terms: Any, post: Any, counts: Mapping[str, int], step: int
    ) -> Alternatives:
        if observed is True:
            return ((),)
        if isinstance(observed, str):
            return ()  # another stop returns this label
        if post == "other":
            raise Unsupported("the released value is transformed before it is seen")
        if isinstance(post, tuple):
            if isinstance(value, (tuple, range)):
                raise Unsupported("a vector is clipped before it is seen")
            observed = _before_clip(observed, post[1], post[2])
            if observed is None:
                return ()
        values = value if isinstance(value, (tuple, range)) else None
        if values is None:
            return self._inside(observed, value, self.draws.terms(terms, counts, step, None))
        self.draws.must_be_independent(terms, len(values))
        if post in ("max", "min"):
            return self._extreme(observed, values, terms, post, counts, step)
        if not isinstance(observed, tuple) or len(observed) != len(values):
            raise Unsupported("as many ranges as coordinates are needed")
        result: list[Conjunction] = [()]
        for i, (one, range_) in enumerate(zip(values, observed, strict=True)):
            result = _product(result, list(self._inside(range_, one, self.draws.terms(terms, counts, step, i))))
        return tuple(result)

    def _inside(self, observed: Any, value: float, terms: Terms) -> Alternatives:
        if observed is True:
            return ((),)
        if not terms and not isinstance(observed, tuple):
            return ((),) if same(observed, value) else ()
        low, high = observed if isinstance(observed, tuple) else (observed, observed)
        if low == high and any(self.draws.law(k).kind == "density" for k, _ in terms):
            raise Unsupported("a single value of a noise with a density")
        result: list[Conjunction] = [()]
        if low > -inf:
            result = _product(result, self._condition(value - low, terms, False))
        if high < inf:
            result = _product(result, self._condition(high - value, tuple((k, -f) for k, f in terms), False))
        return tuple(result)

    def _extreme(
        self, observed: Any, values: Any, terms: Any, post: str, counts: Mapping[str, int], step: int
    ) -> Alternatives:
        """low <= max <= high: all are at most high, and not all below low (for min turned round)."""
        low, high = observed if isinstance(observed, tuple) else (observed, observed)
        sign = 1.0
        if post == "min":
            low, high, sign = -high, -low, -1.0
        result: list[Conjunction] = []
        before: list[Conjunction] = [()]
        capped: list[list[Conjunction]] = []
        for i, value in enumerate(values):
            up = tuple((k, sign * f) for k, f in self.draws.terms(terms, counts, step, i))
            down = tuple((k, -f) for k, f in up)
            capped.append([()] if high == inf else self._condition(high - sign * value, down, False))
        if low == -inf:
            return tuple(_product_all(capped))
        for i, value in enumerate(values):
            up = tuple((k, sign * f) for k, f in self.draws.terms(terms, counts, step, i))
            down = tuple((k, -f) for k, f in up)
            here = _product(self._condition(sign * value - low, up, False), capped[i])
            result += _product(_product(before, here), _product_all(capped[i + 1 :]))
            before = _product(before, self._condition(low - sign * value, down, True))
        return tuple(result)

    def _argmax(
        self, observed: Any, values: Any, terms: Any, sign: int, counts: Mapping[str, int], step: int
    ) -> Alternatives:
        """The observed position has the largest noisy value, or an equal one that comes first. A position that this
        dataset does not have never wins."""
        winner = int(observed) - 1
        if winner >= len(values):
            return ()
        self.draws.must_be_independent(terms, len(values))
        conditions: list[LinearCondition] = []
        mine = self.draws.terms(terms, counts, step, winner)
        for i, value in enumerate(values):
            if i != winner:
                other = self.draws.terms(terms, counts, step, i)
                joint = tuple((k, sign * f) for k, f in mine) + tuple((k, -sign * f) for k, f in other)
                conditions.append((float(sign * (values[winner] - value)), joint, i < winner))
        return (tuple(conditions),)


def _before_clip(observed: Any, low: float, high: float) -> tuple[float, float] | None:
    """The values that clip(.., low, high) brings into the observed range; None if there are none."""
    first, last = observed if isinstance(observed, tuple) else (observed, observed)
    if first > high or last < low:
        return None
    return (-inf if first <= low else first), (inf if last >= high else last)


def _product(left: Sequence[Conjunction], right: Sequence[Conjunction]) -> list[Conjunction]:
    if len(left) * len(right) > MOST_ALTERNATIVES:
        raise Unsupported("too many cases in one step")
    return [a + b for a in left for b in right]


def _product_all(parts: Sequence[list[Conjunction]]) -> list[Conjunction]:
    result: list[Conjunction] = [()]
    for part in parts:
        result = _product(result, part)
    return result


def _joined(found: Sequence[Alternatives]) -> list[Alternatives]:
    """Conditions that read one fresh noise become one piece."""
    pieces: list[tuple[set[Key], Alternatives]] = []
    for alternatives in found:
        fresh = {k for c in alternatives for _, terms, _ in c for k, _ in terms if k[-1] is ...}
        merged = alternatives
        rest = []
        for keys, other in pieces:
            if keys & fresh:
                fresh |= keys
                merged = tuple(_product(other, merged))
            else:
                rest.append((keys, other))
        pieces = [*rest, (fresh, merged)]
    return [piece for _, piece in pieces]
