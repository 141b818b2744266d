"""One step of a program on plain data, as a Python function: what the searches run thousands of times.

The function is generated from the program's body and depends on nothing random. It follows a given transcript: the told
reports and stop decide what later cells, memories and guards see. Besides the next state it yields `Fact`s: what the
noises of this step would have to do for the transcript to come out. The reference interpreter is the judge of it
(`tests/exact`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, assert_never, get_args

from seqlang.backends.exact.finite_laws import density, mass, support
from seqlang.backends.exact.integrate import Unsupported
from seqlang.backends.interpret.operators import OTHER, PAIR, SCALAR
from seqlang.backends.interpret.values import Members, pairwise
from seqlang.model import expression as e
from seqlang.model import program as p
from seqlang.model.domain import Ball, Power
from seqlang.model.life import EachReport, EachStep
from seqlang.record import field_names, record

Fact = tuple[Any, ...]
"""("compare", wanted, test, gate) with test = bool | (value, terms, strict) | ("and" | "or" | "not", parts), and
("idle", test, gate) where the gate's guard does not hold; ("release", told, value, terms, post, gate);
("chance", probability, gate); ("argmax", told, values, terms, sign, gate); ("open", values, gate): a choice of which
any value is told; ("certain", bool). Terms are ((noise, factor), ..)."""

EXPRESSIONS = get_args(e.Expression)
RAW = {"+": "+", "-": "-", "*": "*", ">=": ">=", "<=": "<=", ">": ">", "<": "<", "==": "==", "!=": "!="}


class Unknown:
    """A reported value of which only a range is told, and what is computed from it. Whoever decides by it makes the
    event unsupported."""

    def _refuse(self, *_: object) -> Any:
        raise Unsupported("a later step depends on a released value of which only a range is known")

    def _spread(self, *_: object) -> Any:
        return self

    def __hash__(self) -> int:
        return 7

    def __eq__(self, other: object) -> bool:
        return other is self or bool(self._refuse())

    __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __float__ = __int__ = __index__ = __iter__ = __len__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = _spread
    __abs__ = __getitem__ = _spread


UNKNOWN = Unknown()


@record
class Stepper:
    """`step(state, entry, told, hidden)` -> (next state, facts). `told` maps report names to what was reported and
    "stop" to (index, result) or None; `hidden` has the values of finite hidden draws, named in `draws`.

    `measure` is the E of `adjacent .. E within r`; `value` evaluates constant expressions. The state is a tuple,
    hashable for scalar programs; it holds the step number only where the program reads it."""

    start: tuple[Any, ...]
    step: Callable[[tuple[Any, ...], Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]], Any]
    lives: Mapping[str, Any]
    laws: Mapping[str, Any]
    draws: tuple[str, ...]
    trees: bool
    measure: Callable[[Mapping[str, Any]], Any] | None
    value: Callable[[e.Expression], Any]
    source: str


def stepper(program: p.Program) -> Stepper:
    """Raises `Unsupported` where the program holds something that has no plain value."""
    return _Writer(program).finish()


class _Writer:
    def __init__(self, program: p.Program) -> None:
        self.program = program
        self.scope: dict[str, Any] = {
            "P": PAIR, "S": SCALAR, "O": OTHER, "pairwise": pairwise, "Members": Members, "density": density,
            "mass": mass, "support": support, "Unsupported": Unsupported, "UNKNOWN": UNKNOWN,
            "told_value": told_value, "same": same,
        }  # fmt: skip
        self.lines: list[str] = []
        self.state: dict[str, str] = {}
        self.start: list[Any] = []
        self.parameters = {x.name: number(x.value) for x in program.parameters}
        self.draws: dict[str, None] = {}
        self.constants: dict[e.Expression, str] = {}
        self.since = {
            s.keep.report for s in program.body if isinstance(s, p.Cell) and isinstance(s.keep, p.SinceReport)
        }
        self.lives = {n.name: n.life for n in program.noises}
        self.counted = {n.life.report for n in program.noises if isinstance(n.life, EachReport)}
        self.made: set[str] = set()
        self.vector_names: dict[str, bool] = {}
        self.broken: dict[str, str] = {}
        self.folding = True

    # ---- state

    def keep(self, name: str, initial: Any) -> str:
        self.state[name] = name
        self.start.append(initial)
        return name

    def finish(self) -> Stepper:
        body = self.program.body
        self.reads_step = any(isinstance(x, e.StepNumber) for s in body for x in expressions_of(s)) or any(
            isinstance(s, p.Cell) and s.operator in ("argmax", "argmin") for s in body
        )
        for gate in self.program.gates:
            self.reads_step |= any(isinstance(x, e.StepNumber) for x in expressions_of(gate))
        self.reads_step |= any(isinstance(n.law, e.Law) and n.law.family == "tree" for n in self.program.noises)
        if self.reads_step:
            self.keep("n", 0)
            self.lines.append("n = n + 1")
        for report in sorted(self.since):
            self.keep(f"was_{name_of(report)}", False)
        for report in sorted(self.counted):
            self.keep(f"count_{name_of(report)}", 0)
        self.check_choices()
        self.lives_line()
        for memory in self.program.memories:
            self.keep(f"m_{name_of(memory.name)}", self.value(memory.initial))
        for statement in body:
            if isinstance(statement, p.Cell):
                self.cell_opens(statement)
        for statement in body:
            self.statement(statement)
        self.step_ends()
        names = list(self.state)
        packed = f"({', '.join(names)}{',' if len(names) == 1 else ''})"
        source = "\n    ".join(
            ["def step(state, entry, told, hidden):", "facts = []", *([f"{packed} = state"] if names else []),
             *self.lines, f"return {packed}, facts"]
        )  # fmt: skip
        exec(compile(source, "<step>", "exec"), self.scope)
        measure = None
        if isinstance(self.program.adjacency, p.Within):
            measure = eval("lambda entry: " + self.write(self.program.adjacency.of), self.scope)
        laws, draws = self.noise_laws(), tuple(self.draws)
        step = self.scope["step"]
        trees = [n for n in self.program.noises if isinstance(n.law, e.Law) and n.law.family == "tree"]
        return Stepper(
            tuple(self.start), step, self.lives, laws, draws, bool(trees), measure, self.value, source
        )  # fmt: skip

    def noise_laws(self) -> dict[str, Any]:
        """(family, argument, ..) of every noise whose arguments can be evaluated."""
        laws: dict[str, Any] = {}
        for noise in self.program.noises:
            try:
                laws[noise.name] = self.value(noise.law)
            except (Unsupported, ArithmeticError, ValueError, NameError):  # a law that reads the data
                continue
        return laws

    def lives_line(self) -> None:
        if self.counted:
            inside = ", ".join(f"{r!r}: count_{name_of(r)}" for r in sorted(self.counted))
            self.lines.append(f"facts.append(('lives', {{{inside}}}))")
        if any(isinstance(n.law, e.Law) and n.law.family == "tree" for n in self.program.noises):
            self.lines.append("facts.append(('step', n))")

    def check_choices(self) -> None:
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

    def step_ends(self) -> None:
        for statement in self.program.body:
            if isinstance(statement, p.Cell) and isinstance(statement.keep, p.AtReports):
                name = name_of(statement.name)
                fired = self.fired(statement.keep.report)
                self.lines.append(f"if {fired}: c_{name} = c_{name} + (h_{name},)")
        for report in sorted(self.since):
            self.lines.append(f"was_{name_of(report)} = {self.fired(report)}")
        for report in sorted(self.counted):
            self.lines.append(f"count_{name_of(report)} += {self.fired(report)}")

    def fired(self, report: str) -> str:
        return f"({report!r} in told)"

    # ---- statements

    def statement(self, statement: p.Statement) -> None:
        match statement:
            case p.Define(name, body):
                self.vector_names[name] = self.is_vector(body)
                try:
                    self.lines.append(f"v_{name_of(name)} = {self.write(body)}")
                except Unsupported as why:  # it matters only if a gate reads it
                    self.broken[name] = str(why)
            case p.Cell():
                try:
                    self.cell_ticks(statement)
                except Unsupported as why:
                    self.broken[statement.name] = str(why)
            case p.Draw():
                pass  # what shows a choice reads its law, where it is shown
            case p.Report(name):
                self.gates(name, f"{name!r} in told", f"told.get({name!r})")
                is_event = statement.value is None
                got = "True" if is_event else f"told_value(told[{name!r}])"
                self.lines.append(f"r_{name_of(name)} = {got} if {name!r} in told else False")
                self.vector_names[name] = statement.value is not None and self.is_vector(statement.value)
            case p.Update(memory, value, when):
                # of a released value only a range may be told: then the memory is unknown from here on
                guard = "" if when is None else f"if {self.write(when)}: "
                name = f"m_{name_of(memory)}"
                self.lines += ["try:", f"    {guard}{name} = {self.write(value)}"]
                self.lines.append(f"except Unsupported: {name} = UNKNOWN")
            case p.Stop(index, _, result):
                here = f"told['stop'] is not None and told['stop'][0] == {index}"
                self.gates(f"stop {index}", f"({here})", "None")
                self.lines.append(f"if {here}:")
                mark = len(self.lines)
                self.returned(index, result)
                self.lines[mark:] = ["    " + line for line in self.lines[mark:]]
                self.lines.append("    return None, facts")
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
            self.lines.append(f"if {told} is not None: facts.append(('certain', same({told}, {self.write(result)})))")

    def gates(self, statement: str, wanted: str, told: str) -> None:
        """The facts of the gates of one report or stop."""
        mine = [g for g in self.program.gates if g.name == statement]
        if not mine:
            raise Unsupported(f"no gate for {statement}")
        for gate in mine:
            match gate:
                case p.PublicGate(_, _, expression):
                    holds = "True" if expression is None else f"bool({self.write(expression)})"
                    self.lines.append(f"facts.append(('certain', ({wanted}) == {holds}))")
                case p.CompareGate(_, _, guard, test):
                    written = self.test(test)
                    idle = f"('idle', {written}, {statement!r})"
                    self.guarded(guard, wanted, f"('compare', {wanted}, {written}, {statement!r})", idle=idle)
                case p.ReleaseGate(_, _, guard, value, terms, post):
                    shown = self.post(post)
                    fact = f"('release', {told}, {self.write(value)}, {self.terms(terms)}, {shown!r}, {statement!r})"
                    self.guarded(guard, wanted, fact, must=True)
                case p.ChooseGate(_, _, guard, law):
                    self.guarded(guard, wanted, self.choice(law, told, statement), must=True)
                case p.OpaqueGate(_, _, guard, expression):
                    if any(isinstance(x, e.Noised) for x in e.walk(expression)):
                        raise Unsupported(f"{gate.name}: {gate.reason}")
                    self.opaque(statement, guard, wanted, told, expression)
                case _ as never:
                    assert_never(never)

    def guarded(
        self, guard: e.Expression | None, wanted: str, fact: str, must: bool = False, idle: str | None = None
    ) -> None:
        """The fact where the public guard holds; elsewhere (and, for values, exactly elsewhere) nothing is seen."""
        if must:
            shown = "True" if guard is None else f"bool({self.write(guard)})"
            self.lines.append(f"facts.append(('certain', ({wanted}) == {shown}))")
            self.lines.append(f"if {wanted}: facts.append({fact})")
        elif guard is None:
            self.lines.append(f"facts.append({fact})")
        else:
            self.lines.append(f"if {self.write(guard)}: facts.append({fact})")
            self.lines.append(f"elif {wanted}: facts.append(('certain', False))")
            if idle is not None:
                self.lines.append(f"else: facts.append({idle})")

    def opaque(self, statement: str, guard: e.Expression | None, wanted: str, told: str, body: e.Expression) -> None:
        """A plain expression: a condition where a report or stop is an event, a value otherwise."""
        written = self.write(body)
        event = statement.startswith("stop ") or any(
            isinstance(s, p.Report) and s.name == statement and s.value is None for s in self.program.body
        )
        if event:
            self.guarded(guard, wanted, f"('certain', ({wanted}) == bool({written}))")
        else:
            self.guarded(guard, wanted, f"('release', {told}, {written}, (), None, {statement!r})", must=True)

    def choice(self, law: p.FlipLaw | p.NoisyMaxLaw | p.PrivateLaw, told: str, gate: str) -> str:
        match law:
            case p.FlipLaw(of, truth, alphabet):
                right, value = self.write(truth), self.write(of)
                values = "(" + "".join(self.write(a) + ", " for a in alphabet) + ")"
                chance = f"{right} if same({told}, {value}) else (1 - {right}) / {len(alphabet) - 1}"
                known = f"('chance', {chance}, {gate!r})"
            case p.NoisyMaxLaw(of, terms, sign):
                value = self.write(of)
                values = f"range(1, len({value}) + 1)"
                known = f"('argmax', {told}, {value}, {self.terms(terms)}, {sign}, {gate!r})"
            case p.PrivateLaw(inner):
                written = self.write(inner)
                values = f"support({written})"
                known = f"('chance', mass({written}, {told}), {gate!r})"
            case _ as never:
                assert_never(never)
        return f"('open', {values}, {gate!r}) if {told} is True else {known}"

    def post(self, post: e.Expression | None) -> str | None:
        match post:
            case None | e.Local("the released value"):
                return None
            case e.Apply(("max" | "min") as operator, (e.Local("the released value"),)):
                return operator
            case _:
                return "other"

    def test(self, test: p.Test) -> str:
        match test:
            case p.Margin(value, terms, strict):
                return f"({self.write(value)}, {self.terms(terms)}, {strict})"
            case p.PublicTest(expression):
                return f"bool({self.write(expression)})"
            case p.And(parts):
                return f"('and', {', '.join(map(self.test, parts))})"
            case p.Or(parts):
                return f"('or', {', '.join(map(self.test, parts))})"
            case p.Not(part):
                return f"('not', {self.test(part)})"
            case _ as never:
                assert_never(never)

    def terms(self, terms: tuple[e.Term, ...]) -> str:
        return "(" + "".join(f"({t.noise!r}, {self.write(t.factor)}), " for t in terms) + ")"

    # ---- cells

    def cell_opens(self, cell: p.Cell) -> None:
        """State of the cell; what `since` and `history` and `previous` see at the start of a step."""
        name = f"c_{name_of(cell.name)}"
        initial: Any = {"sum": 0, "count": 0, "mean": (0, 0)}.get(cell.operator)
        match cell.keep:
            case p.Previous(first):
                initial = self.value(first)
            case p.AtReports():
                initial = ()
            case p.LastSteps():
                initial = ()
        self.vector_names[cell.name] = cell.operator == "list" or self.is_vector(cell.body)
        if cell.binders:
            ranges = [self.value(domain) for _, domain in cell.binders]
            self.keep(name, tuple((k, initial) for k in combinations(ranges)))
            self.lines.append(f"{name} = dict({name})")
        else:
            self.keep(name, initial)
        if isinstance(cell.keep, p.SinceReport):
            fresh = f"dict({self.start[-1]!r})" if cell.binders else repr(initial)
            self.lines.append(f"if was_{name_of(cell.keep.report)}: {name} = {fresh}")
        if not isinstance(cell.keep, (p.Previous, p.AtReports)):
            self.made.add(cell.name)

    def cell_ticks(self, cell: p.Cell) -> None:
        name = name_of(cell.name)
        body = self.write(cell.body)
        where = None if cell.where is None else self.write(cell.where)
        old = f"c_{name}"
        if cell.binders:
            key = "(" + "".join(f"b_{name_of(v)}, " for v, _ in cell.binders) + ")"
            old = f"c_{name}[{key}]"
        match cell.keep:
            case p.Previous():
                new = body
            case p.AtReports():
                self.lines.append(f"h_{name} = {self.each_binding(cell, body)}")
                if cell.binders:
                    raise Unsupported("a history inside a binder")
                return
            case p.LastSteps(count):
                item = body if where is None else f"({body} if {where} else None)"
                new = f"({old} + ({item},))[-int({self.write(count)}):]"
            case _:
                new = self.folded(cell, old, body, where)
        if isinstance(cell.keep, p.Previous):
            # readers above saw the old value; those below (none are written by elaboration) would too
            self.lines.append(f"w_{name} = {self.each_binding(cell, new)}")
            self.late(f"c_{name} = w_{name}")
            return
        self.lines.append(f"c_{name} = {self.each_binding(cell, new)}")
        if isinstance(cell.keep, p.LastSteps):
            fold = {"sum": "window_sum", "count": "window_count", "mean": "window_mean", "max": "window_max",
                    "min": "window_min"}.get(cell.operator)  # fmt: skip
            if fold is None:
                raise Unsupported(f"{cell.operator} over last steps")
            self.scope[fold] = WINDOWS[fold]
            source = f"{{k: {fold}(v) for k, v in c_{name}.items()}}" if cell.binders else f"{fold}(c_{name})"
            self.lines.append(f"x_{name} = {source}")
        elif cell.operator == "mean":
            source = f"{{k: v[0] / max(1, v[1]) for k, v in c_{name}.items()}}" if cell.binders else (
                f"c_{name}[0] / max(1, c_{name}[1])"
            )  # fmt: skip
            self.lines.append(f"x_{name} = {source}")

    def late(self, line: str) -> None:
        self.lines.append(line)

    def each_binding(self, cell: p.Cell, body: str) -> str:
        if not cell.binders:
            return body
        key = "(" + "".join(f"b_{name_of(v)}, " for v, _ in cell.binders) + ")"
        loops = " ".join(f"for b_{name_of(v)} in {self.write(domain)}" for v, domain in cell.binders)
        return f"{{{key}: {body} {loops}}}"

    def folded(self, cell: p.Cell, old: str, body: str, where: str | None) -> str:
        vector = self.is_vector(cell.body)
        match cell.operator:
            case "sum":
                new = f"pairwise(P['+'], {old}, {body})" if vector else f"{old} + {body}"
            case "count":
                new = f"{old} + bool({body})"
            case "mean":
                new = f"({old}[0] + {body}, {old}[1] + 1)"
            case "max" | "min":
                new = f"({body} if {old} is None else {cell.operator}({old}, {body}))"
            case _:
                raise Unsupported(f"{cell.operator} over steps")
        return new if where is None else f"({new} if {where} else {old})"

    # ---- expressions

    def value(self, expression: e.Expression) -> Any:
        """The value of a constant expression."""
        folding, self.folding = self.folding, False  # one evaluation, not one for each part
        written = self.write(expression)
        self.folding = folding
        try:
            return eval(written, self.scope)
        except NameError:
            raise Unsupported("a number that changes from step to step where a constant is needed") from None

    def write(self, x: e.Expression) -> str:
        """Python for the plain value; constant parts are evaluated now."""
        if self.folding and not isinstance(x, (e.Number, e.Truth, e.Label, e.ParameterValue)) and self.is_constant(x):
            if x not in self.constants:
                value = self.value(x)
                self.constants[x] = f"k{len(self.constants)}"
                self.scope[self.constants[x]] = value
            return self.constants[x]
        match x:
            case e.Number(value):
                return repr(number(value))
            case e.Truth(value=truth):
                return repr(truth)
            case e.Label(name):
                return repr(name)
            case e.ParameterValue(name):
                return repr(self.parameters[name])
            case e.StepNumber():
                return "n"
            case e.Field(name):
                return f"entry[{name!r}]"
            case e.Records():
                return f"range(1, len(entry[{self.dataset()!r}]) + 1)"
            case e.Local(name) | e.CellValue(name) if name in self.broken:
                raise Unsupported(self.broken[name])
            case e.Local(name):
                return f"v_{name_of(name)}"
            case e.CellValue(name):
                return self.read_cell(self.program.cell(name))
            case e.MemoryValue(name):
                return f"m_{name_of(name)}"
            case e.Reported(name):
                return f"r_{name_of(name)}"
            case e.Drawn(name):
                return self.drawn(name)
            case e.Noised(name, _, _):
                raise Unsupported(f"{name} is read with its noise inside an expression")
            case e.Bound(name):
                return f"b_{name_of(name)}"
            case e.Apply():
                return self.apply(x)
            case e.Choice(test, yes, no):
                return f"({self.write(yes)} if {self.write(test)} else {self.write(no)})"
            case e.Index(base, at):
                return f"{self.write(base)}[int({self.write(at)}) - 1]"
            case e.Sequence(kind, items):
                inside = "".join(f"{self.write(i)}, " for i in items)
                return f"({inside})" if kind == "list" else f"Members(({inside}))"
            case e.Quantified():
                return self.quantified(x)
            case e.RealVectors():
                raise Unsupported("an optimum over a continuous set")
            case e.Law(family, arguments):
                return f"({family!r}, {''.join(self.write(a) + ', ' for a in arguments)})"
            case e.Weights(pairs):
                inside = "".join(f"({self.write(v)}, {self.write(w)}), " for v, w in pairs)
                return f"('weights', ({inside}))"
            case e.WeightsOf(value, weight, variable, domain, where):
                kept = "" if where is None else f" if {self.write(where)}"
                loop = f"for b_{name_of(variable)} in {self.write(domain)}{kept}"
                return f"('weights', tuple([({self.write(value)}, {self.write(weight)}) {loop}]))"
            case e.Density(method, law, at):
                return f"density({method!r}, {self.write(law)}, {self.write(at)})"
            case _ as never:
                assert_never(never)

    def dataset(self) -> str:
        return next(i.name for i in self.program.inputs if i.kind == "dataset")

    def drawn(self, name: str) -> str:
        if any(n.name == name for n in self.program.noises):
            self.draws[name] = None
            return f"hidden[{name!r}]"
        # the law of a `Draw` statement is kept; who reads the drawn value itself has no plain value
        raise Unsupported(f"the value of the random choice {name} is read")

    def read_cell(self, cell: p.Cell) -> str:
        name = name_of(cell.name)
        folded = isinstance(cell.keep, p.LastSteps) or cell.operator == "mean"
        source = f"x_{name}" if folded else f"c_{name}"
        if cell.binders:
            return f"{source}[({''.join(f'b_{name_of(v)}, ' for v, _ in cell.binders)})]"
        return source

    def apply(self, x: e.Apply) -> str:
        operator, arguments = x.operator, [self.write(a) for a in x.arguments]
        vector = any(self.is_vector(a) for a in x.arguments)
        if operator in ("and", "or"):
            return "(" + f" {operator} ".join(arguments) + ")"
        if operator == "not":
            return f"(not {arguments[0]})"
        if operator in RAW and not vector:
            return f"({arguments[0]} {RAW[operator]} {arguments[1]})"
        if operator == "negate" and not vector:
            return f"(-{arguments[0]})"
        if operator == "abs" and not vector:
            return f"abs({arguments[0]})"
        if operator in ("max", "min") and len(arguments) > 1 and not vector:
            return f"{operator}({', '.join(arguments)})"
        if operator == "clip" and not vector:
            return f"min(max({arguments[0]}, {arguments[1]}), {arguments[2]})"
        if operator in PAIR:
            function = f"P[{operator!r}]"
            return (f"pairwise({function}, " if vector else f"{function}(") + ", ".join(arguments) + ")"
        if operator in SCALAR:
            self.scope["each"] = OTHER_EACH
            function = f"S[{operator!r}]"
            return f"each({function}, {arguments[0]})" if vector else f"{function}({arguments[0]})"
        return f"O[{operator!r}]({', '.join(arguments)})"

    def quantified(self, x: e.Quantified) -> str:
        if isinstance(x.domain, e.RealVectors):
            raise Unsupported("an optimum over a continuous set")
        variable = f"b_{name_of(x.variable)}"
        test = "" if x.where is None else f" if {self.write(x.where)}"
        loop = f"for {variable} in {self.write(x.domain)}{test}"
        body = self.write(x.body)
        match x.operator:
            case "list":
                return f"tuple([{body} {loop}])"
            case "set":
                return f"Members([{body} {loop}])"
            case "argmax" | "argmin":
                best = x.operator[3:]
                return f"{best}([({body}, {variable}) {loop}], key=first)[1]" if self._first() else ""
            case fold:
                return f"O[{fold!r}](tuple([{body} {loop}]))"

    def _first(self) -> bool:
        self.scope["first"] = lambda pair: pair[0]
        return True

    def is_constant(self, x: e.Expression, bound: frozenset[str] = frozenset()) -> bool:
        match x:
            case e.Field() | e.StepNumber() | e.Local() | e.CellValue() | e.MemoryValue() | e.Reported() | e.Drawn():
                return False
            case e.Records() | e.Noised():
                return False
            case e.Bound(name):
                return name in bound
            case e.Quantified(variable=variable) | e.WeightsOf(variable=variable):
                return all(self.is_constant(c, bound | {variable}) for c in e.children(x))
            case e.Number() | e.Truth() | e.Label() | e.ParameterValue():
                return True
            case _:
                return all(self.is_constant(c, bound) for c in e.children(x))

    def is_vector(self, x: e.Expression) -> bool:
        """Whether the value may be a vector (then the general, slower operators are used)."""
        match x:
            case e.Sequence("list", _) | e.RealVectors() | e.Quantified(operator="list"):
                return True
            case e.Field(name):
                source = self.program.input(name)
                return source.kind == "dataset" or isinstance(source.domain, (Ball, Power))
            case e.Local(name) | e.CellValue(name) | e.Reported(name):
                return self.vector_names.get(name, True)
            case e.MemoryValue(name):
                return self.is_vector(next(m.initial for m in self.program.memories if m.name == name))
            case e.Noised(base=base):
                return self.is_vector(base)
            case e.Choice(_, yes, no):
                return self.is_vector(yes) or self.is_vector(no)
            case e.Apply("norm" | "dot" | "length" | "argmax" | "argmin" | "count" | "==" | "!=", _):
                return False
            case e.Apply(("max" | "min" | "sum" | "mean"), (only,)):
                return self.nested(only)
            case e.Apply("zeros" | "project" | "clip_norm", _):
                return True
            case e.Apply(_, arguments):
                return any(self.is_vector(a) for a in arguments)
            case e.Index(base):
                return self.nested(base)
            case e.Quantified(body=body):
                return self.is_vector(body)
            case _:
                return False

    def nested(self, x: e.Expression) -> bool:
        """Whether the elements of a vector may be vectors."""
        match x:
            case e.Field(name):
                return isinstance(self.program.input(name).domain, (Ball, Power))
            case e.Sequence(_, items):
                return any(self.is_vector(i) for i in items)
            case e.Quantified(operator="list", body=body):
                return self.is_vector(body)
            case e.CellValue(name) if self.program.cell(name).operator == "list":
                return self.is_vector(self.program.cell(name).body)
            case e.Local(name):
                return self.nested(self.program.define(name).expression)
            case _:
                return False


def combinations(ranges: list[Any]) -> list[tuple[Any, ...]]:
    keys: list[tuple[Any, ...]] = [()]
    for values in ranges:
        keys = [(*k, v) for k in keys for v in values]
    return keys


def _kept(values: tuple[Any, ...]) -> list[Any]:
    return [v for v in values if v is not None]


WINDOWS: dict[str, Callable[[tuple[Any, ...]], Any]] = {
    "window_sum": lambda v: OTHER["sum"](tuple(_kept(v))),
    "window_count": lambda v: sum(1 for x in _kept(v) if x),
    "window_mean": lambda v: OTHER["mean"](tuple(_kept(v))),
    "window_max": lambda v: max(_kept(v)),
    "window_min": lambda v: min(_kept(v)),
}


def OTHER_EACH(function: Callable[[Any], Any], value: Any) -> Any:
    return tuple([OTHER_EACH(function, x) for x in value]) if isinstance(value, (tuple, range)) else function(value)


def told_value(told: Any) -> Any:
    """What later statements read: the value, or nothing that may be read where only a range is told."""
    return UNKNOWN if isinstance(told, tuple) or told is True else told


def same(a: Any, b: Any) -> bool:
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= 1e-12 * max(1.0, abs(a))
    return bool(a == b)


def number(value: Any) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


def name_of(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)


def expressions_of(statement: Any) -> list[e.Expression]:
    """All expressions in a statement or gate, outermost and inner."""
    found: list[e.Expression] = []

    def visit(value: Any) -> None:
        if isinstance(value, EXPRESSIONS):
            found.extend(e.walk(value))
        elif isinstance(value, tuple):
            for item in value:
                visit(item)
        elif hasattr(value, "_record_fields"):
            for field in field_names(value):
                visit(getattr(value, field))

    visit(statement)
    return found
