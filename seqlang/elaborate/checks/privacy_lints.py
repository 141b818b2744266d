"""W06: legal, and a way in which published algorithms were not private. What is true of a claim, the proofs say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from seqlang.elaborate.state import State
from seqlang.lowering.contents import Reader
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.constants import number
from seqlang.model.gate_source import OfStop
from seqlang.model.life import EachStep
from seqlang.model.margins import margins


def lint_privacy(state: State, body: Sequence[p.Statement], gates: Sequence[p.Gate], reader: Reader) -> None:
    """Record the warnings of one file that has no error."""
    _private_thresholds(state, body, reader)
    _plain_beside_noisy(state, gates, reader)
    if state.noise.draws:
        _private_divisors(state, body, reader)
    _counts_out_of_reach(state, body, gates)


def _private_thresholds(state: State, body: Sequence[p.Statement], reader: Reader) -> None:
    """PAPRIKA as published: levels count unnoised candidates, and the noise covers how far one p-value moves only."""
    told: set[str] = set()
    for test in (s.when for s in body if isinstance(s, p.Report | p.Stop) and s.when is not None):
        noises = {t.noise for reading in reader.contents(test).noised for t in reading.terms}
        used = [state.noise.draws[name] for name in sorted(noises) if name in state.noise.draws]
        looks = {noise.target for noise in used if isinstance(noise.life, EachStep)}
        for noise in used:
            if noise.target is None or noise.target in told or isinstance(noise.life, EachStep):
                continue
            define = reader.defines.get(noise.target)
            cells = () if define is None else tuple(_private_cells(reader, define[1].expression))
            if define is not None and cells and looks - {noise.target, None}:
                told.add(noise.target)
                state.problems.add(
                    "W0607",
                    f"the threshold `{noise.target}` depends on what private data were before",
                    define[1].span,
                    "reads data that were not released",
                    [(noise.span, "its noise hides a threshold that moves little")],
                    help="compute it from reports, `count(R over steps)` or `history(step, R)`, as a `let` or `memory`",
                )


def _private_cells(reader: Reader, expression: m.Expression) -> Iterator[p.Cell]:
    """Accumulators of data that the expression reads, through statistics and other accumulators."""
    waiting, seen = [expression], set[str]()
    while waiting:
        for node in m.walk(waiting.pop()):
            name = getattr(node, "name", "")
            if isinstance(node, m.Local) and f"local {name}" not in seen and name in reader.defines:
                seen.add(f"local {name}")
                waiting.append(reader.defines[name][1].expression)
            elif isinstance(node, m.CellValue) and f"cell {name}" not in seen:
                seen.add(f"cell {name}")
                cell = reader.cells[name]
                if reader.contents(node).plain or reader.contents(node).celled:
                    yield cell
                waiting.extend(e for e in (cell.body, cell.where) if e is not None)


def _plain_beside_noisy(state: State, gates: Sequence[p.Gate], reader: Reader) -> None:
    """A filter in front of a noisy test is seen whenever the test lets it through."""
    for gate in gates:
        if not isinstance(gate, p.CompareGate):
            continue
        tests = tuple(margins(gate.test))
        bare = [margin for margin in tests if not margin.terms and reader.contents(margin.value).plain]
        if bare and any(margin.terms for margin in tests):
            state.problems.add(
                "W0608",
                "a noisy test together with a test of private data without noise",
                gate.span,
                f"{len(bare)} of its comparisons {'has' if len(bare) == 1 else 'have'} no noise",
                help="attach noise to what is compared, or test the noisy quantity only",
            )


def _private_divisors(state: State, body: Sequence[p.Statement], reader: Reader) -> None:
    """A quotient of two private sums has no useful sensitivity: the divisor may be near 0 and moves as well."""
    told: set[object] = set()
    for statement in body:
        if isinstance(statement, p.Draw | p.Update):
            continue
        each_step = (statement.body, statement.where) if isinstance(statement, p.Cell) else statement
        for expression in p.expressions_in(each_step):
            for node in m.walk(expression):
                if not isinstance(node, m.Apply) or node.operator != "/" or node.span in told:
                    continue
                numerator, divisor = node.arguments
                if reader.contents(numerator).plain and _accumulates(reader, divisor):
                    told.add(node.span)
                    state.problems.add(
                        "W0609",
                        "the divisor depends on private data",
                        node.span,
                        "a changed entry moves both sides of the quotient",
                        help="divide by a public number, or report both sides with noise and divide what was reported",
                    )


def _accumulates(reader: Reader, divisor: m.Expression) -> bool:
    """It gathers more than this step's entry; what one entry alone does can be clipped."""
    if not reader.contents(divisor).plain:
        return False
    records = any(isinstance(n, m.Records) and reader.records_are_private for n in m.walk(divisor))
    gathers = any(
        isinstance(n, m.Quantified) and isinstance(n.domain, m.Records) and reader.contents(n).plain
        for n in m.walk(divisor)
    )
    return records or gathers or any(True for _ in _private_cells(reader, divisor))


def _counts_out_of_reach(state: State, body: Sequence[p.Statement], gates: Sequence[p.Gate]) -> None:
    """More reports than steps: noise that is scaled for c reports is then larger than it need be."""
    ends = [g for g in gates if isinstance(g, p.PublicGate) and isinstance(g.source, OfStop)]
    cells = {s.name: s for s in body if isinstance(s, p.Cell)}
    limits = [
        (bound, gate) for gate in ends for left, bound in _limits(state, gate.expression) if left == m.StepNumber()
    ]
    if not limits:
        return
    last, first = min(limits, key=lambda limit: limit[0])
    for gate in ends:
        for left, bound in _limits(state, gate.expression):
            report = _counted(left, cells)
            if report is not None and bound > last:
                state.problems.add(
                    "W0610",
                    f"`{report}` cannot be reported {_shown(bound)} times: a run has at most {_shown(last)} steps",
                    gate.span,
                    "never the reason to stop",
                    [(first.span, "ends every run before")],
                    help="let fewer reports end the run; noise for that many reports is more than is needed",
                )


def _limits(state: State, condition: m.Expression | None) -> Iterator[tuple[m.Expression, Fraction]]:
    """`left >= constant` among the disjuncts."""
    match condition:
        case m.Apply("or", parts):
            for part in parts:
                yield from _limits(state, part)
        case m.Apply(">=" | "==", (left, right)):
            bound = number(right, state.declared.values)
            if bound is not None:
                yield left, bound
        case _:
            pass


def _counted(left: m.Expression, cells: dict[str, p.Cell]) -> str | None:
    match left:
        case m.CellValue(name) if cells[name].operator == "count" and cells[name].where is None:
            body = cells[name].body
            return body.name if isinstance(body, m.Reported) else None
        case m.Apply("length", (m.CellValue(name),)):
            keep = cells[name].keep
            return keep.report if isinstance(keep, p.AtReports) else None
        case _:
            return None


def _shown(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):g}"
