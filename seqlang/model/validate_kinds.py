"""Is every value of a kind that its place can take? A test is a truth value, a noise has a law, a sum adds numbers."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.kinding import Kinds
from seqlang.model.kinds import describe, same


def problems_of_kinds(program: p.Program) -> Iterator[str]:
    """Where kinds do not go together, in statements, declarations, models and claims about privacy. Gates are made of
    the statements."""
    kinds, entry = Kinds(program), Kinds(program, entry=True)
    for statement in program.body:
        _statement(kinds, statement)
    for memory in program.memories:
        kinds.expect_value(memory.initial, f"memory {memory.name}")
    for noise in program.noises:
        kinds.expect(noise.law, "law", f"noise {noise.name}")
    for number in _numbers(program):
        kinds.expect(number, "number", "a constant")
    for model in program.models:
        for _, law in model.laws:
            entry.expect(law, "law", f"model {model.name}")
    match program.adjacency:
        case p.Within(of=of, radius=radius, norm=norm):
            entry.expect(radius, "number", "adjacency")
            if entry.of(of).name == "number" and norm != "linf":
                yield "a number moves by its absolute value, in no other norm"
            if entry.of(of).name not in ("number", "vector", "unknown"):
                yield "neighbours differ in something that is no number"
        case p.Replace(count=count) | p.AddRemove(count=count):
            entry.expect(count, "number", "adjacency")
    yield from (*kinds.problems, *entry.problems)


def _numbers(program: p.Program) -> Iterator[m.Expression]:
    """The constants that declarations and claims are made of."""
    for domain in [x.domain for x in program.parameters] + [x.domain for x in program.inputs]:
        yield from p.expressions_in(domain)
    if program.size is not None:
        yield program.size
    for claim in program.claims:
        yield from () if claim.privacy is None else claim.privacy.arguments
        if claim.horizon is not None:
            yield claim.horizon


def _statement(kinds: Kinds, statement: p.Statement) -> None:
    """Notes where a value of the statement is of a kind that it cannot take."""
    match statement:
        case p.Define(name=name, expression=expression):
            kinds.expect_value(expression, name)
        case p.Cell(name=name, body=body, where=where, keep=keep):
            if where is not None:
                kinds.expect(where, "truth", f"the cell {name}")
            if isinstance(keep, p.LastSteps):
                kinds.expect(keep.count, "number", f"the cell {name}")
            if isinstance(keep, p.Previous) and not same(kinds.of(keep.initial), kinds.of(body)):
                kinds.problem(f"the cell {name} begins with another kind of value than it keeps")
            kinds.of(m.CellValue(name))
            for _, domain in statement.binders:
                kinds.of(domain)
        case p.Draw(name=name, law=law):
            kinds.expect(law, "law", f"the draw {name}")
        case p.Report(name=name, when=when, value=value):
            if value is not None:
                kinds.expect_value(value, f"the report {name}")
            if when is not None:
                kinds.expect(when, "truth", f"the report {name}")
        case p.Update(memory=memory, value=value, when=when):
            if not same(kinds.of(m.MemoryValue(memory)), kinds.of(value)):
                kinds.problem(f"the memory {memory} begins with another kind of value than it is given")
            if when is not None:
                kinds.expect(when, "truth", f"the update of {memory}")
        case p.Stop(index=index, when=when, result=result):
            if when is not None:
                kinds.expect(when, "truth", f"stop {index}")
            if result is not None and kinds.of(result).name in ("law", "region"):
                kinds.problem(f"stop {index} returns {describe(kinds.of(result))}")
