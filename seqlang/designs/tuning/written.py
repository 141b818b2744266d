"""A spec with other defaults of its parameters: the text stays as it is everywhere else."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from seqlang.designs.problem.decimal import decimal
from seqlang.source import Source
from seqlang.syntax import format_text, parse, tree


def with_defaults(source: Source, values: Mapping[str, Fraction]) -> str:
    """The text in which these parameters have these defaults; in the canonical layout if it was in it before."""
    file, _ = parse(source)
    assert file is not None, "load has read it"
    text = source.text
    params = [s for s in file.statements if isinstance(s, tree.Param) and s.name.name in values]
    for param in sorted(params, key=lambda p: -p.default.span.start):
        text = text[: param.default.span.start] + decimal(values[param.name.name]) + text[param.default.span.end :]
    if format_text(source)[0] == source.text:
        laid_out, _ = format_text(Source(source.name, text))
        return text if laid_out is None else laid_out
    return text
