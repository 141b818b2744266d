"""Public fields that are the same under both hypotheses in every step: the test is followed as it is with that value.

So it is with ends for futility, which need not be heeded: the hypotheses heed them, and another model does not."""

from __future__ import annotations

from seqlang.backends.solve.step.entries import model_named
from seqlang.lowering.lowering import gates_of
from seqlang.model.binding import replaced
from seqlang.model.expression import Expression, Field, Law, Number, walk
from seqlang.model.program import Model, Program, Stop, expressions_in
from seqlang.record import replace


def settled(program: Program, hypotheses: tuple[str, ...], like: str | None = None) -> Program:
    """The program without such fields, where nothing but stops reads them; it has no other models. `like`: a model that
    says what these fields are, in place of the hypotheses."""
    models = [model_named(program, name) for name in hypotheses]
    telling = models if like is None else [model_named(program, like)]
    for field in [one.name for one in program.inputs if one.kind == "public"]:
        laws = {dict(model.laws).get(field) for model in telling}
        value = _constant(laws.pop()) if len(laws) == 1 else None
        others = [e for s in program.body for e in expressions_in(replace(s, when=None) if isinstance(s, Stop) else s)]
        if value is None or any(part == Field(field) for e in [*others, *_laws(models, field)] for part in walk(e)):
            continue
        models = [replace(m, laws=tuple(pair for pair in m.laws if pair[0] != field)) for m in models]
        program = _without(program, field, value)
    return replace(program, models=tuple(models))


def _constant(law: Expression | None) -> Expression | None:
    """The one value of a law."""
    known = isinstance(law, Law) and law.family == "point" and isinstance(law.arguments[0], Number)
    return law.arguments[0] if isinstance(law, Law) and known else None


def _laws(models: list[Model], but: str) -> list[Expression]:
    return [law for model in models for name, law in model.laws if name != but]


def _without(program: Program, field: str, value: Expression) -> Program:
    body = tuple(
        replace(s, when=None if s.when is None else replaced(s.when, Field(field), value)) if isinstance(s, Stop) else s
        for s in program.body
    )
    found = replace(program, body=body, inputs=tuple(one for one in program.inputs if one.name != field))
    return replace(found, gates=gates_of(found))
