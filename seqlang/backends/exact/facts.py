"""What the noises of a step would have to do for a told outcome: facts of the gates, as lines of the generated step."""

from __future__ import annotations

from typing import Any, assert_never

from seqlang.backends.exact.finite_laws import mass, support
from seqlang.backends.exact.plain import PlainWriter
from seqlang.backends.exact.told import same
from seqlang.backends.exact.unsupported import Unsupported
from seqlang.model import expression as e
from seqlang.model import program as p
from seqlang.model.life import EachStep

Fact = tuple[Any, ...]
"""("compare", wanted, test, gate) with test = bool | (value, terms, strict) | ("and" | "or" | "not", parts), and
("idle", test, gate) where the gate's guard does not hold; ("release", told, value, terms, post, gate);
("chance", probability, gate); ("argmax", told, values, terms, sign, gate); ("open", values, gate): a choice of which
any value is told; ("certain", bool). Terms are ((noise, factor), ..)."""


class FactWriter:
    """Appends to `lines`. Raises `Unsupported` at once where a choice is shown whose chances do not multiply."""

    def __init__(self, program: p.Program, plain: PlainWriter, lines: list[str]) -> None:
        self.program = program
        self.plain = plain
        self.lines = lines
        plain.scope |= {"mass": mass, "support": support, "same": same}
        self._check_choices()

    def gates(self, statement: str, wanted: str, told: str) -> None:
        """The facts of the gates of one report or stop."""
        mine = [g for g in self.program.gates if g.name == statement]
        if not mine:
            raise Unsupported(f"no gate for {statement}")
        for gate in mine:
            match gate:
                case p.PublicGate(_, _, expression):
                    holds = "True" if expression is None else f"bool({self.plain.write(expression)})"
                    self.lines.append(f"facts.append(('certain', ({wanted}) == {holds}))")
                case p.CompareGate(_, _, guard, test):
                    written = self._test(test)
                    idle = f"('idle', {written}, {statement!r})"
                    self._guarded(guard, wanted, f"('compare', {wanted}, {written}, {statement!r})", idle=idle)
                case p.ReleaseGate(_, _, guard, value, terms, post):
                    shown, written = self._post(post), self.plain.write(value)
                    fact = f"('release', {told}, {written}, {self._terms(terms)}, {shown!r}, {statement!r})"
                    self._guarded(guard, wanted, fact, must=True)
                case p.ChooseGate(_, _, guard, law):
                    self._guarded(guard, wanted, self._choice(law, told, statement), must=True)
                case p.OpaqueGate(_, _, guard, expression):
                    if any(isinstance(x, e.Noised) for x in e.walk(expression)):
                        raise Unsupported(f"{gate.name}: {gate.reason}")
                    self._opaque(statement, guard, wanted, told, expression)
                case _ as never:
                    assert_never(never)

    def returned(self, index: int, result: e.Expression | None) -> None:
        gates = [g for g in self.program.gates if g.name == f"return {index}"]
        told = "told['stop'][1]"
        if any(not isinstance(g, p.PublicGate) for g in gates):
            mark = len(self.lines)
            self.gates(f"return {index}", "True", told)
            self.lines[mark:] = ["    " + line for line in self.lines[mark:]]
            self.lines.insert(mark, f"if {told} is not None:")
        elif result is None:
            self.lines.append(f"facts.append(('certain', {told} is None))")
        elif isinstance(result, e.Label):
            self.lines.append(f"facts.append(('certain', {told} is None or {told} == {result.name!r}))")
        else:
            self.lines.append(
                f"if {told} is not None: facts.append(('certain', same({told}, {self.plain.write(result)})))"
            )

    def _guarded(
        self, guard: e.Expression | None, wanted: str, fact: str, must: bool = False, idle: str | None = None
    ) -> None:
        """The fact where the public guard holds; elsewhere (and, for values, exactly elsewhere) nothing is seen."""
        if must:
            shown = "True" if guard is None else f"bool({self.plain.write(guard)})"
            self.lines.append(f"facts.append(('certain', ({wanted}) == {shown}))")
            self.lines.append(f"if {wanted}: facts.append({fact})")
        elif guard is None:
            self.lines.append(f"facts.append({fact})")
        else:
            self.lines.append(f"if {self.plain.write(guard)}: facts.append({fact})")
            self.lines.append(f"elif {wanted}: facts.append(('certain', False))")
            if idle is not None:
                self.lines.append(f"else: facts.append({idle})")

    def _opaque(self, statement: str, guard: e.Expression | None, wanted: str, told: str, body: e.Expression) -> None:
        """A plain expression: a condition where a report or stop is an event, a value otherwise."""
        written = self.plain.write(body)
        event = statement.startswith("stop ") or any(
            isinstance(s, p.Report) and s.name == statement and s.value is None for s in self.program.body
        )
        if event:
            self._guarded(guard, wanted, f"('certain', ({wanted}) == bool({written}))")
        else:
            self._guarded(guard, wanted, f"('release', {told}, {written}, (), None, {statement!r})", must=True)

    def _choice(self, law: p.FlipLaw | p.NoisyMaxLaw | p.PrivateLaw, told: str, gate: str) -> str:
        match law:
            case p.FlipLaw(of, truth, alphabet):
                right, value = self.plain.write(truth), self.plain.write(of)
                values = "(" + "".join(self.plain.write(a) + ", " for a in alphabet) + ")"
                chance = f"{right} if same({told}, {value}) else (1 - {right}) / {len(alphabet) - 1}"
                known = f"('chance', {chance}, {gate!r})"
            case p.NoisyMaxLaw(of, terms, sign):
                value = self.plain.write(of)
                values = f"range(1, len({value}) + 1)"
                known = f"('argmax', {told}, {value}, {self._terms(terms)}, {sign}, {gate!r})"
            case p.PrivateLaw(inner):
                written = self.plain.write(inner)
                values = f"support({written})"
                known = f"('chance', mass({written}, {told}), {gate!r})"
            case _ as never:
                assert_never(never)
        return f"('open', {values}, {gate!r}) if {told} is True else {known}"

    def _post(self, post: e.Expression | None) -> str | None:
        match post:
            case None | e.Local("the released value"):
                return None
            case e.Apply(("max" | "min") as operator, (e.Local("the released value"),)):
                return operator
            case _:
                return "other"

    def _test(self, test: p.Test) -> str:
        match test:
            case p.Margin(value, terms, strict):
                return f"({self.plain.write(value)}, {self._terms(terms)}, {strict})"
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
        stops = {g.name for g in self.program.gates if g.name.startswith("return ")}
        for noise in self.program.noises:
            flips = isinstance(noise.law, e.Law) and noise.law.family == "randomized_response"
            if flips and not isinstance(noise.life, EachStep) and noise.target != "return":
                raise Unsupported("a flip that lives longer than a step")
            if flips and noise.target is None:
                raise Unsupported("a flip with a name of its own, which several may share")
        for draw in self.program.body:
            if isinstance(draw, p.Draw) and not isinstance(draw.life, EachStep):
                shown = [g for g in self.program.gates if isinstance(g, p.ChooseGate) and g.name not in stops]
                if any(isinstance(g.law, p.PrivateLaw) and g.law.law == draw.law for g in shown):
                    raise Unsupported("a choice that lives longer than a step")
