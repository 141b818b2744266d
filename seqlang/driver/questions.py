"""What is asked of the rows beside a spec: its twin without noise, tracked numbers, predictions and their truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from seqlang.diagnostics import Diagnostic, Label, SpecError
from seqlang.diagnostics.elsewhere import Made, made, shown_there
from seqlang.driver.loading import Loaded
from seqlang.model import expression as ir
from seqlang.source import Source, Span

if TYPE_CHECKING:
    from seqlang.backends.train import Training
    from seqlang.model.program import Program
    from seqlang.syntax.tree import File

PREDICTED, TRUTH, RETURNED = "predicted_", "truth_", "returned_"
"""Names of the statistics that a question about rows held out becomes, and of the memory that stands for `return`."""


def has_noise(loaded: Loaded) -> bool:
    from seqlang.elaborate.variants import has_noise
    from seqlang.syntax import parse

    tree, _ = parse(loaded.source)
    return tree is not None and has_noise(tree)


def without_noise(loaded: Loaded) -> Loaded:
    """The same algorithm, with the same values of its parameters, without its noise. Raises SpecError."""
    from seqlang.elaborate import elaborate
    from seqlang.elaborate.variants import without_noise as quiet
    from seqlang.syntax import parse

    tree, found = parse(loaded.source)
    program = None
    if tree is not None:
        program, found = elaborate(quiet(tree), {p.name: p.value for p in loaded.program.parameters})
    if program is None:
        raise SpecError(found, loaded.source)
    return Loaded(loaded.source, program, found, loaded.settings)


def training(name: str, loaded: Loaded, extra: Mapping[str, Made], *, noise: bool) -> Training:
    """The spec with further statistics. Two of them, a prediction and its truth, are only asked of rows held out."""
    from seqlang.backends.train import Training
    from seqlang.elaborate import elaborate
    from seqlang.elaborate.variants import before_stops, without_noise
    from seqlang.model.program import Define
    from seqlang.record import replace
    from seqlang.syntax import parse

    if noise and not extra:
        return Training(name, loaded.program)
    whole, moved = f"{loaded.source.text.rstrip()}\n\n", tuple(extra)
    if PREDICTED in extra and RETURNED in extra[PREDICTED].text:
        whole, moved = f"{whole}memory {RETURNED} = {_like_return(loaded)}\n", (RETURNED, *moved)
    parts: list[tuple[int, Made]] = []
    for part in extra.values():
        whole += "statistic "
        parts.append((len(whole), part))
        whole += f"{part.text}\n"
    source = Source(loaded.source.name, whole)
    tree, found = parse(source)
    program = None
    if tree is not None and not any(d.severity == "error" for d in found):
        _require_expressions(tree, source, parts)
        tree = before_stops(tree if noise else without_noise(tree), moved)
        program, found = elaborate(tree, {p.name: p.value for p in loaded.program.parameters})
    if program is None:
        raise shown_there(found, source, parts)
    asked = {s.name: s.expression for s in program.body if isinstance(s, Define) and s.name in (PREDICTED, TRUTH)}
    for key, option, example in ((PREDICTED, "--predict", "dot(w, x) > 0"), (TRUTH, "--truth", "y > 0")):
        if key in asked and not _is_condition(program, asked[key]):
            message = f'{option} "{extra[key].source.text}" is no condition: it is true or false of a row'
            raise refused(extra[key], message, f'{option} "{example}"')
    body = tuple(s for s in program.body if not (isinstance(s, Define) and s.name in asked))
    tracked = tuple(key for key in extra if key not in (PREDICTED, TRUTH))
    returned = next((m for m in program.memories if m.name == RETURNED), None)
    program = replace(program, body=body, memories=tuple(m for m in program.memories if m.name != RETURNED))
    return Training(name, program, tracked, asked.get(PREDICTED), asked.get(TRUTH), returned)


def _is_condition(program: Program, e: ir.Expression) -> bool:
    """Whether the value is true or false."""
    match e:
        case ir.Truth():
            return True
        case ir.Apply(operator):
            return operator in ir.COMPARISONS | ir.LOGIC
        case ir.Choice(_, yes, no):
            return _is_condition(program, yes) and _is_condition(program, no)
        case ir.Noised(base=base):
            return _is_condition(program, base)
        case ir.Local(name):
            return _is_condition(program, program.define(name).expression)
        case _:
            return False


def _require_expressions(tree: File, source: Source, parts: Sequence[tuple[int, Made]]) -> None:
    """Raises SpecError E0602 where one of the parts holds statements of its own."""
    for start, part in parts:
        for statement in tree.statements:
            if start < statement.span.start < start + len(part.text):
                place = Label(statement.span, "a statement begins here")
                message = f"{part.source.name} takes one expression"
                raise shown_there([Diagnostic("E0602", message, place)], source, parts)


def tracked_as(name: str, text: str) -> Made:
    """What is asked for by `--track name=text`."""
    return made(Source("--track", f"{name}={text}"), len(name) + 1, f"{name} = ", r"[\r\n]", lambda _: " ")


def on_one_row(program: Program, key: str, text: str) -> Made:
    """The question as a statistic can ask it: `return` becomes a name, and of a dataset the first record is the row."""
    records = program.data_set
    option = "--predict" if key == PREDICTED else "--truth"

    def change(word: str) -> str:
        return RETURNED if word == "return" else f"{word}[1]" if word in records else " "

    return made(Source(option, text), 0, f"{key} = ", rf"\b({'|'.join(['return', *records])})\b|[\r\n]", change)


def refused(asked: Made, message: str, remedy: str | None = None) -> SpecError:
    place = Label(Span(0, len(asked.source.text)))
    return SpecError.of("E0628", message, place=place, help=remedy, source=asked.source)


def _like_return(loaded: Loaded) -> str:
    """A constant of the same shape as what is returned. Raises SpecError E0628 where that has no one shape."""
    from seqlang.backends.train.choose import shape_of_return

    shape = shape_of_return(loaded.program)
    if shape is None or len(shape) > 1:
        message = f"a prediction cannot read what `{loaded.program.name}` returns: it is no number and no vector"
        raise SpecError.of("E0628", message)
    return f"zeros({shape[0]})" if shape else "0"
