"""All syntax errors of a text. Runs only on texts that have one, so it may take its time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from seqlang.diagnostics import Diagnostic, Label
from seqlang.diagnostics.suggest import did_you_mean
from seqlang.operators.groups import COMPARISONS
from seqlang.source import Source, Span
from seqlang.syntax import tree
from seqlang.syntax.cut import Piece
from seqlang.syntax.errors.brackets import match_brackets, too_many_brackets, unclosed_bracket, unopened_bracket
from seqlang.syntax.errors.chain import chained, previous_comparison
from seqlang.syntax.errors.forms import FORMS, MEANT
from seqlang.syntax.errors.lexical import clean
from seqlang.syntax.errors.repair import find_repair
from seqlang.syntax.errors.unfit import clause_order, does_not_fit, ends_early, repaired, reserved
from seqlang.syntax.load_table import load_table
from seqlang.syntax.machine import Machine, TooDeepError
from seqlang.syntax.token import Token

# Beyond this many nobody reads on; a text of random bytes would have thousands.
MOST = 50
"""Errors that are shown of one text: nobody reads more at once."""


def diagnose(
    source: Source, pieces: Sequence[Piece], statements: Sequence[tree.Statement | None]
) -> tuple[Diagnostic, ...]:
    """What is wrong with a text, in order of place, at most MOST; `statements` holds None for each piece that did not
    parse. Empty if all is well."""
    found: list[Diagnostic] = []
    index = 0
    while index < len(pieces) and len(found) < MOST:
        if statements[index] is None:
            examined = _Examination(source, pieces[index], _broken_behind(pieces, statements, index))
            examined.run()
            found += examined.found
            index += examined.taken
        index += 1
    found += _heads(source, pieces)
    found.sort(key=lambda diagnostic: diagnostic.primary.span.start if diagnostic.primary else 0)
    return tuple(found[:MOST])


def _broken_behind(pieces: Sequence[Piece], statements: Sequence[tree.Statement | None], index: int) -> Sequence[Piece]:
    """The next pieces, as far as none of them parses."""
    last = index + 1
    while last < len(pieces) and last <= index + 3 and statements[last] is None:
        last += 1
    return pieces[index + 1 : last]


def _heads(source: Source, pieces: Sequence[Piece]) -> list[Diagnostic]:
    """A text begins with `algorithm`, and no other statement does."""
    heads = [piece.tokens[0] for piece in pieces if piece.tokens[0].text == "algorithm"]
    advice = f"begin the file with `{FORMS['algorithm']}`"
    if not pieces:
        end = len(source.text)
        return [Diagnostic("E0107", "there is no algorithm in this text", Label(Span(end, end)), help=advice)]
    first = pieces[0].tokens[0]
    found = [
        Diagnostic("E0108", "a second algorithm in one file", Label(token.span), (Label(heads[0].span, "the first"),),
                   help="put each algorithm in a file of its own")
        for token in heads[1:]
    ]  # fmt: skip
    if heads and heads[0] is not first:
        label = Label(heads[0].span, "move this statement to the top")
        found.append(Diagnostic("E0107", "the first statement is not `algorithm`", Label(first.span), (label,)))
    elif not heads and _meant(first) != "algorithm":
        found.append(Diagnostic("E0107", "the text does not begin with `algorithm`", Label(first.span), help=advice))
    return found


def _meant(token: Token) -> str | None:
    """The opening word that a word was meant to be: a slip of the hand or another language's word."""
    if token.kind != "word":
        return None
    return did_you_mean(token.text, FORMS) or MEANT.get(token.text.lower())


