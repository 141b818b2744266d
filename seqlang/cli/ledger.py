"""`seqlang ledger`: accounts of privacy, and every look that was released."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seqlang.cli.options import Parser
from seqlang.cli.terminal.output import print_json
from seqlang.diagnostics import SpecError

if TYPE_CHECKING:
    from argparse import Namespace

    from seqlang.release.ledger.book import Book, Charge
    from seqlang.release.ledger.budget import Amount

_EXAMPLES = """\
  seqlang ledger open trial.sqlite --data "trial 17" --adjacency "replace one" --budget "pure(1)"
  seqlang ledger show trial.sqlite
  seqlang ledger charge trial.sqlite --price "pure(1/10)" --reference "table 2" --because "published by hand"
  seqlang ledger adopt restored.sqlite   (goes on with a copy, and charges every open release again)
  seqlang ledger verify trial.sqlite --anchor 3f9c..   (a digest that `show` printed earlier, kept elsewhere)
  seqlang ledger export trial.sqlite > trial.jsonl"""
_WORDS = ("open", "show", "charge", "refund", "adopt", "verify", "export")
_READING = frozenset({"show", "verify", "export"})


def run(arguments: list[str]) -> int:
    """One of the words of `_WORDS`."""
    from seqlang.cli.release import _key as key_of
    from seqlang.release.ledger.book import Book
    from seqlang.release.ledger.places import store_at

    options = parser().parse_args(arguments)
    if options.word == "open":
        _budget(options)  # before a file is made
    store = store_at(options.file, opening=options.word == "open", reading=options.word in _READING)
    try:
        return _ACTIONS[options.word](Book(store, key_of(options.key)), options)
    finally:
        store.close()


def _budget(options: Namespace) -> Amount:
    from seqlang.release.ledger.budget import amount_of, within

    budget = amount_of(_needed(options.budget, "--budget"), "--budget")
    return within(budget) if options.by == "zcdp" else budget


def _open(book: Book, options: Namespace) -> int:
    budget, name = _budget(options), _needed(options.data, "--data")
    book.open_account(name, _needed(options.adjacency, "--adjacency"), budget)
    print(f"account `{name}`: {budget.text}, neighbours {options.adjacency}")
    return 0


def _show(book: Book, options: Namespace) -> int:
    if options.json:
        print_json(_as_dict(book))
        return 0
    for account in book.accounts.values():
        print(f"{account.name}: {account.left.text} left of {account.budget.text}, neighbours {account.adjacency}")
        for charge in book.charges.values():
            if charge.account == account.name:
                print(f"  {charge.reference}  {charge.price.text}  {_state(charge)}")
    print(f"head {book.head}")
    if book.copied is not None:
        print(f"only read: {book.copied}")
    return 0


def _state(charge: Charge) -> str:
    if charge.refunded:
        return "refunded"
    said = f"{charge.shown} looks" if charge.attempts else "not begun"
    if charge.attempts > 1:
        said += f", {charge.attempts} processes have read its data"
    if charge.times > 1:
        said += f", charged {charge.times} times"
    return said + ", ended" if charge.ended else said


def _as_dict(book: Book) -> dict[str, Any]:
    return {
        "schema": 1,
        "accounts": [
            {"name": a.name, "adjacency": a.adjacency, "budget": a.budget.text, "spent": a.spent.text,
             "left": a.left.text}
            for a in book.accounts.values()
        ],
        "charges": [
            {"reference": c.reference, "account": c.account, "price": c.price.text, "refunded": c.refunded,
             "looks": list(c.looks), "times": c.times, "attempts": c.attempts, "ended": c.ended}
            for c in book.charges.values()
        ],
        "head": book.head, "only_read": book.copied,
    }  # fmt: skip


def _charge(book: Book, options: Namespace) -> int:
    from seqlang.release.ledger.book import Charge
    from seqlang.release.ledger.budget import amount_of

    account = book.account(options.account)
    price = amount_of(_needed(options.price, "--price"), "--price")
    if (price.notion, price.order) != (account.budget.notion, account.budget.order):
        raise SpecError.of("E0603", f"--price {price.text}: the account is kept in {account.budget.text}")
    reference = _needed(options.reference, "--reference")
    made = book.charge(Charge(reference, account.name, price, "", (), options.because or ""), account.adjacency)
    print(f"charged {made.price.text} to `{account.name}`: {book.account(account.name).left.text} left")
    return 0


def _refund(book: Book, options: Namespace) -> int:
    book.refund(_needed(options.reference, "--reference"), _needed(options.because, "--because"))
    print(f"refunded `{options.reference}`")
    return 0


def _adopt(book: Book, options: Namespace) -> int:
    again, ended = book.adopt()
    for reference in again:
        print(f"charged again: {reference}, {book.charges[reference].price.text}; it begins anew")
    for reference in ended:
        print(f"ended: {reference}, whose price the budget does not cover again")
    for account in book.accounts.values():
        print(f"{account.name}: {account.left.text} left of {account.budget.text}")
    print("what was charged to the other copy since this one was made is not in it: `seqlang ledger charge` adds it")
    return 0


def _verify(book: Book, options: Namespace) -> int:
    from seqlang.release.verification import faults_of

    found = list(faults_of(book))
    if options.anchor and options.anchor not in book.digests:
        found.append(
            "the row with the digest of --anchor is not there: rows were taken off the end, or it is another ledger"
        )
    for fault in found:
        print(fault)
    if not found:
        print(
            f"{len(book.digests):,} rows, {len(book.charges):,} charges: every decision follows from what was released"
        )
        if not options.anchor:
            print("rows taken off the end show only against a digest kept elsewhere: --anchor DIGEST")
    return 2 if found else 0


def _export(book: Book, options: Namespace) -> int:
    import json

    for entry in book.store.entries():
        fields = ("number", "at", "kind", "previous", "digest", "signature")
        print(json.dumps({**{name: getattr(entry, name) for name in fields}, "body": entry.content}, sort_keys=True))
    return 0


_ACTIONS = {
    "open": _open, "show": _show, "charge": _charge, "refund": _refund, "adopt": _adopt, "verify": _verify,
    "export": _export,
}  # fmt: skip


def _needed(value: str | None, option: str) -> str:
    if not value:
        raise SpecError.of("E0601", f"{option} is missing", help="`seqlang ledger --help` has examples")
    return value


def parser() -> Parser:
    parser = Parser("ledger", "Accounts of privacy, and every look that was released.", _EXAMPLES)
    parser.add_argument("word", metavar="open|show|charge|refund|adopt|verify|export", choices=_WORDS)
    parser.add_argument("file", metavar="FILE", help="the ledger, or postgresql://..")
    parser.add_argument("--data", metavar="NAME", help="open: what the account is called")
    parser.add_argument("--adjacency", metavar="WORDS", help='open: who is a neighbour, "replace one; public arm"')
    parser.add_argument("--budget", metavar="AMOUNT", help='open: "pure(1)", "zcdp(1/2)", "rdp(8, 1)", "dp(1, 1e-6)"')
    parser.add_argument("--by", choices=("zcdp",), help="open: keep a budget dp(..) in zCDP, where sums are smaller")
    parser.add_argument("--account", metavar="NAME", help="charge: the one that pays (the only one)")
    parser.add_argument("--price", metavar="AMOUNT", help="charge: what something else than a release has cost")
    parser.add_argument("--reference", metavar="NAME", help="charge, refund: what it is called")
    parser.add_argument("--because", metavar="TEXT", help="charge, refund: why")
    parser.add_argument("--anchor", metavar="DIGEST", help="verify: a digest that must be there")
    parser.add_argument("--key", metavar="FILE", help="what the rows are signed with")
    parser.add_argument("--json", action="store_true", help="show: as JSON")
    return parser
