"""Noise: drawn in each of its lives, and added to values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from seqlang.backends.interpret.inputs.alphabet import alphabet_of
from seqlang.backends.interpret.shapes import UNKNOWN, shape_of_expression
from seqlang.backends.kernels.lowering.expressions import value_of
from seqlang.backends.kernels.lowering.laws.drawing import draw
from seqlang.backends.kernels.lowering.laws.expressions import law_of
from seqlang.backends.kernels.lowering.laws.forms import Flip
from seqlang.backends.kernels.lowering.operators import apply, pairwise
from seqlang.backends.kernels.lowering.scope import Scope, array_in, array_of
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.backends.kernels.operations import ZERO, Kind
from seqlang.model import expression as ir
from seqlang.model.life import EachReport, EachStep, Once
from seqlang.model.program import Cell, Noise, Program, nodes_in

LEVELS = 63
"""A tree has no more levels than a step number has bits."""


class Noises:
    """Where every noise of the program stands.

    A fresh noise that is read in one place is drawn there; one that is read in several, at the start of the step. The
    others are variables: drawn at the start of the run, and again in the step after their report.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.program = scope.program
        self.chosen: dict[str, tuple[str, str]] = {}
        """Random sets of records: name -> (number of records, the array of who is in)."""
        self._readings = _readings(scope.program)
        self._inner = _inner(scope.program)
        self._values: dict[str, Value] = {}
        self._late: dict[str, tuple[str, str]] = {}
        """Noises of vectors that are drawn at their first reading in a step, which may not come: name -> (array, name
        of whether it is drawn)."""

    # ---- life

    def start(self) -> None:
        """Written before the first step."""
        for noise in self.program.noises:
            if noise.name in self._readings and not isinstance(noise.life, EachStep) and not self._own(noise):
                self._values[noise.name] = self._variable(noise, self._drawn(noise))

    def begin(self, fired_before: dict[str, str]) -> None:
        """Written at the start of every step: noises whose report was made, and fresh ones read in several places."""
        for noise in self.program.noises:
            if noise.name not in self._readings or self._own(noise):
                continue
            if isinstance(noise.life, EachReport):
                self._renew(noise, fired_before[noise.life.report])
            elif isinstance(noise.life, EachStep) and self._shared(noise.name):
                shape = self._shape(noise.name)
                if len(shape) == 1 and noise.name not in self._inner:
                    self._late[noise.name] = (
                        self.scope.buffer(shape),
                        self.scope.writer.assign(self.scope.writer.fresh("f"), "False", "truth"),
                    )
                else:
                    self._values[noise.name] = self._drawn(noise)

    def _own(self, noise: Noise) -> bool:
        """Trees and subsamples have a way of their own."""
        return noise.family in ("tree", "sample")

    def _shared(self, name: str) -> bool:
        return self._readings[name] > 1 or name in self._inner

    def _renew(self, noise: Noise, fired: str) -> None:
        kept = self._values[noise.name]
        w = self.scope.writer
        if isinstance(kept, Scalar):
            items, drawn = w.capture(lambda: self._drawn(noise))
            w.guarded(fired, items, kept.text, scalar(drawn, "a noise").text)
            return
        with w.block(f"if {fired}:"):
            new = self._drawn(noise)
            assert isinstance(new, List)
            self.scope.copy(new, array_in(kept))

    def _variable(self, noise: Noise, value: Value) -> Value:
        if isinstance(value, List):
            return self.scope.stored(value, f"the noise `{noise.name}`")
        name = self.scope.variable(ZERO[value.kind], value.kind)
        return Scalar(self.scope.writer.assign(name, value.text, value.kind), value.kind, value.finite)

    def _drawn(self, noise: Noise) -> Value:
        self.scope.purpose = "noise"
        if noise.flips:
            return draw(self.scope, self.places(noise), self._shape(noise.name))
        return draw(self.scope, law_of(self.scope, noise.law), self._shape(noise.name))

    # ---- readings

    def drawn(self, name: str) -> Value:
        """The present value of a noise."""
        if name in self.chosen:
            raise CannotCompile("a random set as a value")
        noise = self.program.noise(name)
        if noise.family == "sample":
            raise CannotCompile("a random set as a value")
        if noise.family == "tree":
            return self._tree(noise)
        if name in self._late:
            return self._at_first_reading(noise)
        if name in self._values:
            return self._values[name]
        return self._drawn(noise)

    def _at_first_reading(self, noise: Noise) -> Value:
        (array, done), scope = self._late[noise.name], self.scope
        with scope.writer.block(f"if not {done}:"):
            value = self._drawn(noise)
            assert isinstance(value, List)
            dimensions, kind, finite = scope.outline(value)
            scope.copy(value, array)
            scope.writer.assign(done, "True", "truth")
        return array_of(array, dimensions, kind, finite)

    def noised(self, e: ir.Noised) -> Value:
        """A value with its noise."""
        value = value_of(self.scope, e.base)
        if isinstance(value, List) and value.grows:
            raise CannotCompile("noise on a list that grows")
        for term in e.terms:
            law = self.program.noise(term.noise).law
            if isinstance(law, ir.Law) and law.family == "randomized_response":
                value = self._flipped(e, term.noise, value)
                continue
            noise = self.drawn(term.noise)
            factor = value_of(self.scope, term.factor)
            if not (isinstance(term.factor, ir.Number) and term.factor.value == 1):
                noise = apply(self.scope, "*", (factor, noise))
            value = pairwise(self.scope, _plus, value, noise)
        return value

    def subsamples(self) -> None:
        """Fresh random sets of records, at the start of a step; the others once."""
        w = self.scope.writer
        for noise in self.program.noises:
            if not (isinstance(noise.law, ir.Law) and noise.law.family == "sample"):
                continue
            if not isinstance(noise.life, (EachStep, Once)) or not isinstance(noise.law.arguments[0], ir.Records):
                raise CannotCompile("this kind of random set")
            size = self.scope.constants.whole(self.scope.size())
            mask = self.scope.buffer((size,), "truth")
            self.chosen[noise.name] = (size, mask)
            chance = scalar(value_of(self.scope, noise.law.arguments[1]), "a chance")
            with w.where(None if isinstance(noise.life, EachStep) else "step == 1"), w.loop(size) as i:
                w.text(f"{mask}[{i}] = uniform(s_noise) < {chance.number}")

    def _shape(self, name: str) -> tuple[str, ...]:
        """The lengths of the value that a noise is added to, which are the noise's."""
        read = next(self._reading(name), None)
        shape = () if read is None else shape_of_expression(self.scope.exact, read.base)
        if UNKNOWN in shape:
            raise CannotCompile("noise on a list that grows")
        return tuple(self.scope.constants.whole(n) for n in shape)

    # ---- trees

    def _tree(self, noise: Noise) -> Value:
        """The noises of the nodes that cover steps 1..step, one a level at most; each is drawn when it is first met."""
        scope, w = self.scope, self.scope.writer
        assert isinstance(noise.law, ir.Law)
        if not isinstance(noise.life, (Once, EachStep)):
            raise CannotCompile("a tree that begins anew")
        if noise.name in self._values:
            return self._values[noise.name]
        shape = self._shape(noise.name)
        nodes = scope.buffer((str(LEVELS),), "label")
        scope.resets.append(f"{nodes}[:] = 0")
        values = scope.buffer((str(LEVELS), *shape))
        total = scope.buffer(shape) if shape else w.assign(w.fresh("f"), "0.0")
        node = w.fresh("i")
        if shape:
            w.text(f"{total}[:] = 0.0")
        with w.loop(str(LEVELS)) as level:
            w.text(f"if step >> {level} == 0:", "    break", f"if (step >> {level}) & 1 == 0:", "    continue")
            w.text(f"{node} = (step >> {level}) << {level}")
            with w.block(f"if {nodes}[{level}] != {node}:"):
                w.text(f"{nodes}[{level}] = {node}")
                scope.purpose = "noise"
                scope.put(values, level, draw(scope, law_of(scope, noise.law.arguments[0]), shape))
            if shape:
                with w.loop(shape[0]) as i:
                    w.text(f"{total}[{i}] += {values}[{level}, {i}]")
            else:
                w.assign(total, f"{total} + {values}[{level}]")
        return array_of(total, shape, "number", True) if shape else Scalar(total)

    # ---- randomised response

    def places(self, noise: Noise) -> Flip:
        """By how many places on the circle of letters the truth is moved."""
        scope = self.scope
        assert isinstance(noise.law, ir.Law)
        scope.exact.constant(noise.law)
        truth = scalar(value_of(scope, noise.law.arguments[0]), "a probability")
        return Flip(truth, self._letters(next(self._reading(noise.name)))[1])

    def _reading(self, name: str) -> Iterator[ir.Noised]:
        """Where a noise is added."""
        everywhere = (e for e in nodes_in(self.program.body) if isinstance(e, ir.Noised))
        return (e for e in everywhere if any(t.noise == name for t in e.terms))

    def _letters(self, e: ir.Noised) -> tuple[list[float] | str, int]:
        """The letters of a flipped value (or what kind of value it is, if all of that kind may come), and how many."""
        shape = shape_of_expression(self.scope.exact, e.base)
        if self.scope.numpy.is_label(e.base):
            return "label", len(self.program.labels)
        found = alphabet_of(self.scope.exact, e)
        if found is not None and not all(isinstance(v, bool) for v in found):
            return [float(v) for v in found], len(found)
        if found is not None or not shape:
            return "truth", 2
        raise CannotCompile("a list of truth values that are flipped")

    def _flipped(self, e: ir.Noised, name: str, value: Value) -> Value:
        places = self.drawn(name)
        letters, size = self._letters(e)
        return pairwise(self.scope, lambda a, p: self._moved(a, p, letters, size), value, places)

    def _moved(self, a: Scalar, places: Scalar, letters: list[float] | str, size: int) -> Scalar:
        w = self.scope.writer
        if a.kind == "truth":
            return Scalar(w.named(f"{a.text} != ({places.text} != 0.0)", "truth"), "truth")
        if letters == "truth":
            raise CannotCompile("randomised response on a value without a finite domain")
        found = self.program.labels if letters == "label" else letters
        names = [scalar(self.scope.constants.value(v), "a letter").text for v in found]
        at = w.named(_chain([(f"{a.text} == {t}", f"{float(i)}") for i, t in enumerate(names)], "0.0"))
        to = w.named(f"remainder({at} + {places.text}, {float(size)})")
        kind: Kind = "label" if letters == "label" else "number"
        text = _chain([(f"{to} == {float(i)}", t) for i, t in enumerate(names)], names[0])
        return Scalar(w.named(text, kind), kind)


