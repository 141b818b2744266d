"""The passes of elaboration, strung together: tree -> typed model."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import seqlang.elaborate.expressions.operators  # noqa: F401  enters the handlers of expressions
from seqlang.diagnostics import Diagnostic
from seqlang.elaborate.checks.fit import fit
from seqlang.elaborate.checks.lints import lint
from seqlang.elaborate.checks.privacy_lints import lint_privacy
from seqlang.elaborate.checks.undecided import undecided
from seqlang.elaborate.checks.undefined import undefined
from seqlang.elaborate.claims import claims
from seqlang.elaborate.declarations.adjacency import adjacency
from seqlang.elaborate.declarations.declarations import declarations, remembering_models
from seqlang.elaborate.names.symbols import changing, collect
from seqlang.elaborate.problems import Problems
from seqlang.elaborate.state import Given, State
from seqlang.elaborate.statements.body import body
from seqlang.elaborate.statements.noises import find_targets, noises
from seqlang.lowering.lowering import Lowering
from seqlang.model.program import Program
from seqlang.model.validate import validate
from seqlang.record import replace
from seqlang.syntax import tree


def elaborate(
    file: tree.File, values: Mapping[str, Fraction] | None = None
) -> tuple[Program | None, tuple[Diagnostic, ...]]:
    """The program of a file under values for some of its params, or None; and all that was found, in order of place.

    Never raises on what a user wrote. With an error (a code E....) there is no program; warnings (W....) come with one.
    A model that is not well formed is a bug of this package, and an AssertionError: nothing may be proved about it.
    """
    problems = Problems()
    try:
        program = _elaborate(file, values or {}, problems)
    except RecursionError:
        problems.add("E0309", "this file is nested too deeply", file.span, help="name the parts with `statistic`")
        program = None
    if program is None or problems.failed:
        return None, problems.sorted()
    broken = validate(program)
    assert not broken, f"the model breaks what it promises: {'; '.join(broken)}"
    return program, problems.sorted()


def _elaborate(file: tree.File, values: Mapping[str, Fraction], problems: Problems) -> Program | None:
    state = State(_given(file, values, problems), problems)
    find_targets(state, file)
    declarations(state, file)
    noises(state, file)
    statements = body(state, file)
    remembering_models(state, file)
    fit(state, statements)
    neighbours = adjacency(state, file)
    claimed = claims(state, file)
    undefined(state, statements, claimed)
    if problems.failed:
        return None
    name, title, documentation = _header(file)
    program = Program(
        name=name,
        title=title,
        documentation=documentation,
        parameters=tuple(state.declared.parameters.values()),
        inputs=tuple(state.declared.fields.values()),
        size=state.declared.size,
        adjacency=neighbours,
        models=tuple(state.declared.models.values()),
        memories=tuple(state.step.memories.values()),
        noises=tuple(state.noise.draws.values()),
        body=statements,
        gates=(),
        claims=claimed,
        labels=tuple(state.usage.labels),
    )
    undecided(problems, program)
    lowering = Lowering(program)
    gates = lowering.gates()
    lint(state, file, statements, gates)
    lint_privacy(state, statements, gates, lowering.reader)
    return replace(program, gates=gates)


def _header(file: tree.File) -> tuple[str, str, str]:
    """The name of the algorithm, its title and its documentation."""
    header = next((s for s in file.statements if isinstance(s, tree.Algorithm)), None)
    if header is None:
        return "", "", ""
    title, documentation = header.title, header.documentation
    return header.name.name, title.value if title else "", documentation.value if documentation else ""


def _given(file: tree.File, values: Mapping[str, Fraction], problems: Problems) -> Given:
    symbols = collect(file, problems)
    return Given(
        symbols,
        changing(symbols),
        values,
        records_are_private=any(isinstance(s, tree.AdjacentAddRemove) for s in file.statements),
        facts_matter=any(isinstance(s, tree.Report) and s.value and s.when for s in file.statements),
    )
