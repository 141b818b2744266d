"""Is a program well formed? What elaboration promises, checked without knowing how it was made."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.binding import NO_VARIABLES, canonical
from seqlang.model.gate_source import GateSource, OfEvent, OfStop, OfValue, is_hidden, name_of
from seqlang.model.life import EachReport
from seqlang.model.margins import margins


def validate(program: p.Program) -> tuple[str, ...]:
    """The problems of a program; empty if it keeps its promises.

    Every name is defined, and in the step before it is read (look-back cells read names further down); cells stand
    before their readers, or look back; each binder has a number of its own, which two binders share only if they stand
    for the same expression, and its variable has everywhere the set that it is bound over; a memory is read in the
    version of the place; lets, memories and updates are public; what is noised has its noises, whose laws are constant;
    parameters, inputs and memories have words for names; gates belong to statements and name existing noises.
    """
    return tuple(_Check(program).problems())


Variables = frozenset[m.Variable]

_STATE = (m.Field, m.Local, m.CellValue, m.MemoryValue, m.Reported, m.Drawn, m.Noised, m.StepNumber)


class _Check:
    def __init__(self, program: p.Program) -> None:
        self.program = program
        self.parameters = {x.name for x in program.parameters}
        self.inputs = {x.name: x for x in program.inputs}
        self.memories = {x.name for x in program.memories}
        self.noises = {x.name for x in program.noises}
        self.cells = {s.name: s for s in program.body if isinstance(s, p.Cell)}
        self.defines = {s.name: s for s in program.body if isinstance(s, p.Define)}
        self.draws = {s.name: s for s in program.body if isinstance(s, p.Draw)}
        self.binders: dict[int, m.Expression] = {}
        self.reports = {s.name for s in program.body if isinstance(s, p.Report)}

    def problems(self) -> Iterator[str]:
        yield from self._unique()
        yield from self._constants()
        yield from self._body()
        yield from self._gates()
        yield from self._claims()

    # ---- declarations

    def _unique(self) -> Iterator[str]:
        program = self.program
        groups: list[tuple[str, list[str]]] = [
            ("parameter", [x.name for x in program.parameters]),
            ("input", [x.name for x in program.inputs]),
            ("memory", [x.name for x in program.memories]),
            ("noise", [x.name for x in program.noises]),
            ("cell", [s.name for s in program.body if isinstance(s, p.Cell)]),
            ("define", [s.name for s in program.body if isinstance(s, p.Define)]),
            ("report", [s.name for s in program.body if isinstance(s, p.Report)]),
            ("update", [s.memory for s in program.body if isinstance(s, p.Update)]),
            ("gate", [g.name for g in program.gates]),
        ]
        for word, names in groups:
            for name in sorted({n for n in names if names.count(n) > 1}):
                yield f"{word} {name} occurs twice"
        for word, names in groups[:3]:
            for name in names:
                if not name.isidentifier():  # proofs have names of their own beside these, which are no words
                    yield f"{word} {name!r} has no word for a name"

    def _constants(self) -> Iterator[str]:
        program = self.program
        for parameter in program.parameters:
            yield from self._constant(f"domain of {parameter.name}", *p.expressions_in(parameter.domain))
        for field in program.inputs:
            yield from self._constant(f"domain of {field.name}", *p.expressions_in(field.domain))
        for memory in program.memories:
            yield from self._constant(f"memory {memory.name}", memory.initial)
        for noise in program.noises:
            yield from self._constant(f"noise {noise.name}", noise.law)
            if isinstance(noise.life, EachReport) and noise.life.report not in self.reports:
                yield f"noise {noise.name} lives by an unknown report {noise.life.report}"
        if program.size is not None:
            yield from self._constant("size", program.size)
        if (program.size is None) != all(i.kind != "dataset" for i in program.inputs):
            yield "a size without a dataset, or a dataset without a size"
        for model in program.models:
            for field_name, law in model.laws:
                if field_name not in self.inputs:
                    yield f"model {model.name} has a law for an unknown field {field_name}"
                yield from self._names(f"model {model.name}", law, set(), NO_VARIABLES)
                yield from _versions(f"model {model.name}", law, set())

    def _constant(self, where: str, *expressions: m.Expression) -> Iterator[str]:
        for expression in expressions:
            yield from self._names(where, expression, set(), NO_VARIABLES)
            if any(isinstance(node, _STATE) for node in m.walk(expression)):
                yield f"{where} is not constant"

    # ---- names

    def _names(self, where: str, e: m.Expression, defined: set[str], bound: Variables) -> Iterator[str]:
        """Names in `e` that are unknown, or not in `defined` (the locals, reports, draws and cells so far)."""
        match e:
            case m.ParameterValue(name=name) if name not in self.parameters:
                yield f"{where} reads an unknown parameter {name}"
            case m.Field(name=name) if name not in self.inputs:
                yield f"{where} reads an unknown field {name}"
            case m.MemoryValue(name=name) if name not in self.memories:
                yield f"{where} reads an unknown memory {name}"
            case m.Local(name=name) | m.Reported(name=name) if name not in defined:
                yield f"{where} reads {name} before it has a value"
            case m.Drawn(name=name) if name not in self.noises and name not in defined:
                yield f"{where} reads the draw {name} before it has a value"
            case m.CellValue(name=name, at=at):
                yield from self._cell_read(where, name, len(at), defined)
            case m.Noised(terms=terms):
                yield from (f"{where} has an unknown noise {t.noise}" for t in terms if t.noise not in self.noises)
            case m.Bound(variable=variable):
                yield from self._bound(where, variable, bound)
            case m.Apply(operator=operator) if operator not in m.OPERATORS | {"probability", "expected"}:
                yield f"{where} has an unknown operator {operator}"
            case _:
                pass
        if isinstance(e, m.Quantified | m.WeightsOf):
            yield from self._names(where, e.domain, defined, bound)
            bound = bound | {e.variable}
        for child in m.children(e):
            if not (isinstance(e, m.Quantified | m.WeightsOf) and child is e.domain):
                yield from self._names(where, child, defined, bound)

    def _bound(self, where: str, variable: m.Variable, bound: Variables) -> Iterator[str]:
        binders = [v for v in bound if v == variable]
        if not binders:
            yield f"{where} reads {variable.letter} outside of its binder"
        elif variable.domain != binders[0].domain:
            yield f"{where} reads {variable.letter} as an element of another set than its binder's"

    def _binders(self, where: str, expression: m.Expression) -> Iterator[str]:
        """Numbers that stand for two binders. Not asked of gates: they hold expressions of the body with a part
        replaced, under the same binders."""
        for node in m.walk(expression):
            if isinstance(node, m.Quantified | m.WeightsOf):
                variable, meant = node.variable, canonical(node)
                if variable.domain != node.domain:
                    yield f"{where} binds {variable.letter} over another set than it says"
                if variable.number < 1:
                    yield f"{where} binds {variable.letter}, a placeholder"
                elif self.binders.setdefault(variable.number, meant) != meant:
                    yield f"{where} binds {variable.letter} under the number of another binder"

    def _cell_read(self, where: str, name: str, arguments: int, defined: set[str]) -> Iterator[str]:
        cell = self.cells.get(name)
        if cell is None:
            yield f"{where} reads an unknown cell {name}"
        elif not isinstance(cell.keep, p.Previous | p.AtReports) and f"cell {name}" not in defined:
            yield f"{where} reads the cell {name} before it ticks"
        elif len(cell.binders) != arguments:
            yield f"{where} reads {arguments} of the {len(cell.binders)} indices of the cell {name}"

    def _own_variables(self, cell: p.Cell) -> Iterator[str]:
        for variable, domain in cell.binders:
            meant = m.Sequence("list", (m.CellValue(cell.name), domain))  # no other binder has this meaning
            if variable.domain != domain:
                yield f"the cell {cell.name} binds {variable.letter} over another set than it says"
            if self.binders.setdefault(variable.number, meant) != meant:
                yield f"the cell {cell.name} has a variable of another binder"

    # ---- the step

    def _body(self) -> Iterator[str]:
        defined: set[str] = set()
        updated: set[str] = set()
        for statement in self.program.body:
            where = _title(statement)
            bound = frozenset(v for v, _ in statement.binders) if isinstance(statement, p.Cell) else NO_VARIABLES
            for expression in p.expressions_in(statement):
                yield from self._names(where, expression, defined, bound)
                yield from self._binders(where, expression)
                yield from _versions(where, expression, updated)
            if isinstance(statement, p.Update):
                updated.add(statement.memory)
            if isinstance(statement, p.Cell):
                yield from self._own_variables(statement)
            yield from self._levels(statement)
            match statement:
                case p.Define(name=name) | p.Draw(name=name) | p.Report(name=name):
                    defined.add(name)
                case p.Cell(name=name):
                    defined.add(f"cell {name}")
                case p.Update(memory=memory) if memory not in self.memories:
                    yield f"{where} is not about a memory"
                case _:
                    pass
            looks_at = _report_of(statement)
            if looks_at is not None and looks_at not in self.reports:
                yield f"{where} looks back at an unknown report {looks_at}"

    def _level(self, expression: m.Expression) -> p.Level:
        level = p.Level.PUBLIC
        for node in m.walk(expression):
            match node:
                case m.Field(name=name) if name in self.inputs and self.inputs[name].kind != "public":
                    return p.Level.PRIVATE
                case m.Local(name=name) if name in self.defines:
                    level = max(level, self.defines[name].level)
                case m.CellValue(name=name) if name in self.cells:
                    level = max(level, self.cells[name].level)
                case m.Drawn(name=name):
                    level = max(level, self.draws[name].level if name in self.draws else p.Level.HIDDEN)
                case m.Noised():
                    level = max(level, p.Level.HIDDEN)
                case _:
                    pass
        return level

    def _levels(self, statement: p.Statement) -> Iterator[str]:
        match statement:
            case p.Define(name=name, expression=expression, kind=kind, level=level):
                if kind == "let" and level is not p.Level.PUBLIC:
                    yield f"the let {name} is not public"
                if self._level(expression) > level:
                    yield f"the level of {name} is too low"
            case p.Cell(name=name, level=level):
                if max(map(self._level, p.expressions_in(statement))) > level:
                    yield f"the level of the cell {name} is too low"
            case p.Draw(name=name, law=law, level=level):
                if max(self._level(law), p.Level.HIDDEN) > level:
                    yield f"the level of the draw {name} is too low"
            case p.Update(memory=memory, value=value, when=when):
                if self._level(value) > p.Level.PUBLIC or (when is not None and self._level(when) > p.Level.PUBLIC):
                    yield f"the update of {memory} is not public"
            case p.Report() | p.Stop():
                return

    # ---- gates and claims

    def _gates(self) -> Iterator[str]:
        seen = {g.source for g in self.program.gates}
        everything = set(self.defines) | self.reports | set(self.draws) | {f"cell {c}" for c in self.cells}
        for statement in self.program.body:
            if isinstance(statement, p.Report | p.Stop) and _own_gate(statement) not in seen:
                yield f"{name_of(_own_gate(statement))} has no gate"
        for gate in self.program.gates:
            if not is_hidden(gate.source) and self.program.place_of(gate.source) is None:
                yield f"gate {gate.name} belongs to no statement"
            for expression in p.expressions_in(gate):
                yield from self._names(f"gate {gate.name}", expression, everything, NO_VARIABLES)
                if _reads_released(expression) and not (isinstance(gate, p.ReleaseGate) and expression is gate.post):
                    yield f"gate {gate.name} reads a released value before it is released"
            for term in _gate_terms(gate):
                if term.noise not in self.noises:
                    yield f"gate {gate.name} has an unknown noise {term.noise}"
                elif self._level(term.factor) > p.Level.PUBLIC and not isinstance(gate, p.OpaqueGate):
                    yield from self._factor(gate, term)

    def _factor(self, gate: p.Gate, term: m.Term) -> Iterator[str]:
        """A factor may read coins, which do not look at the data, and a choice that a select gate accounts for; nothing
        else that is not public."""
        selected = {g.name for g in self.program.gates if isinstance(g, p.ChooseGate) and not g.visible}
        if not selected and self._level(term.factor) > p.Level.HIDDEN:
            yield f"gate {gate.name} scales {term.noise} by something that is not public"

    def _claims(self) -> Iterator[str]:
        models = {x.name for x in self.program.models}
        for claim in self.program.claims:
            if claim.model is not None and claim.model not in models:
                yield f"{claim.text} is under an unknown model"
            if (claim.privacy is None) != (claim.kind == "operating"):
                yield f"{claim.text} has the wrong parts"
            arguments = claim.privacy.arguments if claim.privacy else ()
            yield from self._constant(claim.text, *arguments, *((claim.horizon,) if claim.horizon else ()))


def _versions(where: str, expression: m.Expression, updated: set[str]) -> Iterator[str]:
    for node in m.walk(expression):
        if isinstance(node, m.MemoryValue) and node.updated != (node.name in updated):
            yield f"{where} reads the wrong version of the memory {node.name}"


def _own_gate(statement: p.Report | p.Stop) -> GateSource:
    """The gate that every such statement has."""
    if isinstance(statement, p.Stop):
        return OfStop(statement.index)
    return OfEvent(statement.name) if statement.value is None else OfValue(statement.name)


def _reads_released(expression: m.Expression) -> bool:
    return any(isinstance(node, m.ReleasedValue) for node in m.walk(expression))


def _report_of(statement: p.Statement) -> str | None:
    """The report that a cell looks back at."""
    if isinstance(statement, p.Cell) and isinstance(statement.keep, p.SinceReport | p.AtReports):
        return statement.keep.report
    return None


def _title(statement: p.Statement) -> str:
    """What to call it."""
    match statement:
        case p.Define(name=name):
            return name
        case p.Cell(name=name):
            return f"cell {name}"
        case p.Draw(name=name):
            return f"draw {name}"
        case p.Report(name=name):
            return f"report {name}"
        case p.Update(memory=memory):
            return f"update {memory}"
        case p.Stop(index=index):
            return f"stop {index}"


def _gate_terms(gate: p.Gate) -> Iterator[m.Term]:
    match gate:
        case p.CompareGate(test=test):
            yield from (term for margin in margins(test) for term in margin.terms)
        case p.ReleaseGate(terms=terms) | p.ChooseGate(law=p.NoisyMaxLaw(terms=terms)):
            yield from terms
        case _:
            return