def _chain(cases: list[tuple[str, str]], otherwise: str) -> str:
    text = otherwise
    for test, value in reversed(cases):
        text = f"({value} if {test} else {text})"
    return text


def _plus(a: Scalar, b: Scalar) -> Scalar:
    return Scalar(f"({a.number} + {b.number})", "number", a.finite and b.finite)


def _readings(program: Program) -> Counter[str]:
    """How often each noise is read in a step."""
    return Counter(_read_in(nodes_in(program.body)))


def _read_in(expressions: Iterable[ir.Expression]) -> Iterator[str]:
    """The noises that these expressions read themselves, each as often as it is read."""
    for e in expressions:
        if isinstance(e, ir.Noised):
            yield from (t.noise for t in e.terms)
        elif isinstance(e, ir.Drawn):
            yield e.name


def _inner(program: Program) -> frozenset[str]:
    """Noises that are read in the body of a `for`: one number for all rounds."""
    found: set[str] = set()
    for e in nodes_in(program.body):
        if isinstance(e, (ir.Quantified, ir.WeightsOf)):
            found.update(_read_in(ir.walk(e)))
    for statement in program.body:
        if isinstance(statement, Cell) and statement.binders:
            for part in (statement.body, statement.where):
                found.update(_read_in(() if part is None else ir.walk(part)))
    return frozenset(found)
