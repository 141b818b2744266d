"""A ledger, checked by somebody who has no data: the chain, the sums, the prices, and every decision that follows from
what was released."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded, load
from seqlang.model.expression import Expression, Noised
from seqlang.model.program import Cell, Define, Program, Report, Stop, Update
from seqlang.release.exact.code import Code
from seqlang.release.exact.functions import NoValue
from seqlang.release.exact.laws import NotExact
from seqlang.release.exact.plan import obstacles
from seqlang.release.exact.real import Undecided
from seqlang.release.exact.run import Decide, ExactRun, Outcome
from seqlang.release.ledger.book import Account, Book, Charge
from seqlang.release.ledger.budget import Amount
from seqlang.release.ledger.entry import canonical
from seqlang.release.pricing import adjacency, price, proved
from seqlang.release.resuming import outcome_in
from seqlang.release.transcript import rational_in, value_out, written
from seqlang.source import Source


class Hidden(Exception):
    """A private value was asked for."""


class _Known(dict[str, Any]):
    """What is known by name; the rest is hidden."""

    def __missing__(self, name: str) -> Any:
        raise Hidden


class _Disagrees(Exception):
    """A decision is not what follows from what was released."""


UNKNOWN = object()
"""What does not follow from what was released."""
UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What rows may raise that somebody forged: he writes into them what he likes."""
NOT_UNDERSTOOD = "its rows are not understood"
LONGEST = 10**9
"""Steps: no release has made more, and steps between looks are made again one by one."""


def faults_of(book: Book) -> Iterator[str]:
    """What is wrong, a sentence each. The chain itself was checked when the ledger was read."""
    for account in book.accounts.values():
        if not account.spent.fits(account.budget):
            yield f"the account `{account.name}` is overdrawn: {account.spent.text} of {account.budget.text}"
    for reference in book.overdrawn:
        yield f"`{reference}`: the budget did not cover its price when it was charged"
    for charge in book.charges.values():
        if charge.spec != "" or charge.looks or charge.earlier:
            found = fault_of(charge) or _not_paid(charge, book.accounts[charge.account])
            if found is not None:
                yield f"`{charge.reference}`: {found}"


def _not_paid(charge: Charge, account: Account) -> str | None:
    """What is proved of the program is proved once more: the price is no less than that, and about the neighbours of
    the account."""
    try:
        program = loaded_of(charge).program
        who = adjacency(program, charge.reading)
        least = _least_price(charge.spec, charge.settings, account.budget)
    except SpecError as why:
        return f"its price is not proved: {why}"
    except UNREADABLE:
        return NOT_UNDERSTOOD
    if not account.pays_for(who):
        return f"its price is about neighbours `{who}`, and the account about `{account.adjacency}`"
    return None if least.fits(charge.price) else f"its price was {charge.price.text}, and {least.text} is proved"


@lru_cache(64)
def _least_price(spec: str, settings: tuple[tuple[str, str], ...], budget: Amount) -> Amount:
    """Raises SpecError where nothing is proved."""
    return price(proved(_loaded("", spec, settings), budget), budget)


def digest_of(loaded: Loaded, account: str, reading: Mapping[str, Any]) -> str:
    """Of the program's text, its parameters' values, the account and how rows are read: never of rows."""
    settings = [(p.name, str(p.value)) for p in loaded.program.parameters]
    said = canonical({"spec": loaded.source.text, "settings": settings, "account": account, "reading": reading})
    return hashlib.sha256(said.encode()).hexdigest()


def loaded_of(charge: Charge) -> Loaded:
    """The program that was charged for. Raises SpecError where its text is refused."""
    return _loaded(charge.reference, charge.spec, charge.settings)


def _loaded(name: str, spec: str, settings: Iterable[tuple[str, str]]) -> Loaded:
    return load(Source(name, spec), {parameter: rational_in(value) for parameter, value in settings})


def fault_of(charge: Charge) -> str | None:
    """What is wrong with one release; None if nothing is."""
    try:
        loaded = loaded_of(charge)
        if digest_of(loaded, charge.account, charge.reading) != charge.digest:
            return "its program is not the one that was charged for"
        against = obstacles(loaded.program)
        if against:
            return f"its program is not released: {against[0]}"
        found = (disagreement(loaded.program, looks) for looks in (*charge.earlier, charge.looks))
        return next((wrong for wrong in found if wrong is not None), None)
    except SpecError as why:
        return f"its program is refused: {why}"
    except UNREADABLE:
        return NOT_UNDERSTOOD


def disagreement(program: Program, looks: Sequence[Mapping[str, Any]]) -> str | None:
    """Where what was released does not follow from what was released before; None if it does."""
    try:
        return _disagreement(program, looks)
    except UNREADABLE:
        return NOT_UNDERSTOOD
    except NotExact as why:
        return f"this program is not released, though its discrete twin may be: {why}"


