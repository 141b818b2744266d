"""W06: what is legal, and probably not meant."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.diagnostics.suggest import distance
from seqlang.elaborate.state import State
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.gate_source import OfNoise
from seqlang.model.life import EachReport, EachStep
from seqlang.model.margins import margins
from seqlang.syntax import tree


def lint(state: State, file: tree.File, body: Sequence[p.Statement], gates: Sequence[p.Gate]) -> None:
    """Record the warnings of one file that has no error."""
    _unused(state)
    _labels(state)
    _noised_each_step(state)
    _compared_and_shown(state, gates)
    _after_the_end(state, file)
    _never_read(state, body)
    _value_where_an_event_is_meant(state, body)
    _noise_on_noise(state, body, gates)


def _unused(state: State) -> None:
    for symbol in state.given.symbols.values():
        if symbol.kind in ("param", "let", "function", "draw") and symbol.name not in state.usage.used:
            state.problems.add(
                "W0601",
                f"the {symbol.kind} `{symbol.name}` is never used",
                symbol.span,
                "nothing reads it",
                help="delete it, or check the spelling where it was meant",
            )


def _labels(state: State) -> None:
    """A label is any name that nothing defines: one edit from another name it is more likely a slip."""
    labels = sorted(state.usage.labels.items(), key=lambda item: (len(item[1]), -item[1][0].start))
    for at, (label, spans) in enumerate(labels):
        others = {s.name: s.span for s in state.given.symbols.values()}
        others |= {other: found[0] for other, found in labels[at + 1 :]}
        close = next((o for o in others if _is_slip(o, label)), None)
        if close is not None:
            state.problems.add(
                "W0602",
                f"the label `{label}` is one letter away from `{close}`",
                spans[0],
                "a name that nothing defines is a label",
                [(others[close], "the other one")],
                help=f"did you mean `{close}`?",
            )


def _is_slip(other: str, label: str) -> bool:
    """One letter apart, unless it is a word of its own or a digit: `a_better` and `b_better`, `arm1` and `arm2`
    are meant."""
    if min(len(other), len(label)) < 4 or distance(other, label) != 1:
        return False
    pairs = list(zip(other.split("_"), label.split("_"), strict=False))
    apart = [(a, b) for a, b in pairs if a != b]
    numbered = other.rstrip("0123456789") == label.rstrip("0123456789")
    return not numbered and not (len(apart) == 1 and len(apart[0][0]) == len(apart[0][1]) == 1)


def _noised_each_step(state: State) -> None:
    for target, terms in state.noise.terms.items():
        symbol = state.given.symbols.get(target)
        if symbol is None or symbol.kind not in ("param", "let") or symbol.name in state.given.changing:
            continue
        lives = [state.noise.draws[t.noise].life for t in terms if t.noise in state.noise.draws]
        if lives and all(isinstance(life, EachStep) for life in lives):
            state.problems.add(
                "W0603",
                f"the constant `{target}` gets a fresh noise in each step",
                state.noise.targets[target],
                "a new draw each step",
                [(symbol.span, "the same in all steps")],
                help=f"meant `attach .. to {target} once`? A threshold is usually noised once",
            )


def _compared_and_shown(state: State, gates: Sequence[p.Gate]) -> None:
    """Lyu, Su & Li 2017, Algorithm 3: the noise that protects a comparison is released with the answer. Shown with all
    the noises of its comparison, the gap to the threshold is free (Ding et al. 2019, Wang et al. 2019): no warning. Nor
    for a noisy value that a statistic keeps as a threshold: it is not shown."""
    keeps = any(isinstance(gate, p.OpaqueGate) and gate.test is not None for gate in gates)
    compared = [
        {t.noise for t in margin.terms} for g in gates if isinstance(g, p.CompareGate) for margin in margins(g.test)
    ]
    for gate in gates:
        if isinstance(gate, p.ReleaseGate) and not (keeps and isinstance(gate.source, OfNoise)):
            shown = {t.noise for t in gate.terms}
            for term in gate.terms:
                noise = state.noise.draws[term.noise]
                if shown not in compared and any(term.noise in one for one in compared) and noise.target:
                    state.problems.add(
                        "W0604",
                        f"`{noise.target}` is compared and shown with the same noise",
                        gate.span,
                        "shown here",
                        [(noise.span, "one draw for both")],
                        help=f"name the quantity twice, `statistic level = {noise.target}` and `statistic answer = "
                        f"{noise.target}`, and attach noise to these names and none to `{noise.target}`",
                    )


def _after_the_end(state: State, file: tree.File) -> None:
    ended: tree.Stop | None = None
    for node in file.statements:
        if ended is not None and _is_evaluated(state, node):
            state.problems.add(
                "W0605",
                "this is never reached",
                node.span,
                "stands below a stop without a condition",
                [(ended.span, "the run always ends here")],
                help="give the stop a `when`, or move it to the end",
            )
            return
        if isinstance(node, tree.Stop) and node.when is None and ended is None:
            ended = node


def _is_evaluated(state: State, node: tree.Statement) -> bool:
    """Has the statement a place in the step? Declarations stand anywhere."""
    if isinstance(node, tree.Draw):
        return node.name.name in state.given.changing
    return isinstance(node, tree.Stop | tree.Report | tree.Update | tree.Statistic)


def _never_read(state: State, body: Sequence[p.Statement]) -> None:
    read: set[str] = set()
    for statement in body:
        for expression in p.expressions_in(statement):
            for node in m.walk(expression):
                if isinstance(node, m.Noised):
                    read.add(node.name)
    for target, span in state.noise.targets.items():
        if target not in read:
            state.problems.add(
                "W0606",
                f"the noise on `{target}` is never used",
                span,
                "nothing reads this name noisily",
                help="its own definition, models and laws of noises read it plain; read it in a report or a stop",
            )


def _value_where_an_event_is_meant(state: State, body: Sequence[p.Statement]) -> None:
    """A report of a value without a `when` is made in every step: what runs since it is of one step."""
    values = {s.name: s for s in body if isinstance(s, p.Report) and s.value is not None and s.when is None}
    lives = [noise.life for noise in state.noise.draws.values()] + [s.life for s in body if isinstance(s, p.Draw)]
    ended = {s.keep.report for s in body if isinstance(s, p.Cell) and isinstance(s.keep, p.SinceReport)}
    ended |= {life.report for life in lives if isinstance(life, EachReport)}
    for name in sorted(ended & values.keys()):
        state.problems.add(
            "W0612",
            f"`{name}` is reported in every step, so what runs since `{name}` begins anew in every step",
            values[name].span,
            "a value, whatever it is, is a report",
            help=f"write `report {name} when ..` for an event that is reported only where it happens",
        )


def _noise_on_noise(state: State, body: Sequence[p.Statement], gates: Sequence[p.Gate]) -> None:
    """A second name for a noised number is read with the noise of the first, and with its own on top."""
    shown = [{t.noise for t in g.terms} for g in gates if isinstance(g, p.ReleaseGate)]
    shown += [{t.noise for t in one.terms} for g in gates if isinstance(g, p.CompareGate) for one in margins(g.test)]
    for statement in body:
        if not isinstance(statement, p.Define) or not isinstance(statement.expression, m.Noised):
            continue
        first = {t.noise for t in statement.expression.terms}
        own = {t.noise for t in state.noise.terms.get(statement.name, ())}
        other = statement.expression.name
        if own and first in shown and any(first | own <= one for one in shown):
            state.problems.add(
                "W0613",
                f"`{statement.name}` is read with the noise of `{other}` and with its own",
                statement.span,
                f"reads `{other}` with its noise",
                [(state.noise.targets[other], "one draw for both names")],
                help=f"for noise of its own alone, write the definition of `{other}` in place of its name",
            )
