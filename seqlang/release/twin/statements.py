"""Each statement of a file in whole units, as replacements in its text: comments and layout stay."""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm

from seqlang.elaborate.claim_text import text
from seqlang.release.twin.models import on_grid
from seqlang.release.twin.names import Names
from seqlang.release.twin.noise import discrete, is_continuous
from seqlang.release.twin.units import Units
from seqlang.release.twin.written import NoTwin, names_in, number, quotient, renamed, times
from seqlang.source import NOWHERE, Span
from seqlang.syntax import tree

Edit = tuple[Span, str]
"""What stands for a span of the text; an empty span: what is put in there."""
RETURN = "return"


def settle(names: Names, units: Units) -> None:
    """Finds the scales: the file is read until none changes."""
    units.changed = True
    while units.changed:
        units.changed = False
        for statement in names.file.statements:
            for _ in rewritten(names, units, statement):
                pass


def rewritten(names: Names, units: Units, statement: tree.Statement) -> Iterator[Edit]:
    """The replacements of one statement. Raises NoTwin."""
    match statement:
        case tree.Param(name=name, default=default):
            if name.name in names.settings:
                yield default.span, text(number(names.settings[name.name]))
            yield from _of_constant(units, name.name, statement.span)
        case tree.Let(name, None, value) | tree.Statistic(name, value):
            yield from _defined(names, units, name.name, value, statement)
        case tree.Let(_, _, value) if names.is_public(value):
            yield from _public(units, value)
        case tree.Inputs(kind, fields) if kind != "public":
            for field in fields:
                counted = units.fields[field.name.name]
                if counted.domain is not field.domain:
                    yield field.domain.span, _domain(counted.domain)
        case tree.Inputs(_, fields):
            for field in fields:
                yield from _of_constant(units, field.name.name, statement.span)
        case tree.AdjacentWithin(_, of, distance) if isinstance(of, tree.Name) and units.scale(of.name) > 1:
            yield distance.span, text(times(units.scale(of.name), distance))
        case tree.ModelDeclaration(laws=laws):
            for law in laws:
                entry = units.fields.get(law.name.name)
                if entry is not None and entry.domain is not names.fields[law.name.name].domain:
                    yield law.law.span, text(on_grid(names, law.law, entry))
        case tree.MemoryDeclaration(_, value):
            yield from _public(units, value)
        case tree.Draw(name, law):
            yield from _drawn(names, units, name.name, law)
        case tree.Attach():
            yield from _attached(names, units, statement)
        case tree.Report(name, value, when):
            yield from _reported(names, units, name.name, value, when)
        case tree.Update(_, value, when):
            if not names.is_public(value):
                raise NoTwin("a memory takes a private value")
            for part in (value, when):
                if part is not None:
                    yield from _public(units, part)
        case tree.Stop(when, result):
            yield from _condition(names, units, when)
            if result is not None and not names.is_public(result):
                yield from _changed(result, _returned(names, units, result))
        case tree.Claim(kind, body):
            yield from _claimed(names, units, statement, kind, body)
        case _:
            return


def _of_constant(units: Units, name: str, span: Span) -> Iterator[Edit]:
    """Noise on a public number: a name for it in units."""
    if units.has_own_name(name):
        inner = units.rounded(tree.Name(name, NOWHERE), units.scale(name))
        yield Span(span.end, span.end), f"\nlet {units.in_units(name)} = {text(inner)}"


def _defined(names: Names, units: Units, name: str, value: tree.Expression, whole: tree.Statement) -> Iterator[Edit]:
    if units.is_constant_target(name):
        yield from _public(units, value)
        if units.has_own_name(name):
            kind = "let" if isinstance(whole, tree.Let) else "statistic"
            inner = units.rounded(tree.Name(name, NOWHERE), units.scale(name))
            yield Span(whole.span.end, whole.span.end), f"\n{kind} {units.in_units(name)} = {text(inner)}"
        return
    if names.is_public(value):
        new = units.at(value, units.scale(name)) if name in names.targets else units.public(value)
        yield from _changed(value, new)
        return
    inner = names.inlined(value)
    units.refine(name, units.whole(inner).n)
    yield from _changed(value, units.at(inner, units.scale(name)))


