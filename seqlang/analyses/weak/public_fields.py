"""Public fields beside an entry: their law given it, and the program that shows them.

A weak claim gives the private entry X_n = a; the public fields of step n are then drawn by their laws given a. That
takes a model in which no private field reads a public one: else "given" has two meanings (X_n is set to a, or X_n
turned out to be a), under which these fields have two laws.

Who sees the transcript sees the public fields too. What the transcript alone loses is a lower bound, what it loses
together with these fields an upper one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from seqlang.analyses.weak.entries import Entry
from seqlang.analyses.weak.words import in_words
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.inputs.domains import CheckedDomain
from seqlang.backends.interpret.state import PartialState
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.solve.step.entries import model_of, reads_step, values_of
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.domain import Finite, Integers
from seqlang.model.expression import Apply, Choice, Expression, Field, Number
from seqlang.model.program import Input, Program, Report
from seqlang.record import replace
from seqlang.rules.average_case import private_reads_public
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.shapes import is_number

SHOWN = "public {}"
"""The name of the report of a public field; no name that a file can have."""


def public_fields(program: Program) -> tuple[Input, ...]:
    return tuple(field for field in program.inputs if field.kind == "public")


class Beside:
    """`completed(entry, step)` are the entries of all fields that have these private values, with the chances of the
    public ones. Without public fields that is the entry itself."""

    def __init__(self, program: Program, model: str) -> None:
        self._public = {field.name for field in public_fields(program)}
        self._names = [field.name for field in program.inputs]
        self._program, self._model = program, model
        self._known: dict[tuple[int, tuple[float, ...]], tuple[tuple[float, Entry], ...]] = {}
        self._changes = False
        if self._public:
            if (why := private_reads_public(program, model)) is not None:
                raise Unsolved(why)
            self._changes = reads_step(model_of(program, model))

    def completed(self, entry: Entry, step: int) -> tuple[tuple[float, Entry], ...]:
        if not self._public:
            return ((1.0, entry),)
        key = (step if self._changes else 1, tuple(entry.values()))
        if key not in self._known:
            self._known[key] = tuple(self._drawn(entry, key[0]))
        return self._known[key]

    def _drawn(self, entry: Entry, step: int) -> Iterator[tuple[float, Entry]]:
        compiler, state = Compiler(self._program), PartialState(step_number=step, memory={})
        domains = {field.name: CheckedDomain(compiler, field.domain) for field in public_fields(self._program)}
        found: list[tuple[float, Mapping[str, float]]] = [(1.0, entry)]
        for name, law in model_of(self._program, self._model).laws:
            if name not in self._public:
                continue
            code = compiler.compile(law)
            longer: list[tuple[float, Mapping[str, float]]] = []
            for chance, fields in found:
                state.fields = dict(fields)
                try:
                    points, missing = values_of(code.run(state))
                except EvaluationError as why:  # the entry may be one that the model never draws
                    message = why.diagnostics[0].message
                    raise Unsolved(f"`{name}` has no law given the entry {in_words(entry)}: {message}") from None
                if not all(domains[name].contains(value) for value, _ in points):
                    raise Unsolved(f"given the entry {in_words(entry)}, `{name}` leaves its domain")
                if missing > 0:
                    raise Unsolved(f"the public field `{name}` has infinitely many values")
                longer += [(chance * p, {**fields, name: float(value)}) for value, p in points]
            found = longer
        for chance, fields in found:
            yield chance, {name: fields[name] for name in self._names}


def showing_public_fields(program: Program) -> Program:
    """The program that reports the number of each public field's value at the beginning of each step. Raises Unsolved
    where a domain does not list its values."""
    return replace(program, body=(*(_report(program, field) for field in public_fields(program)), *program.body))


def _report(program: Program, field: Input) -> Report:
    match field.domain:
        case Finite(values=values) if is_number(facts_of(program), Field(field.name)):
            number: Expression = Number(Fraction(0))
            for place, value in enumerate(values[1:], 1):
                number = Choice(Apply("==", (Field(field.name), value)), Number(Fraction(place)), number)
            return Report(SHOWN.format(field.name), None, number)
        case Integers():
            return Report(SHOWN.format(field.name), None, Field(field.name))
        case _:
            raise Unsolved(f"the public field `{field.name}` does not list numbers")
