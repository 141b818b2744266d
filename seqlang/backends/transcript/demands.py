"""Turns the facts of a step into linear conditions on draws of noise, and into the chances that involve no noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf, log
from sys import float_info
from typing import Any

from seqlang.backends.transcript.draws import NoiseDraws, drawn_in
from seqlang.backends.transcript.facts import Fact
from seqlang.backends.transcript.integrals.linear_conditions import (
    Alternatives,
    Conjunction,
    Key,
    Terms,
    is_shared,
    variables,
)
from seqlang.backends.transcript.kept_values import Kept, together
from seqlang.backends.transcript.reported_value import same
from seqlang.backends.transcript.thresholded import ways_to_see
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.operators.groups import EXTREMES

Drawn = Callable[[int | None], Terms]
"""The draws behind the terms of a fact: of a coordinate, or (None) of a number."""
MOST_ALTERNATIVES = 256
"""Disjoint conjunctions of one step; where there would be more, the event is given up."""


class Demands:
    """Reads the facts of the steps of one program. `faint`: the choices of which a chance of 0 may be a small one."""

    def __init__(self, draws: NoiseDraws, faint: frozenset[str] = frozenset()) -> None:
        self.draws = draws
        self.faint = faint

    def noises(self, facts: Sequence[Fact], terms: Any) -> set[Key]:
        """The draws that `terms` of one of these facts read; of a vector the draw of its first coordinate."""
        return {key for key, _ in self._drawn_in(facts, terms)(None)}

    def _drawn_in(self, facts: Sequence[Fact], terms: Any) -> Drawn:
        """The draws behind these terms, by coordinate, in the step that the facts are of."""
        counts: Mapping[str, int] = next((f[1] for f in facts if f[0] == "lives"), {})
        step = next((f[1] for f in facts if f[0] == "step"), 0)
        return lambda at: self.draws.terms(terms, counts, step, at)

    def pieces(self, facts: Sequence[Fact]) -> tuple[tuple[Alternatives, ...], float]:
        """The step's conditions, apart where no fresh noise connects them, and the log of its plain chances."""
        factor = 0.0
        found: list[Alternatives] = []
        for fact in facts:
            match fact:
                case ("certain", holds):
                    if not holds:
                        return (), -inf
                case ("open" | "idle" | "lives" | "step", *_):
                    pass
                case ("chance", chance, gate):
                    if chance <= 0 and gate in self.faint:
                        raise Unsupported("a chance that floats do not tell from 0")
                    if chance <= 0:
                        return (), -inf
                    factor += log(chance)
                case ("compare", wanted, test, _):
                    found.append(tuple(self._test(test, wanted, facts)))
                case ("release", observed, value, terms, post, _):
                    found.append(self._release(observed, value, terms, post, self._drawn_in(facts, terms)))
                case ("argmax", observed, values, terms, sign, _):
                    found.append(self._argmax(observed, values, terms, sign, self._drawn_in(facts, terms)))
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

    def _test(self, test: Any, wanted: bool, facts: Sequence[Fact]) -> list[Conjunction]:
        """Disjoint conjunctions that say that the test comes out as wanted."""
        if isinstance(test, bool):
            return [()] if test == wanted else []
        if not isinstance(test[0], str):
            value, terms, strict = test
            if isinstance(value, tuple):
                raise Unsupported("a vector is compared")
            known = self._drawn_in(facts, terms)(None)
            if isinstance(value, Kept):
                value, known = _with_kept(value, known)
            if wanted:
                return self._condition(value, known, strict)
            return self._condition(-value, _times(-1.0, known), not strict)
        if test[0] == "not":
            return self._test(test[1], not wanted, facts)
        if (test[0] == "and") == wanted:
            return _product_all([self._test(part, wanted, facts) for part in test[1:]])
        result: list[Conjunction] = []
        before: list[Conjunction] = [()]
        for part in test[1:]:
            result += _product(before, self._test(part, wanted, facts))
            before = _product(before, self._test(part, not wanted, facts))
        return result

    def _release(self, observed: Any, value: Any, terms: Any, post: Any, drawn: Drawn) -> Alternatives:
        if observed is True:
            return ((),)
        if isinstance(observed, str):
            return ()  # another stop returns this label
        if post == "other":
            raise Unsupported("the released value is transformed before it is seen")
        values = value if isinstance(value, (tuple, range)) else None
        if isinstance(post, tuple) and post[0] == "clip":
            if values is not None:
                raise Unsupported("a vector is clipped before it is seen")
            observed = _before_clip(observed, post[1], post[2])
            if observed is None:
                return ()
        if values is None:
            return tuple(self._inside(observed, value, drawn(None)))
        self.draws.must_be_independent(terms, len(values))
        if post in EXTREMES:
            return tuple(self._extreme(observed, values, post, drawn))
        if not isinstance(observed, tuple) or len(observed) != len(values):
            raise Unsupported("as many ranges as coordinates are needed")
        if isinstance(post, tuple) and post[0] == "above":
            each = enumerate(zip(observed, values, *post[1:], strict=True))
            return tuple(
                _product_all([ways_to_see(seen, one, drawn(i), rest, self._inside) for i, (seen, one, *rest) in each])
            )
        ranges = enumerate(zip(observed, values, strict=True))
        return tuple(_product_all([self._inside(seen, one, drawn(i)) for i, (seen, one) in ranges]))

    def _inside(self, observed: Any, value: float, terms: Terms) -> list[Conjunction]:
        if observed is True:
            return [()]
        if not terms and not isinstance(observed, tuple):
            return [()] if same(observed, value) else []
        low, high = _ends(observed)
        if low == high and any(self.draws.law(k).kind == "density" for k, _ in terms):
            raise Unsupported("a single value of a noise with a density")
        above = [()] if low == -inf else self._condition(value - low, terms, False)
        return _product(above, [()] if high == inf else self._condition(high - value, _times(-1.0, terms), False))

    def _extreme(self, observed: Any, values: Any, post: str, drawn: Drawn) -> list[Conjunction]:
        """low <= max <= high: all are at most high, and not all below low (for min turned round)."""
        low, high = _ends(observed)
        sign = 1.0
        if post == "min":
            low, high, sign = -high, -low, -1.0
        up = [_times(sign, drawn(i)) for i in range(len(values))]
        down = [_times(-1.0, terms) for terms in up]
        capped: list[list[Conjunction]] = [
            [()] if high == inf else self._condition(high - sign * value, terms, False)
            for value, terms in zip(values, down, strict=True)
        ]
        if low == -inf:
            return _product_all(capped)
        result: list[Conjunction] = []
        before: list[Conjunction] = [()]
        for i, value in enumerate(values):
            here = _product(self._condition(sign * value - low, up[i], False), capped[i])
            result += _product(_product(before, here), _product_all(capped[i + 1 :]))
            before = _product(before, self._condition(low - sign * value, down[i], True))
        return result

    def _argmax(self, observed: Any, values: Any, terms: Any, sign: int, drawn: Drawn) -> Alternatives:
        """The observed position has the largest noisy value, or an equal one that comes first. A position that this
        dataset does not have never wins."""
        winner = int(observed) - 1
        if not 0 <= winner < len(values) or winner + 1 != observed:
            return ()
        self.draws.must_be_independent(terms, len(values))
        mine = _times(sign, drawn(winner))
        if max(map(abs, values)) > float_info.max / 2:
            raise Unsupported("a position among numbers that no float holds")
        return (
            tuple(
                (float(sign * (values[winner] - value)), mine + _times(-sign, drawn(i)), i < winner)
                for i, value in enumerate(values)
                if i != winner
            ),
        )


def _with_kept(value: Kept, terms: Terms) -> tuple[float, Terms]:
    """The number, and the terms together with the draws that the value holds."""
    kept = [(drawn_in(*drawn), factor) for drawn, factor in value.draws]
    return value.plain, tuple(sorted(together(terms, kept), key=lambda kf: str(kf[0])))


def _times(factor: float, terms: Terms) -> Terms:
    return tuple([(k, factor * f) for k, f in terms])


def _ends(observed: Any) -> tuple[float, float]:
    """The range that was observed, or a single value as a range."""
    return observed if isinstance(observed, tuple) else (observed, observed)


def _before_clip(observed: Any, low: float, high: float) -> tuple[float, float] | None:
    """The values that clip(.., low, high) brings into the observed range; None if there are none."""
    first, last = _ends(observed)
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
        fresh = {k for k in variables(alternatives) if not is_shared(k)}
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