def _public(units: Units, value: tree.Expression) -> Iterator[Edit]:
    yield from _changed(value, units.public(value))


def _condition(names: Names, units: Units, when: tree.Expression | None) -> Iterator[Edit]:
    if when is not None:
        yield from _changed(when, units.truth(names.inlined(when)))


def _reported(
    names: Names, units: Units, name: str, value: tree.Expression | None, when: tree.Expression | None
) -> Iterator[Edit]:
    yield from _condition(names, units, when)
    if value is None:
        return
    if names.is_public(value) and name not in names.targets:
        yield from _public(units, value)
        return
    inner = names.inlined(value)
    if not names.is_public(inner):
        units.refine(name, units.whole(inner).n)
    yield from _changed(value, units.at(inner, units.scale(name)))


def _returned(names: Names, units: Units, result: tree.Expression) -> tree.Expression:
    inner = names.inlined(result)
    units.refine(RETURN, units.whole(inner).n)
    return units.at(inner, units.scale(RETURN))


def _drawn(names: Names, units: Units, name: str, law: tree.Expression) -> Iterator[Edit]:
    if is_continuous(names, law):
        yield law.span, text(discrete(names, law, units.scale(name)))
        return
    match law:
        case tree.Call(tree.Name("uniform"), (tree.Positional(tree.SetOf(items, span)),)):
            one = number(1)
            yield law.span, text(tree.WeightsOf(tuple(tree.Weight(i, one, span) for i in items), span))
            return
    if not names.is_public(law):
        raise NoTwin(f"the law of `{name}` depends on private values, by chances that are no rational numbers")
    yield from _public(units, law)


def _attached(names: Names, units: Units, attach: tree.Attach) -> Iterator[Edit]:
    """A line for each scale of what noise is attached to."""
    targets = [RETURN if t.name is None else t.name.name for t in attach.targets]
    drawn = names_in(attach.noise) & set(names.draws)
    if drawn:
        n = lcm(*(units.scale(t) for t in targets), units.whole(attach.noise).n)
        for name in (*targets, *drawn):
            units.refine(name, n)
    for name in targets:
        if name in units.fields and units.fields[name].scale != units.scale(name):
            raise NoTwin(f"the noise of `{name}` lies on another grid than its entries")
    lines = []
    noise = attach.noise
    life = {type(None): "", tree.LifeOnce: " once", tree.LifeStep: " each step"}.get(type(attach.life))
    for n in dict.fromkeys(units.scale(t) for t in targets):
        if not drawn and (n > 1 or is_continuous(names, attach.noise)):
            noise = discrete(names, attach.noise, n)
        listed = ", ".join(units.in_units(t) for t in targets if units.scale(t) == n)
        said = f" each {attach.life.report.name}" if isinstance(attach.life, tree.LifeReport) else life
        lines.append(f"attach {text(noise)} to {listed}{said}")
    yield attach.span, "\n".join(lines)


def _claimed(names: Names, units: Units, claim: tree.Claim, kind: str, body: tree.Expression) -> Iterator[Edit]:
    """Strong claims stay; those of errors and steps read what is counted in units divided by it; weak claims go."""
    if kind == "weak":
        yield claim.span, ""
        return
    counted = {n: s for n, s in units.scales.items() if s > 1 and n not in units.fields and n != RETURN}
    new = {n: quotient(tree.Name(units.in_units(n), NOWHERE), number(s)) for n, s in counted.items()
           if not units.is_constant_target(n)}  # fmt: skip
    if names_in(body) & set(new):
        yield body.span, text(renamed(body, new))


def _changed(old: tree.Expression, new: tree.Expression) -> Iterator[Edit]:
    if new != old:
        yield old.span, text(new)


def _domain(domain: tree.Domain) -> str:
    match domain:
        case tree.IntegerDomain(low, high):
            return f"{text(low)}..{'' if high is None else text(high)}"
        case tree.FiniteDomain(values):
            return f"{{{', '.join(map(text, values))}}}"
        case tree.PowerDomain(of, dimension):
            return f"{_domain(of)} ^ {text(dimension)}"
    raise NoTwin("a domain has a form that is not known here")
