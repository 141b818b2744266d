"""Writes the lines of the generated step that say what its noises must do for the observed outcome to come out."""

from __future__ import annotations

import math
from fractions import Fraction
from math import inf
from typing import Any, assert_never

from seqlang.backends.transcript.decisions import Tree, decided, leaves, tree_of
from seqlang.backends.transcript.finite_laws import alike, both_right, flipped, mass, support, total
from seqlang.backends.transcript.kept_values import KeptWriter
from seqlang.backends.transcript.plain_values import PlainWriter
from seqlang.backends.transcript.reported_value import same
from seqlang.backends.transcript.thresholded import Thresholded, thresholded
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model import expression as e
from seqlang.model import program as p
from seqlang.model.at_the_moment import Decided
from seqlang.model.gate_source import GateSource, OfCondition, OfEvent, OfResult, OfStop, OfValue, name_of, report_of
from seqlang.model.growths import UNIT
from seqlang.model.life import EachStep, Once
from seqlang.model.noise_scales import width_of_terms
from seqlang.model.precision import CLOSE
from seqlang.model.smooth import SMALL
from seqlang.record import replace

Fact = tuple[Any, ...]
"""("compare", wanted, test, gate) with test = bool | (value, terms, strict) | ("and" | "or" | "not", parts), and
("idle", test, gate) where the gate's guard does not hold; ("release", observed, value, terms, post, gate), post being
None, "max", "min", ("clip", low, high), ("above", conditions, thresholds, defaults) or "other"; ("chance",
probability, gate); ("argmax", observed, values, terms, sign, gate); ("open", values, gate): a choice of which any
value may have been seen; ("certain", bool). Terms are ((noise, factor), ..)."""


PLAIN = Fraction(1, 1000)
"""A chance that is at least this, and 1 minus it, have 13 digits as doubles."""
OFF = 1e-9
"""By how much a chance that is computed from others may be off, relative to it."""
STEEPEST = 40.0
"""By how much the logarithm of a density that is no 0 changes at most, for each scale of its noise."""


def with_digits(chance: float, off: float) -> float:
    """A chance that is off by so much. Raises Unsupported where that is no small part of it."""
    if chance > 0 and off > OFF * chance:
        raise Unsupported("a chance of which doubles know few digits")
    return chance


