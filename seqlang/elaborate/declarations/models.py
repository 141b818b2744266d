"""Models: a law for each field, in the order of drawing, that stays in the field's domain."""

from __future__ import annotations

from seqlang.diagnostics.suggest import hint
from seqlang.elaborate.declarations.support import leaves_domain
from seqlang.elaborate.expressions.expect import expect
from seqlang.elaborate.state import Scope, State, translate
from seqlang.elaborate.typed import Typed
from seqlang.model import expression as m
from seqlang.model.kinds import UNKNOWN, elements, same
from seqlang.model.program import Model
from seqlang.syntax import tree


def model(state: State, position: int, node: tree.ModelDeclaration) -> None:
    """Enter one model."""
    name = node.name.name
    if state.given.symbols[name].statement is not node:
        return
    drawn: dict[str, Typed] = {}
    laws: list[tuple[str, m.Expression]] = []
    for law in node.laws:
        field = law.name.name
        typed = translate(state, Scope("model", position, bindings=dict(drawn)), law.law)
        good = expect(state, typed, "law", law.law.span, "a model gives each field a law")
        if not _known_field(state, law, drawn):
            continue
        kind = state.names.kinds.get(field, UNKNOWN)
        kind = elements(kind) if state.given.symbols[field].kind == "dataset" else kind
        if state.given.symbols[field].kind == "dataset" and any(
            isinstance(e, m.MemoryValue) for e in m.walk(typed.expression)
        ):
            _records_come_first(state, law)
        drawn[field] = Typed(m.Field(field), kind)
        laws.append((field, typed.expression))
        if good and typed.kind.name == "law":
            _fits_field(state, law, typed, field)
    _all_private(state, node, drawn)
    state.declared.models[name] = Model(name, tuple(laws), node.name.span)


def _known_field(state: State, law: tree.FieldLaw, drawn: dict[str, Typed]) -> bool:
    name = law.name.name
    if name not in state.declared.fields:
        state.problems.add(
            "E0410",
            f"there is no field `{name}`",
            law.name.span,
            "a model gives laws to the fields of `stream`, `dataset` and `public`",
            help=hint(name, state.declared.fields),
        )
        return False
    if name in drawn:
        state.problems.add("E0410", f"this model gives `{name}` two laws", law.name.span, "the second law")
        return False
    return True


def _records_come_first(state: State, law: tree.FieldLaw) -> None:
    state.problems.add(
        "E0410", f"the law of the records `{law.name.name}` reads memory", law.law.span, "changes from step to step",
        [(state.declared.fields[law.name.name].span, "all records are there before the first step")],
    )  # fmt: skip


def _all_private(state: State, node: tree.ModelDeclaration, drawn: dict[str, Typed]) -> None:
    missing = [f for f in state.declared.fields.values() if f.kind != "public" and f.name not in drawn]
    if missing and not state.problems.failed:
        names = ", ".join(f"`{f.name}`" for f in missing)
        state.problems.add(
            "E0410",
            f"the model `{node.name.name}` says nothing about {names}",
            node.name.span,
            "a model gives a law to every private field",
            [(missing[0].span, "declared here")],
            help=f"add `{missing[0].name} ~ LAW`",
        )


def _fits_field(state: State, law: tree.FieldLaw, typed: Typed, field: str) -> None:
    domain = state.declared.fields[field].domain
    kind = (
        elements(state.names.kinds[field]) if state.given.symbols[field].kind == "dataset" else state.names.kinds[field]
    )
    drawn = elements(typed.kind)
    if drawn.name == "vector" and not same(kind, drawn):
        state.problems.add(
            "E0413", f"the law gives vectors, and `{field}` is a number", law.law.span, "a law of vectors",
            [(state.declared.fields[field].span, "declared here")],
        )  # fmt: skip
        return
    why = leaves_domain(state, typed.expression, domain)
    if why is not None:
        state.problems.add(
            "E0413",
            f"the law of `{field}` leaves its domain",
            law.law.span,
            why,
            [(state.declared.fields[field].span, "declared here")],
            help="widen the domain, or stay inside it: `conditioned(LAW, low, high)`",
        )
