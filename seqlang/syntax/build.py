"""From the parts of a production to a node of the tree: one small function for each, named as in the grammar.

`parts` are the values of the production's symbols in order: tokens (marks and words included), nodes, and flat lists
of both for repetitions. A production without a function here passes its only part on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

from seqlang.source import Span
from seqlang.syntax import tree
from seqlang.syntax.token import Token

Parts = list[Any]


def _flat(parts: Parts) -> Iterator[Any]:
    for part in parts:
        if isinstance(part, list):
            yield from part
        else:
            yield part


def _nodes(parts: Parts) -> tuple[Any, ...]:
    """The parts that are nodes, in order."""
    return tuple(part for part in _flat(parts) if not isinstance(part, Token))


def _after(parts: Parts, word: str) -> Any:
    """The part that stands right behind the word; None if it is absent."""
    return next((after for part, after in pairwise(parts) if _is(part, word)), None)


def _is(part: Any, word: str) -> bool:
    return isinstance(part, Token) and part.text == word


# ---- statements


def _algorithm(parts: Parts, span: Span) -> tree.Algorithm:
    texts = [part for part in parts if isinstance(part, tree.Text)]
    return tree.Algorithm(
        _name(parts[1:2], parts[1].span), texts[0] if texts else None, texts[1] if len(texts) > 1 else None, span
    )


def _param(parts: Parts, span: Span) -> tree.Param:
    limit = parts[2] if isinstance(parts[2], (tree.BoundLimit, tree.DomainLimit)) else None
    return tree.Param(parts[1], limit, parts[-1], span)


def _let(parts: Parts, span: Span) -> tree.Let:
    parameters = _nodes(parts[3:-3]) if _is(parts[2], "(") else None
    return tree.Let(parts[1], parameters, parts[-1], span)


def _inputs(parts: Parts, span: Span) -> tree.Inputs:
    fields = tuple(part for part in _flat(parts) if isinstance(part, tree.FieldDeclaration))
    return tree.Inputs(parts[0].text, fields, _after(parts, "size"), span)


def _amount(parts: Parts) -> tree.Expression | None:
    amount: tree.Expression | None = None if isinstance(parts[-1], _One) else parts[-1]
    return amount


def _norm(parts: Parts) -> Any:
    named = _after(parts, "in")
    return None if named is None else named.text


class _One:
    """`one` as an amount, told apart from a name."""


def _attach(parts: Parts, span: Span) -> tree.Attach:
    targets = tuple(part for part in _flat(parts) if isinstance(part, tree.Target))
    life = parts[-1] if isinstance(parts[-1], (tree.LifeOnce, tree.LifeStep, tree.LifeReport)) else None
    return tree.Attach(parts[1], targets, life, span)


def _claim(parts: Parts, span: Span) -> tree.Claim:
    kind: Any = parts[1].text if isinstance(parts[1], Token) else "operating"
    label = next((part for part in parts if isinstance(part, tree.Text)), None)
    verdict = parts[-1][-1] if isinstance(parts[-1], list) else None
    return tree.Claim(
        kind,
        parts[1] if kind == "operating" else parts[2],
        _after(parts, "within"),
        _after(parts, "under"),
        any(_is(part, "per") for part in parts),
        label,
        None if verdict is None else _name([verdict], verdict.span),
        span,
    )


# ---- expressions


def _name(parts: Parts, span: Span) -> tree.Name:
    return tree.Name(parts[0].text, span)


def _number(parts: Parts, span: Span) -> tree.Number:
    text = parts[0].text
    return tree.Number(Fraction(int(text)) if text.isdecimal() else Fraction(text), text, span)


def _binary(parts: Parts, span: Span) -> tree.Binary:
    return tree.Binary(parts[1].text, parts[0], parts[2], span)


ACTIONS: dict[str, Callable[[Parts, Span], Any]] = {
    "algorithm": _algorithm,
    "text": lambda p, s: tree.Text(p[0].text[1:-1], s),
    "param": _param,
    "bound_limit": lambda p, s: tree.BoundLimit(p[0].text, p[1], s),
    "domain_limit": lambda p, s: tree.DomainLimit(p[1], s),
    "let": _let,
    "stream": _inputs,
    "dataset": _inputs,
    "public": _inputs,
    "field": lambda p, s: tree.FieldDeclaration(p[0], p[2], s),
    "replace": lambda p, s: tree.AdjacentReplace(_amount(p), s),
    "add_or_remove": lambda p, s: tree.AdjacentAddRemove(_amount(p), s),
    "one": lambda p, s: _One(),
    "within": lambda p, s: tree.AdjacentWithin(p[1].text, p[2], p[4], _norm(p), _is(p[-1], "direction"), s),
    "model": lambda p, s: tree.ModelDeclaration(p[1], _nodes(p[3:]), s),
    "field_law": lambda p, s: tree.FieldLaw(p[0], p[2], s),
    "interval": lambda p, s: tree.IntervalDomain(p[1], p[3], _is(p[0], "("), _is(p[4], ")"), s),
    "finite": lambda p, s: tree.FiniteDomain(_nodes(p), s),
    "integers": lambda p, s: tree.IntegerDomain(p[0], p[2] if len(p) > 2 else None, s),
    "named_domain": lambda p, s: tree.NamedDomain(p[0], s),
    "ball": lambda p, s: tree.BallDomain(p[0], _nodes(p[2:-1]), s),
    "power_domain": lambda p, s: tree.PowerDomain(p[0], p[2], s),
    "memory": lambda p, s: tree.MemoryDeclaration(p[1], p[3], s),
    "update": lambda p, s: tree.Update(p[1], p[3], _after(p, "when"), s),
    "statistic": lambda p, s: tree.Statistic(p[1], p[3], s),
    "draw": lambda p, s: tree.Draw(p[1], p[3], p[4] if len(p) > 4 else None, s),
    "attach": _attach,
    "target": lambda p, s: tree.Target(None if isinstance(p[0], Token) else p[0], s),
    "once": lambda p, s: tree.LifeOnce(s),
    "each_step": lambda p, s: tree.LifeStep(s),
    "each_report": lambda p, s: tree.LifeReport(p[1], s),
    "report_value": lambda p, s: tree.Report(p[1], p[3], _after(p, "when"), s),
    "report_event": lambda p, s: tree.Report(p[1], None, p[3], s),
    "stop": lambda p, s: tree.Stop(_after(p, "when"), _after(p, "return"), s),
    "claim_strong": _claim,
    "claim_weak": _claim,
    "claim_operating": _claim,
    "if_else": lambda p, s: tree.If(p[1], p[3], p[5], s),
    "binary": _binary,
    "compare": _binary,
    "negate": lambda p, s: tree.Unary(p[0].text, p[1], s),
    "range_of": lambda p, s: tree.Range(p[0], p[2], s),
    "call": lambda p, s: tree.Call(p[0], _nodes(p[2:-1]), s),
    "index": lambda p, s: tree.Index(p[0], p[2], s),
    "member": lambda p, s: tree.Member(p[0], p[2], s),
    "number": _number,
    "name": _name,
    "step": lambda p, s: tree.Step(s),
    "truth": lambda p, s: tree.Truth(p[0].text == "true", s),
    "parenthesised": lambda p, s: p[1],
    "list_of": lambda p, s: tree.ListOf(_nodes(p), s),
    "list_for": lambda p, s: tree.ListFor(p[1], p[2], s),
    "set_of": lambda p, s: tree.SetOf(_nodes(p), s),
    "weights_of": lambda p, s: tree.WeightsOf(_nodes(p), s),
    "weights_for": lambda p, s: tree.WeightsFor(p[1], p[2], s),
    "weight": lambda p, s: tree.Weight(p[0], p[2], s),
    "positional": lambda p, s: tree.Positional(p[0], s),
    "keyword": lambda p, s: tree.Keyword(p[0], p[2], s),
    "over_set": lambda p, s: tree.OverSet(p[0], p[1], s),
    "over_time": lambda p, s: tree.OverTime(p[0], _after(p, "where"), p[-1], s),
    "over_steps": lambda p, s: tree.OverSteps(s),
    "over_last": lambda p, s: tree.OverLast(p[2], s),
    "since": lambda p, s: tree.Since(p[1], s),
    "binder": lambda p, s: tree.ForIn(p[1], p[3], _after(p, "where"), s),
}
