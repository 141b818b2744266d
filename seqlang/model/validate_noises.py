"""Is each noise read where it belongs? A name that carries noise carries the same everywhere, so that what stands for
it in a gate stands for all its readings."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.binding import canonical
from seqlang.model.constants import is_constant
from seqlang.model.life import EachReport, EachStep, Life, Once
from seqlang.model.noise_factors import ONE

RETURN = "return"
"""The target of noise on what a run returns. It is no name: every `stop` returns a value of its own."""


def problems_of_noises(program: p.Program) -> Iterator[str]:
    """Noises whose name, target and life do not fit, and readings that do not carry the noises of their name."""
    noises = {noise.name: noise for noise in program.noises}
    for noise in program.noises:
        if noise.target is None:
            if not noise.name.isidentifier():
                yield f"the draw {noise.name!r:.60} has no word for a name"
        elif not _is_name_of(noise.name, f"{noise.target}.{_word(noise.life)}"):
            yield f"the noise {noise.name} is not named by its target and its life"
    readings: dict[str, m.Noised] = {}
    for statement in program.body:
        whole = _whole(statement)
        for node in p.nodes_in(statement):
            if isinstance(node, m.Drawn) and node.name in noises and noises[node.name].target is not None:
                yield f"the noise {node.name} is read by its name"
            if isinstance(node, m.Noised):
                yield from _reading(program, node, whole, noises)
                first = readings.setdefault(node.name, node)
                if first.terms != node.terms:
                    yield f"{node.name} carries other noises in other places"
                if node.name != RETURN and canonical(first.base) != canonical(node.base):
                    yield f"{node.name} is two values"
    places = [law for model in program.models for _, law in model.laws]
    if any(isinstance(node, m.Noised) for part in (*places, program.adjacency) for node in p.nodes_in(part)):
        yield "an entry carries noise before it is read"


def _word(life: Life) -> str:
    match life:
        case Once():
            return "once"
        case EachStep():
            return "step"
        case EachReport(report=report):
            return report


def _is_name_of(name: str, stem: str) -> bool:
    """`stem`, or `stem.2`, `stem.3`, .. for further ones."""
    return name == stem or (name.startswith(f"{stem}.") and name[len(stem) + 1 :].isdecimal())


def _whole(statement: p.Statement) -> m.Expression | None:
    """What the statement shows, which alone carries the noise of its name."""
    match statement:
        case p.Report(value=None, when=when):
            return when
        case p.Report(value=value):
            return value
        case p.Stop(result=result):
            return result
        case _:
            return None


def _reading(
    program: p.Program, node: m.Noised, whole: m.Expression | None, noises: dict[str, p.Noise]
) -> Iterator[str]:
    """Of what the name stands for, with noises that were attached to it."""
    name, base = node.name, node.base
    names = [term.noise for term in node.terms]
    if not names or len(set(names)) < len(names):
        yield f"{name} carries no noise, or one of them twice"
    for term in node.terms:
        noise = noises.get(term.noise)
        if noise is not None and noise.target not in (None, name):
            yield f"{name} carries the noise {noise.name} of {noise.target}"
        if not is_constant(term.factor):
            yield f"a factor of the noise on {name} is not constant"
        if noise is not None and (noise.target is not None or noise.flips) and term.factor != ONE:
            yield f"{noise.name} is scaled, and it was attached as it is"
    shown = {s.name for s in program.body if isinstance(s, p.Report)}
    if name == RETURN or name in shown:
        if node is not whole:
            yield f"the noise on {name} is read where nothing is shown"
        return
    match base:
        case m.Local(name=own) | m.Field(name=own) | m.ParameterValue(name=own) | m.Drawn(name=own) if own == name:
            return
        case _:
            declared = {x.name for x in program.parameters} | {x.name for x in program.inputs}
            declared |= {x.name for x in program.memories}
            declared |= {s.name for s in program.body if isinstance(s, p.Define | p.Draw)}
            if name in declared or not is_constant(base):
                yield f"{name} stands for another value"
