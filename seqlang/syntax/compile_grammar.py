"""Grammar text -> parse table. The only module that imports Lark, and only when no stored table fits the grammar."""

from __future__ import annotations

import re

from seqlang.syntax.table import Production, Table

STARTS = ["start", "algorithm", "statement"]


def compile_grammar(text: str) -> Table:
    """The LALR(1) table of a grammar in Lark's notation; Lark raises GrammarError if it is not LALR(1)."""
    import lark
    from lark.lexer import PatternStr
    from lark.parsers.lalr_analysis import Shift

    parser = lark.Lark(text, parser="lalr", start=STARTS, maybe_placeholders=False)
    automaton = parser.parse_interactive("", start="start").parser_state.parse_conf.parse_table
    # Lark numbers the states from sets of items, in an order that may differ from run to run: numbered anew from the
    # start states, the table of a grammar is always the same.
    order = list(automaton.start_states.values())
    for state in order:
        for name in sorted(automaton.states[state]):
            action, argument = automaton.states[state][name]
            if action is Shift and argument not in order:
                order.append(argument)
    number = {state: index for index, state in enumerate(order)}
    rule_number = {rule: index for index, rule in enumerate(parser.rules)}
    states = tuple(
        {
            name: number[argument] if action is Shift else ~rule_number[argument]
            for name, (action, argument) in sorted(automaton.states[state].items())
        }
        for state in order
    )
    terminals = sorted(parser.terminals, key=lambda terminal: terminal.name)
    fixed = {t.pattern.value: t.name for t in terminals if isinstance(t.pattern, PatternStr)}
    words = {spelling: name for spelling, name in fixed.items() if spelling.isidentifier()}
    patterns = {t.name: t.pattern.to_regexp() for t in terminals if not isinstance(t.pattern, PatternStr)}
    return Table(
        states=states,
        productions=tuple(Production(r.origin.name, r.alias or r.origin.name, len(r.expansion)) for r in parser.rules),
        starts={name: number[state] for name, state in sorted(automaton.start_states.items())},
        ends={name: number[state] for name, state in sorted(automaton.end_states.items())},
        words=words,
        marks={spelling: name for spelling, name in fixed.items() if spelling not in words},
        reserved=tuple(sorted(word for word in words if not re.fullmatch(patterns["NAME"], word))),
        patterns=patterns,
    )