class FactWriter:
    """Appends to `lines`. `rounding`: by how much a step's chances may be off, relative to them, because numbers are
    doubles. Raises `Unsupported` at once where a choice is shown whose chances do not multiply."""

    def __init__(
        self, program: p.Program, plain: PlainWriter, lines: list[str], kept: KeptWriter | None = None
    ) -> None:
        self.program = program
        self.kept = kept
        self.plain = plain
        self.lines = lines
        self.rounding = 0.0
        self.seen_apart = False  # whether the value at hand is reported is not only for its guard to say
        plain.scope |= {"mass": mass, "support": support, "same": same, "flipped": flipped, "alike": alike}
        plain.scope |= {"on_its_side": on_its_side, "both_right": both_right, "decided": decided, "leaves": leaves}
        plain.scope["with_digits"] = with_digits
        plain.scope["total"] = total
        self._check_choices()

    def gates(self, source: GateSource, wanted: str, observed: str) -> None:
        """The facts of one gate of a report or stop."""
        mine = self._gates_of(source)
        statement = name_of(source)
        if not mine:
            raise Unsupported(f"no gate for {statement}")
        named = report_of(source)
        report = next((s for s in self.program.body if isinstance(s, p.Report) and s.name == named), None)
        value = self._result(source) if report is None else report.value
        # whether a value is reported may be seen by a gate of its own
        whether = [
            self._compared(g)
            for g in self.program.gates
            if isinstance(g.source, OfCondition) and g.source.report == named
        ]
        for gate in whether:
            self._condition(gate, wanted, statement)
        self.seen_apart = bool(whether)
        for gate in mine:
            match gate:
                case p.CompareGate(guard=guard) if value is not None and isinstance(source, OfValue | OfResult):
                    self._decision(source, guard, value, wanted, observed)
                case p.PublicGate() if report is not None and value is not None:
                    fact = f"('release', {observed}, {self.plain.write(value)}, (), None, {statement!r})"
                    self._guarded(report.when if not whether else None, wanted, fact, must=True)
                case p.ReleaseGate(guard=guard, value=value, terms=terms, post=post):
                    self._must_be_known(value, terms, is_shown=True)
                    shown, written = self._post(post), self.plain.write(value)
                    fact = f"('release', {observed}, {written}, {self._terms(terms)}, {shown}, {statement!r})"
                    self._guarded(guard, wanted, fact, must=True)
                case p.ChooseGate(guard=guard, law=law):
                    self._guarded(guard, wanted, self._choice(law, observed, statement), must=True)
                case p.OpaqueGate(guard=guard) if value and (cells := thresholded(self.program, value)) is not None:
                    self._guarded(guard, wanted, self._thresholded(cells, observed, statement), must=True)
                case p.OpaqueGate() if not isinstance(source, OfStop | OfEvent):
                    fact = f"('release', {observed}, {self._without_noise(gate)}, (), None, {statement!r})"
                    self._guarded(gate.guard, wanted, fact, must=True)
                case _:
                    self._condition(gate, wanted, statement)

    def _must_be_known(self, value: e.Expression, terms: tuple[e.Term, ...], is_shown: bool = False) -> None:
        """What is shown without noise is compared with what was seen: doubles have to tell whether it is the same. What
        has noise is known to a small part of it, or looked at where it is computed. The double next to a number is
        always good enough for the chance that it is above 0 with its noise, not for what is seen of it."""
        jumps = self.plain.exact.jumps
        smooth = jumps.smooth
        if not terms and not smooth.is_told(value) and smooth.precision.error(value, False) > CLOSE:
            raise Unsupported("a value is shown that doubles do not tell from others")
        width = width_of_terms(jumps.grids, terms)
        known = isinstance(jumps.run(value), Decided)
        error, most = smooth.precision.error(value, known), float(SMALL.value)
        if width is None or error == 0.0:
            return
        if not isinstance(width, e.Number):
            raise Unsupported("noise of a width that changes")
        beside = error / float(width.value)
        if known and is_shown and beside > most:
            raise Unsupported("numbers that are very large beside their noise")
        if not self.program.data_set:
            self.rounding += STEEPEST * (beside if beside < inf else most)

    def _gates_of(self, source: GateSource) -> list[p.Gate]:
        return [self._compared(g) for g in self.program.gates if g.source == source]

    def _compared(self, gate: p.Gate) -> p.Gate:
        """A gate that would be a comparison, but for noise that its plain values hold, as one."""
        if self.kept is not None and isinstance(gate, p.OpaqueGate) and gate.test is not None:
            return p.CompareGate(gate.source, gate.guard, gate.test)
        return gate

    def _condition(self, gate: p.Gate, wanted: str, statement: str) -> None:
        """The facts of a condition that decides whether something is reported, or whether the run stops."""
        match gate:
            case p.CompareGate(guard=guard, test=test):
                written = self._test(test)
                idle = f"('idle', {written}, {statement!r})"
                self._guarded(guard, wanted, f"('compare', {wanted}, {written}, {statement!r})", idle=idle)
            case p.PublicGate(expression=expression):
                holds = "True" if expression is None else f"bool({self.plain.write(expression)})"
                self.lines.append(f"facts.append(('certain', ({wanted}) == {holds}))")
            case p.OpaqueGate():
                self._guarded(gate.guard, wanted, f"('certain', ({wanted}) == bool({self._without_noise(gate)}))")
            case _:
                raise Unsupported(f"whether {statement} is reported")

    def _result(self, source: GateSource) -> e.Expression | None:
        stops = (s for s in self.program.body if isinstance(s, p.Stop))
        return next((s.result for s in stops if isinstance(source, OfResult) and s.index == source.stop), None)

    def _decision(
        self, source: OfValue | OfResult, guard: e.Expression | None, value: e.Expression, wanted: str, observed: str
    ) -> None:
        """The facts of a value that comparisons decide: it is the value that is seen, not how they come out."""
        name = name_of(source)
        parts = [replace(source, part=n) for n in range(1, 1 + len(self.program.gates))]
        tests = [self._test(g.test) for at in parts for g in self._gates_of(at) if isinstance(g, p.CompareGate)]
        tree = self._tree(tree_of(self.program, value, len(tests)), tests)
        known = f"('compare', True, decided({observed}, {tree}), {name!r})"
        self._guarded(
            guard, wanted, f"('open', leaves({tree}), {name!r}) if {observed} is True else {known}", must=True
        )
        for test in tests:
            self.lines.append(f"if not ({wanted}): facts.append(('idle', {test}, {name!r}))")

    def _tree(self, tree: Tree, tests: list[str]) -> str:
        if not isinstance(tree, tuple):
            return self.plain.write(tree)
        return f"({tests[tree[0]]}, {self._tree(tree[1], tests)}, {self._tree(tree[2], tests)})"

    def _without_noise(self, gate: p.OpaqueGate) -> str:
        """What the gate shows, if no noise is read for it, also not through definitions and accumulators: an opaque
        gate may hold only the plain part of what it tests."""
        noises = {noise.name for noise in self.program.noises}
        for x in p.expressions_read(self.program, (gate.expression,)):
            if isinstance(x, e.Noised) or (isinstance(x, e.Drawn) and x.name in noises):
                raise Unsupported(f"{gate.name}: {gate.reason}")
        return self.plain.write(gate.expression)

    def returned(self, index: int, result: e.Expression | None) -> None:
        gates = [g for g in self.program.gates if g.source == OfResult(index)]
        observed = "observed['stop'][1]"
        if any(not isinstance(g, p.PublicGate) for g in gates):
            mark = len(self.lines)
            self.gates(OfResult(index), "True", observed)
            self.lines[mark:] = ["    " + line for line in self.lines[mark:]]
            self.lines.insert(mark, f"if {observed} is not None:")
        elif result is None:
            self.lines.append(f"facts.append(('certain', {observed} is None))")
        else:
            self.lines.append(
                f"if {observed} is not None: facts.append(('certain', same({observed}, {self.plain.write(result)})))"
            )

    def _guarded(
        self, guard: e.Expression | None, wanted: str, fact: str, must: bool = False, idle: str | None = None
    ) -> None:
        """The fact where the public guard holds; elsewhere (and, for values, exactly elsewhere) nothing is seen."""
        if must:
            shown = "True" if guard is None else f"bool({self.plain.write(guard)})"
            if not self.seen_apart:
                self.lines.append(f"facts.append(('certain', ({wanted}) == {shown}))")
            self.lines.append(f"if {wanted}: facts.append({fact})")
        elif guard is None:
            self.lines.append(f"facts.append({fact})")
        else:
            self.lines.append(f"if {self.plain.write(guard)}: facts.append({fact})")
            self.lines.append(f"elif {wanted}: facts.append(('certain', False))")
            if idle is not None:
                self.lines.append(f"else: facts.append({idle})")

    def _choice(self, law: p.FlipLaw | p.NoisyMaxLaw | p.PrivateLaw, observed: str, gate: str) -> str:
        match law:
            case p.FlipLaw(of, truth, alphabet):
                right = self.plain.write(truth)
                while (inner := self._flipped_before(of)) is not None:
                    first, of = inner
                    right = f"both_right({right}, {first}, {len(alphabet)})"
                value = self.plain.write(of)
                values = "(" + "".join(self.plain.write(a) + ", " for a in alphabet) + ")"
                chance = f"flipped({observed}, {value}, {right}, {len(alphabet)})"
                values = f"alike({values}, {value})"
                known = f"('chance', {self._with_digits(chance, (truth,))}, {gate!r})"
            case p.NoisyMaxLaw(of, terms, sign):
                value = self.plain.write(of)
                values = f"range(1, len({value}) + 1)"
                known = f"('argmax', {observed}, {value}, {self._terms(terms)}, {sign}, {gate!r})"
            case p.PrivateLaw(inner):
                written = self.plain.write(inner)
                values = f"support({written})"
                known = f"('chance', {self._mass(inner, written, observed)}, {gate!r})"
            case _ as never:
                assert_never(never)
        return f"('open', {values}, {gate!r}) if {observed} is True else {known}"

    def _mass(self, law: e.Expression, written: str, observed: str) -> str:
        """The chance of what was seen, see `with_digits`."""
        chance = f"mass({written}, {observed})"
        match law:
            case e.Weights(pairs):
                weights = [weight for _, weight in pairs]
            case e.WeightsOf(weight=weight):
                weights = [weight]
            case _:
                return self._with_digits(chance, tuple(e.children(law)))
        if all(map(self._has_its_digits, weights)):
            return chance
        self.rounding += OFF
        match law:
            case e.Weights(pairs):
                off: e.Expression = e.Weights(tuple((value, self._error(weight)) for value, weight in pairs))
            case e.WeightsOf(weight=weight):
                off = replace(law, weight=self._error(weight))
        return f"with_digits({chance}, {UNIT!r} + total({self.plain.write(off)}) / total({written}))"

    def _with_digits(self, chance: str, parts: tuple[e.Expression, ...]) -> str:
        """The same of a chance that may be 1 minus another one."""
        if all(map(self._is_plain_chance, parts)):
            return chance
        self.rounding += OFF
        return f"with_digits({chance}, {' + '.join([repr(UNIT), *(self.plain.write(self._error(p)) for p in parts)])})"

    def _error(self, part: e.Expression) -> e.Expression:
        """How far a number may be off: always, or as a run computes it."""
        smooth = self.plain.exact.jumps.smooth
        always = smooth.precision.error(part, False)
        if always < inf:
            return e.Number(Fraction(always))
        now = smooth.error(part)
        if now is None:
            raise Unsupported("a chance of which doubles may know few digits")
        return now

    def _is_plain_chance(self, chance: e.Expression) -> bool:
        """Whether it is one of some constants that are not next to 0 or 1."""
        match chance:
            case e.Choice(_, yes, no):
                return self._is_plain_chance(yes) and self._is_plain_chance(no)
            case e.Sequence(_, items):
                return all(map(self._is_plain_chance, items))
        grids = self.plain.exact.jumps.grids
        value = grids.exactly(chance) if grids.is_constant(chance) else None
        return isinstance(value, Fraction) and (value in (0, 1) or PLAIN <= value <= 1 - PLAIN)

    def _has_its_digits(self, weight: e.Expression) -> bool:
        precision = self.plain.exact.jumps.smooth.precision
        if isinstance(weight, e.Apply) and weight.operator == "exp":
            return precision.error(weight.arguments[0], False) <= OFF
        return precision.is_small_part(weight)

    def _flipped_before(self, of: e.Expression) -> tuple[str, e.Expression] | None:
        """How the value came by a flip of its own, read nowhere else: its chance of the truth, and what it flips."""
        if not isinstance(of, e.Local):
            return None
        made = next((s.expression for s in self.program.body if isinstance(s, p.Define) and s.name == of.name), None)
        if not isinstance(made, e.Noised) or len(made.terms) != 1:
            return None
        noise = self.program.noise(made.terms[0].noise)
        if not (noise.flips and isinstance(noise.law, e.Law)):
            return None
        read = list(p.nodes_in(self.program.body))
        if read.count(of) > 1 or sum(isinstance(x, e.Noised) and x.name == made.name for x in read) > 1:
            raise Unsupported(f"the flipped {made.name} is read in two places")
        return self.plain.write(noise.law.arguments[0]), made.base

    def _post(self, post: e.Expression | None) -> str:
        """What is done to the value before it is seen, as it is written."""
        match post:
            case None | e.ReleasedValue():
                return "None"
            case e.Apply(("max" | "min") as operator, (e.ReleasedValue(),)):
                return repr(operator)
            case e.Apply("clip", (e.ReleasedValue(), low, high)):
                return f"('clip', {self.plain.write(low)}, {self.plain.write(high)})"
            case _:
                return "'other'"

    def _thresholded(self, cells: Thresholded, observed: str, gate: str) -> str:
        post = ", ".join(self.plain.write(part) for part in (cells.holds, cells.threshold, cells.default))
        terms = self._terms(cells.reading.terms)
        return f"('release', {observed}, {self.plain.write(cells.reading.base)}, {terms}, ('above', {post}), {gate!r})"

    def _test(self, test: p.Test) -> str:
        match test:
            case p.Margin(value, terms, strict):
                if terms:
                    self._must_be_known(value, terms)
                written = self.plain.write(value) if self.kept is None else self.kept.write(value)
                holds = None if terms or self.kept is not None else self.plain.exact.jumps.holds(test)
                if holds is not None:
                    written = f"on_its_side({written}, {self.plain.write(holds)}, {strict})"
                return f"({written}, {self._terms(terms)}, {strict})"
            case p.PublicTest(expression):
                return f"bool({self.plain.write(expression)})"
            case p.And(parts):
                return f"('and', {', '.join(map(self._test, parts))})"
            case p.Or(parts):
                return f"('or', {', '.join(map(self._test, parts))})"
            case p.Not(part):
                return f"('not', {self._test(part)})"
            case _ as never:
                assert_never(never)

    def _terms(self, terms: tuple[e.Term, ...]) -> str:
        return "(" + "".join(f"({t.noise!r}, {self.plain.write(t.factor)}), " for t in terms) + ")"

    def _check_choices(self) -> None:
        """A choice that is shown twice, or lives longer than a step, is one draw: its chances do not multiply."""
        laws = [g.law for g in self.program.gates if isinstance(g, p.ChooseGate) and g.visible]
        if len(set(laws)) < len(laws):
            raise Unsupported("one random choice is shown in two places")
        # where the first step is the only one, nothing outlives it
        one_step = any(isinstance(s, p.Stop) and s.when is None for s in self.program.body)
        stays = (EachStep, Once) if one_step else (EachStep,)
        for noise in self.program.noises:
            if noise.flips and not isinstance(noise.life, stays) and noise.target != "return":
                raise Unsupported("a flip that lives longer than a step")
            if noise.flips and noise.target is None:
                raise Unsupported("a flip with a name of its own, which several may share")
        for draw in self.program.body:
            if isinstance(draw, p.Draw) and not isinstance(draw.life, stays):
                shown = [
                    g for g in self.program.gates if isinstance(g, p.ChooseGate) and not isinstance(g.source, OfResult)
                ]
                if any(isinstance(g.law, p.PrivateLaw) and g.law.law == draw.law for g in shown):
                    raise Unsupported("a choice that lives longer than a step")


def on_its_side(value: float, holds: bool, strict: bool) -> float:
    """A number that is compared with 0, on the side where exact arithmetic finds it: rounding may have moved it."""
    if holds == (value > 0 if strict else value >= 0):
        return value
    return 0.0 if holds != strict else math.ulp(0.0) if holds else -math.ulp(0.0)