def _disagreement(program: Program, looks: Sequence[Mapping[str, Any]]) -> str | None:
    written = {look["step"]: look for look in looks}
    if sorted(written) != [look["step"] for look in looks] or min(written, default=1) < 1:
        return "its looks are not in order"
    if max(written, default=1) > LONGEST:
        return f"it has a look after more than {LONGEST:,} steps"
    unknown = {name for look in looks for name in look.get("reports", {})} - set(program.report_names)
    if unknown:
        return f"it shows `{min(unknown)}`, which the program does not report"
    try:
        replayed(program, looks)
    except _Disagrees as why:
        return str(why)
    except Hidden:
        return None  # a fold for each record: nothing follows without them
    return None


def replayed(program: Program, looks: Sequence[Mapping[str, Any]]) -> BlindRun:
    """Where the program stands after these looks, as far as it follows from them. Raises Hidden where nothing does."""
    looked = {look["step"]: look for look in looks}
    run = BlindRun(program, _agreeing(looked))
    for step in range(1, max(looked, default=0) + 1):
        if run.stopped:
            raise _Disagrees(f"it goes on after it has stopped in step {step - 1}")
        look = run.advance({})
        if _has_failed(looked.get(step, {})):
            run.stopped, look = True, run.failed()
        made = written(look)
        if step in looked and canonical(made) != canonical(looked[step]):
            raise _Disagrees(f"its look of step {step} is not written as looks are")
    return run


def _has_failed(look: Mapping[str, Any]) -> bool:
    """Whether the step could not be made to its end: what it would have shown then is not missing."""
    return look.get("by") == 0


def _agreeing(written: Mapping[int, Mapping[str, Any]]) -> Decide:
    """Shows what was written, which must be what follows where that can be computed without private values."""

    def decide(step: int, statement: Report | Stop, compute: Callable[[], Outcome]) -> Outcome:
        look = written.get(step, {})
        wanted = outcome_in(look, statement)
        if _has_failed(look) and not wanted[0]:
            return wanted
        made, shown = compute()
        made = wanted[0] if made is UNKNOWN else made
        found = (True, wanted[1] if shown is UNKNOWN else shown) if made else (False, None)
        if found != wanted or (shown is UNKNOWN and made and wanted[1] is None):
            name = statement.name if isinstance(statement, Report) else f"stop {statement.index}"
            raise _Disagrees(
                f"in step {step} `{name}` was {_said(wanted)}, and {_said(found)} follows from what was released"
            )
        return found

    return decide


class BlindRun(ExactRun):
    """Without entries and noise: what reads them is hidden, and so is what reads that."""

    def __init__(self, program: Program, decide: Decide) -> None:
        self._lost: set[str] = set()
        super().__init__(program, decide=decide, ahead=0)
        self.fields = _Known()
        self.locals, self.memory = _Known(), _Known(self.memory)

    @property
    def records(self) -> range:
        """Nobody but the owner knows how many there are."""
        raise Hidden

    @records.setter
    def records(self, value: range) -> None: ...

    def _statement(self, statement: object) -> Callable[[], None]:
        run = super()._statement(statement)

        def guarded() -> None:
            try:
                run()
            except (Hidden, NoValue, Undecided):
                self._hide(statement)

        return guarded

    def _outcome(self, when: Expression | None, value: Expression | None, plain: Any) -> Callable[[], Outcome]:
        test, code = self._test(when), None if value is None else self.compiler.compile(value)

        def known(part: Code) -> Any:
            try:
                return part(self)
            except (Hidden, NoValue, Undecided):
                return UNKNOWN

        def compute() -> Outcome:
            made = True if test is None else known(test)
            return made, None if made is False else plain if code is None else known(code)

        return compute

    def _hide(self, statement: object) -> None:
        match statement:
            case Define(name):
                self.locals.pop(name, None)
            case Cell(name):
                self._lost.add(name)
            case Update(memory):
                self.memory.pop(memory, None)
                self.changes += 1

    def cell(self, name: str, key: tuple[Any, ...]) -> Any:
        if name in self._lost:
            raise Hidden
        return super().cell(name, key)

    def noise(self, name: str, shape: tuple[int, ...]) -> Any:
        raise Hidden

    def drawn(self, name: str) -> Any:
        raise Hidden

    def flipped(self, name: str, read: Noised, value: Any) -> Any:
        raise Hidden


def _said(outcome: Outcome) -> str:
    made, value = outcome
    return "not made" if not made else "made" if value is None else f"made, {value_out(value)}"
