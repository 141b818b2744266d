"""Is a program well formed? What elaboration promises, checked without knowing how it was made."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.binding import NO_VARIABLES, canonical
from seqlang.model.constants import CHANGING, is_constant
from seqlang.model.gate_source import GateSource, OfEvent, OfStop, OfValue, is_hidden, name_of
from seqlang.model.life import EachReport
from seqlang.model.margins import margins
from seqlang.model.validate_declared import problems_of_declarations
from seqlang.model.validate_kinds import problems_of_kinds
from seqlang.model.validate_noises import problems_of_noises
from seqlang.operators.groups import FOLDS


def validate(program: p.Program) -> tuple[str, ...]:
    """The problems of a program; empty if it keeps its promises.

    Every name is defined, and in the step before it is read (look-back cells read names further down); cells stand
    before their readers, or look back; each binder has a number of its own, which two binders share only if they stand
    for the same expression, and its variable has everywhere the set that it is bound over; a memory is read in the
    version of the place; lets, memories and updates are public; what is noised has its noises, whose laws are constant;
    no two things have one name, and what is declared has a word for it; every value is of a kind that its place can
    take (`kinding`); what is declared means something (`validate_declared`); a name that carries noise carries it
    wherever it is read (`validate_noises`); gates belong to statements and name existing noises. That the gates are
    those of the body is not asked here: `lowering.gates_of` makes them.
    """
    return tuple(_Check(program).problems())


Variables = frozenset[m.Variable]

_FOLDS = {p.AtReports: ("list",), p.Previous: ("last",)}
_OF_ENTRIES = CHANGING - {m.Field}


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
        names = [*self._unique(), *self._constants(), *self._entries(), *self._body(), *self._gates(), *self._claims()]
        yield from names
        if not names:  # what follows looks names up
            yield from problems_of_kinds(self.program)
            yield from problems_of_declarations(self.program)
            yield from problems_of_noises(self.program)

    # ---- declarations

    def _unique(self) -> Iterator[str]:
        program = self.program
        body = program.body
        words = [x.name for x in program.parameters] + [x.name for x in program.inputs]
        words += [x.name for x in program.memories] + [x.name for x in program.models]
        words += [s.name for s in body if isinstance(s, p.Draw | p.Report)]
        words += [noise.name for noise in program.noises if noise.target is None]
        words += [s.name for s in body if isinstance(s, p.Define) and (s.kind == "statistic" or "." not in s.name)]
        others = [noise.name for noise in program.noises if noise.target is not None]
        others += [s.name for s in body if isinstance(s, p.Cell)]
        others += [s.name for s in body if isinstance(s, p.Define) and s.kind == "let" and "." in s.name]
        groups = [
            ("name", words + others),
            ("update", [s.memory for s in body if isinstance(s, p.Update)]),
            ("gate", [g.name for g in program.gates]),
        ]
        for word, names in groups:
            for name in sorted({n for n in names if names.count(n) > 1}):
                yield f"{word} {name} occurs twice"
        for name in words:
            if not name.isidentifier():  # proofs have names of their own beside these, which are no words
                yield f"{name!r} is no word for a name"
        for name in others:
            if name.isidentifier():
                yield f"{name!r} is a word, and nothing that a file declares"
        stops = [s for s in body if isinstance(s, p.Stop)]
        if [s.index for s in stops] != list(range(1, len(stops) + 1)):
            yield "the stops are not counted in their order"
        shown = [n.name for s in stops if s.result is not None for n in m.walk(s.result) if isinstance(n, m.Label)]
        if tuple(dict.fromkeys(shown)) != program.labels:
            yield "the labels are not those that are returned"
        for name in sorted(set(shown) & {*words, *others}):
            yield f"the label {name} is the name of something else"

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
        lives = [(noise.name, noise.life) for noise in program.noises]
        for name, life in [*lives, *((draw.name, draw.life) for draw in self.draws.values())]:
            if isinstance(life, EachReport) and life.report not in self.reports:
                yield f"{name} lives by an unknown report {life.report}"
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

    def _entries(self) -> Iterator[str]:
        """What neighbours are: constants, and fields of one entry."""
        adjacency = self.program.adjacency
        if isinstance(adjacency, p.Within):
            yield from self._names("adjacency", adjacency.of, set(), NO_VARIABLES)
            if any(type(node) in _OF_ENTRIES for node in m.walk(adjacency.of)):
                yield "neighbours are compared by more than one entry"
            yield from self._constant("adjacency", adjacency.radius)
        else:
            yield from self._constant("adjacency", adjacency.count)

    def _constant(self, where: str, *expressions: m.Expression) -> Iterator[str]:
        for expression in expressions:
            yield from self._names(where, expression, set(), NO_VARIABLES)
            if not is_constant(expression):
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
            case m.Apply(operator=operator) if operator not in m.OPERATORS:
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
            if isinstance(statement, p.Cell):
                yield from self._cell(statement)

    def _cell(self, cell: p.Cell) -> Iterator[str]:
        if cell.operator not in _FOLDS.get(type(cell.keep), FOLDS):
            yield f"the cell {cell.name} keeps steps in another way than it folds them"
        if cell.where is not None and type(cell.keep) in _FOLDS:
            yield f"the cell {cell.name} looks back under a condition"
        if isinstance(cell.keep, p.Previous):
            yield from self._constant(f"the initial value of {cell.name}", cell.keep.initial)
        if not all(is_constant(domain) for _, domain in cell.binders):
            yield f"the cell {cell.name} runs over a set that changes"

    def _level(self, expression: m.Expression) -> p.Level:
        level = p.Level.PUBLIC
        for node in m.walk(expression):
            match node:
                case m.Field(name=name) if name in self.inputs and self.inputs[name].kind != "public":
                    return p.Level.PRIVATE
                case m.Records() if isinstance(self.program.adjacency, p.AddRemove):
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
        """A factor may read coins, which do not look at the data, and a choice that has a gate of its own, which
        accounts for it or has no bound; nothing else that is not public."""
        selected = {
            g.name for g in self.program.gates
            if (isinstance(g, p.ChooseGate) and not g.visible) or (isinstance(g, p.OpaqueGate) and is_hidden(g.source))
        }  # fmt: skip
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