class _Examination:
    """The errors of one piece that does not parse."""

    def __init__(self, source: Source, piece: Piece, behind: Sequence[Piece] = ()) -> None:
        self.source = source
        self.piece = piece
        self.behind = behind
        self.found: list[Diagnostic] = []
        self.pairs: dict[int, Token] = {}
        self.taken = 0

    def run(self) -> None:
        tokens, wrong = clean(self.piece.tokens)
        self.found += wrong
        if not tokens:
            return
        brackets = match_brackets(tokens)
        if brackets.too_deep is not None:
            self.found.append(too_many_brackets(tokens[brackets.too_deep]))
            return
        self.found += [unopened_bracket(tokens[index]) for index in brackets.unopened]
        self.pairs = {tokens[closer].start: tokens[opener] for closer, opener in brackets.pairs.items()}
        unclosed = [tokens[index] for index in brackets.unclosed]
        tokens = [token for index, token in enumerate(tokens) if index not in brackets.unopened]
        if tokens and tokens[0].text not in FORMS:
            tokens = self._unknown_statement(tokens)
        if tokens:
            self._read(tokens, unclosed)

    def _unknown_statement(self, tokens: list[Token]) -> list[Token]:
        """Reports a first token that begins no statement; the tokens with the word that was meant, or none."""
        first, meant = tokens[0], _meant(tokens[0])
        if meant is None:
            if self.piece.tokens[0].start == first.start and self._is_first(first):
                return []  # reported as a text without `algorithm`
            self.found.append(_no_statement(first, None))
            return []
        self.found.append(_no_statement(first, meant))
        return [first._replace(text=meant), *tokens[1:]] if did_you_mean(first.text, [meant]) else []

    def _is_first(self, token: Token) -> bool:
        before = self.source.text[: token.start]
        return all(line.split("#")[0].strip("\ufeff \t\r") == "" for line in before.split("\n"))

    def _read(self, tokens: list[Token], unclosed: list[Token]) -> None:
        """Parses with repairs; every failure is reported."""
        table = load_table()
        opening = tokens[0].text
        machine = Machine(table, "algorithm" if opening == "algorithm" else "statement", opening)
        rest = [*tokens, Token("end", "", tokens[-1].end, tokens[-1].end)]
        index = failures = 0
        try:
            while index < len(rest):
                if machine.takes(rest[index]):
                    machine.feed(rest[index])
                    index += 1
                    continue
                failures += 1
                done = rest[:index]
                continued = self._failure(machine, opening, done, rest[index:], unclosed) if failures <= 10 else None
                if continued is None:
                    return
                rest = [*done, *continued]
        except TooDeepError as deep:
            self.found.append(
                Diagnostic("E0115", "this expression is nested too deeply", Label(deep.span, "this part"),
                           help="give a part its own name with `let` or `statistic`")
            )  # fmt: skip
        if unclosed and failures == 0:
            self.found += [unclosed_bracket(opener, self.piece.following, True) for opener in unclosed]

    def _failure(
        self, machine: Machine, opening: str, done: list[Token], rest: list[Token], unclosed: list[Token]
    ) -> list[Token] | None:
        """Reports that `rest[0]` does not fit. What to read on with, or None to give up on this statement."""
        table, failing = load_table(), rest[0]
        previous = done[-1] if done else failing
        fits = machine.accepts()
        if any(finding.primary and finding.primary.span == failing.span for finding in self.found):
            return None  # it was complained about as a token; what follows it is unclear
        inside = [opener for opener in unclosed if opener.start < failing.start]
        if failing.kind == "end" and "NAME" in fits and (continued := self._name_follows(machine)):
            return continued
        if inside:
            at_end = failing.kind == "end"
            place = self.piece.following if at_end else failing
            self.found += [unclosed_bracket(opener, place, at_end) for opener in inside]
            return None
        if failing.kind == "end":
            self.found.append(ends_early(opening, previous, self.piece.following, fits, table))
            return None
        if "NAME" in fits and failing.text in table.reserved and self._is_name(machine, rest):
            self.found.append(reserved(failing))
            return [failing._replace(text=failing.text + "_"), *rest[1:]]
        begins = failing.kind == "word" and (failing.text not in table.reserved or failing.text in ("return", "if"))
        if "$END" in fits and begins and self._begins_line(failing, previous):
            return self._next_statement(rest)
        if self._begins_line(previous, done[-2] if len(done) > 1 else previous) and self._misspelt_before(done, rest):
            return None
        comparison = (*COMPARISONS, "=")
        if failing.text in comparison and (first := previous_comparison(done, len(done))) is not None and "AND" in fits:
            everything = [*done, *rest]
            self.found.append(chained(self.source.text, everything, first, len(done)))
            # Read on as if `and x` stood here, with any x.
            return [_word("and", failing), _word("x", failing), failing._replace(text="=="), *rest[1:]]
        if failing.text == "when" and any(token.text == "return" for token in done) and opening == "stop":
            earlier = next(token for token in done if token.text == "return")
            self.found.append(clause_order(failing, earlier))
            return None
        repair = find_repair(machine, rest, table, self._heads([*done, *rest]))
        if repair is None:
            self.found.append(does_not_fit(opening, failing, previous, fits, table, self.pairs.get(failing.start)))
            return None
        self.found.append(repaired(repair, opening, failing, previous, fits, table))
        return [*repair.tokens, *rest[1:]]

    def _heads(self, tokens: list[Token]) -> set[int]:
        """The places of words that begin a line and were probably meant to begin a statement."""
        return {
            token.start
            for before, token in pairwise(tokens)
            if token.kind == "word" and self._begins_line(token, before) and did_you_mean(token.text, FORMS)
        }

    def _is_name(self, machine: Machine, rest: list[Token]) -> bool:
        """Whether a reserved word was meant as a name: only a name fits, or the rest does if it is one."""
        trial = machine.copy()
        return "NUMBER" not in machine.accepts() or (
            trial.feed(rest[0]._replace(text=rest[0].text + "_")) and trial.feed(rest[1])
        )

    def _name_follows(self, machine: Machine) -> list[Token] | None:
        """If a name is expected where the next statement seems to begin, its first word was probably meant as the name:
        `let report = 3`. Then the next piece belongs to this one."""
        if self.taken >= len(self.behind):
            return None
        piece = self.behind[self.taken]
        word = piece.tokens[0]
        tokens, wrong = clean(piece.tokens)
        renamed = [word._replace(text=word.text + "_"), *tokens[1:]]
        trial = machine.copy()
        end = Token("end", "", renamed[-1].end, renamed[-1].end)
        second = [*renamed, end][1]
        if not trial.feed(renamed[0]):
            return None
        # At the end of a line it is a statement that was left unfinished, unless what follows fits only here.
        if not trial.feed(second) and not (second.kind == "end" and self.taken + 1 < len(self.behind)):
            return None
        self.taken += 1
        self.found += [reserved(word), *wrong]
        self.piece = Piece((*self.piece.tokens, *piece.tokens), piece.following)
        return [*renamed, end]

    def _begins_line(self, token: Token, previous: Token) -> bool:
        return "\n" in self.source.text[previous.end : token.start]

    def _next_statement(self, rest: list[Token]) -> list[Token] | None:
        """A new line whose first word begins no statement, behind a statement that could end there."""
        first = rest[0]
        meant = _meant(first)
        self.found.append(_no_statement(first, meant))
        if meant is None or not did_you_mean(first.text, [meant]):
            return None
        piece = Piece((first._replace(text=meant), *rest[1:-1]), self.piece.following)
        further = _Examination(self.source, piece)
        further.run()
        self.found += further.found
        return None

    def _misspelt_before(self, done: list[Token], rest: list[Token]) -> bool:
        """`param a =` and on the next line `statistc x = 1`: the misspelt word was read as a name."""
        word = done[-1]
        meant = did_you_mean(word.text, FORMS) if word.kind == "word" else None
        if meant is None or len(done) < 2 or rest[0].kind not in ("word", "number", "text"):
            return False
        self.found.append(_no_statement(word, meant))
        piece = Piece(tuple(done[:-1]), word)
        earlier = _Examination(self.source, piece)
        earlier.run()
        later = _Examination(self.source, Piece((word._replace(text=meant), *rest[:-1]), self.piece.following))
        later.run()
        self.found += [*earlier.found, *later.found]
        return True


def _no_statement(token: Token, meant: str | None) -> Diagnostic:
    shown = token.text if len(token.text) <= 40 else token.text[:32] + ".."
    if token.kind == "word" and meant is not None:
        if did_you_mean(token.text, [meant]):
            advice = f"did you mean `{meant}`?"
        else:
            advice = f"the statement for this is `{meant}`: {FORMS[meant]}"
    else:
        advice = "statements begin with " + ", ".join(FORMS)
    return Diagnostic(
        "E0109", f"`{shown}` begins no statement", Label(token.span, "a statement is expected"), help=advice
    )


def _word(text: str, at: Token) -> Token:
    return Token("word", text, at.start, at.start)
