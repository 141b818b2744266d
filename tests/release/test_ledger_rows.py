"""The ledger: what is charged, what is refused, what is noticed."""

from __future__ import annotations

import sqlite3
from fractions import Fraction
from pathlib import Path

import pytest

from seqlang.cli.__main__ import main
from seqlang.diagnostics import SpecError
from seqlang.driver import load
from seqlang.release.ledger.book import Book, Charge
from seqlang.release.ledger.budget import Amount, amount_of, within
from seqlang.release.ledger.entry import canonical
from seqlang.release.ledger.store import SqliteStore
from seqlang.release.pricing import adjacency
from seqlang.source import Source

REPLACE = "replace one"


def book(path: Path, budget: str = "pure(1)", key: bytes | None = None) -> Book:
    made = Book(SqliteStore(path, make=True), key)
    made.open_account("mine", REPLACE, amount_of(budget, "budget"))
    return made


def charge(name: str, price: str, account: str = "mine") -> Charge:
    return Charge(name, account, amount_of(price, "price"), "", (), "digest")


def test_ten_tenths_are_the_whole_budget(tmp_path: Path) -> None:
    made = book(tmp_path / "a")
    for i in range(10):
        made.charge(charge(f"release {i}", "pure(1/10)"), REPLACE)
        made = Book(SqliteStore(tmp_path / "a"))  # as the next process finds it
    assert made.account(None).left == Amount("pure", Fraction(0))
    with pytest.raises(SpecError, match="left pure"):
        made.charge(charge("one more", "pure(1/1000000000000000000000000)"), REPLACE)


def test_a_reference_is_charged_once_and_for_one_thing(tmp_path: Path) -> None:
    made = book(tmp_path / "a")
    for _ in range(3):
        made.charge(charge("a", "pure(1/2)"), REPLACE)
    assert made.account(None).left.epsilon == Fraction(1, 2)
    with pytest.raises(SpecError, match="something else"):
        made.charge(charge("a", "pure(1/4)"), REPLACE)
    with pytest.raises(SpecError, match="neighbours"):
        made.charge(charge("b", "pure(1/4)"), "add or remove one")
    with pytest.raises(SpecError, match="no account"):
        made.charge(charge("b", "pure(1/4)", "yours"), REPLACE)
    with pytest.raises(SpecError, match="has an account"):
        made.open_account("mine", REPLACE, amount_of("pure(1)", "budget"))


def test_refunds_are_rows_and_only_before_data_are_read(tmp_path: Path) -> None:
    made = book(tmp_path / "a")
    made.charge(charge("a", "pure(1)"), REPLACE)
    made.refund("a", "the study was cancelled")
    assert made.account(None).left.epsilon == 1
    with pytest.raises(SpecError, match="refunded already"):
        made.refund("a", "again")
    with pytest.raises(SpecError, match="was refunded"):
        made.charge(charge("a", "pure(1)"), REPLACE)
    made.charge(charge("b", "pure(1)"), REPLACE)
    made.begin("b")
    with pytest.raises(SpecError, match="data were read"):
        made.refund("b", "too late")
    assert [entry.kind for entry in made.store.entries()] == [
        "ledger",
        "account",
        "charge",
        "refund",
        "charge",
        "begin",
    ]


def test_looks_come_one_after_the_other(tmp_path: Path) -> None:
    made = book(tmp_path / "a")
    made.charge(charge("a", "pure(1)"), REPLACE)
    with pytest.raises(SpecError, match="not begun"):
        made.looks("a", 1, [{"step": 1}])
    made.begin("a")
    other = Book(SqliteStore(tmp_path / "a"))
    made.looks("a", 1, [{"step": 1}])
    with pytest.raises(SpecError, match="another process"):
        other.looks("a", 1, [{"step": 2}])
    other.looks("a", 2, [{"step": 2}])
    made.refresh()
    assert made.charges["a"].looks == [{"step": 1}, {"step": 2}]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET body = replace(body, 'pure(1)', 'pure(9)') WHERE kind = 'account'",
        "UPDATE entries SET at = '' WHERE number = 2",
        "DELETE FROM entries WHERE number = 2",
        "UPDATE entries SET digest = 'x' WHERE number = 2",
        "UPDATE entries SET kind = 'ledger' WHERE number = 2",
    ],
)
def test_changes_are_noticed(tmp_path: Path, change: str) -> None:
    made = book(tmp_path / "a")
    made.charge(charge("a", "pure(1)"), REPLACE)
    made.store.close()
    with sqlite3.connect(tmp_path / "a") as raw:
        with pytest.raises(sqlite3.IntegrityError):
            raw.execute(change)
        for name in ("kept_as_written", "kept_for_ever"):
            raw.execute(f"DROP TRIGGER {name}")
        raw.execute(change)
    raw.close()
    with pytest.raises(SpecError, match="not what was written"):
        Book(SqliteStore(tmp_path / "a"))


def test_a_signed_ledger_knows_its_key(tmp_path: Path) -> None:
    book(tmp_path / "a", key=b"k" * 32).store.close()
    Book(SqliteStore(tmp_path / "a"), b"k" * 32)
    with pytest.raises(SpecError, match="not signed by this key"):
        Book(SqliteStore(tmp_path / "a"), b"other" * 8)


def test_what_is_no_ledger(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database at all, and long enough to be one " * 100)
    sqlite3.connect(tmp_path / "empty").execute("CREATE TABLE a (b)").connection.commit()
    for name in ("text", "empty", "missing"):
        with pytest.raises(SpecError):
            Book(SqliteStore(tmp_path / name))
    newer = sqlite3.connect(tmp_path / "newer")
    newer.execute("PRAGMA user_version = 99")
    newer.commit()
    with pytest.raises(SpecError, match="newer"):
        SqliteStore(tmp_path / "newer")


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("pure(1/10)", Amount("pure", Fraction(1, 10))),
        (" zcdp( 0.5 ) ", Amount("zcdp", Fraction(1, 2))),
        ("rdp(8, 1)", Amount("rdp", Fraction(1), order=Fraction(8))),
        ("dp(1, 1e-6)", Amount("dp", Fraction(1), Fraction(1, 10**6))),
    ],
)
def test_amounts(text: str, amount: Amount) -> None:
    assert amount_of(text, "a") == amount == amount_of(amount.text, "a")


@pytest.mark.parametrize("text", ["", "pure", "pure()", "pure(-1)", "pure(nan)", "pure(1e999999)", "dp(1)", "dp(1, 1)",
                                  "rdp(1, 1)", "pure(1/0)", "pure(1,1)", "eps(1)", "pure(inf)"])  # fmt: skip
def test_what_is_no_amount(text: str) -> None:
    with pytest.raises(SpecError):
        amount_of(text, "a")


def test_no_amount_is_written_that_cannot_be_read(tmp_path: Path) -> None:
    """Each of these is charged and read again, or refused; the ledger opens after it."""
    book(tmp_path / "a", "pure(2)").store.close()
    taken = 0
    prices = ("1e-300", "1e-999", "1e-1000", "1e-9999", "1e-99999", "1/3", f"1/{'7' * 999}", f"1/{'7' * 1001}",
              "0." + "3" * 998, "0." + "3" * 2000, f"1/{10**4500 + 1:x}")  # fmt: skip
    for number, price in enumerate(prices):
        made = Book(SqliteStore(tmp_path / "a"))
        try:
            made.charge(charge(f"{number}", f"pure({price})"), REPLACE)
            taken += 1
        except SpecError:
            pass
        made.store.close()
        made = Book(SqliteStore(tmp_path / "a"))
        assert len(made.charges) == taken and made.account(None).left.text
        made.store.close()
    assert taken >= 5


def test_sums_that_are_too_long_to_be_written_are_refused(tmp_path: Path) -> None:
    made = book(tmp_path / "a", "pure(2)")
    with pytest.raises(SpecError, match="more digits"):
        for number in range(9):
            made.charge(charge(f"{number}", f"pure(1/{10**900 + 2 * number + 1})"), REPLACE)
    assert len(made.account(None).spent.text) < 4500
    made.store.close()
    assert Book(SqliteStore(tmp_path / "a")).account(None).left.text


def test_a_price_that_was_not_made_by_this_code_is_checked_too(tmp_path: Path) -> None:
    """As an exact bound of a program may be: no code has read it before it is charged."""
    made = book(tmp_path / "a")
    long = Charge("long", "mine", Amount("pure", Fraction(1, 10**1200)), "", (), "")
    odd = Charge("odd", "mine", Amount("dp", Fraction(1), Fraction(2)), "", (), "")
    with pytest.raises(SpecError, match="digits"):
        made.charge(long, REPLACE)
    with pytest.raises((SpecError, AssertionError)):
        made.charge(odd, REPLACE)
    with pytest.raises(SpecError, match="could not be read again"):
        made.open_account("other", REPLACE, Amount("dp", Fraction(1), Fraction(2)))
    with pytest.raises(SpecError, match="no text"):
        made.charge(charge("\udcff", "pure(1/2)"), REPLACE)
    made.charge(charge("good", "pure(1/2)"), REPLACE)
    again = Book(SqliteStore(tmp_path / "a"))
    assert list(again.charges) == ["good"] and list(again.accounts) == ["mine"] and again.head == made.head


def test_a_budget_that_is_refused_leaves_no_file(tmp_path: Path) -> None:
    words = ["--data", "d", "--adjacency", REPLACE, "--budget", "pure(1e-9999)"]
    assert main(["ledger", "open", str(tmp_path / "a"), *words]) == 2
    assert not (tmp_path / "a").exists()


def test_a_budget_kept_in_zcdp_implies_it() -> None:
    """rho + 2 sqrt(rho log(1 / delta)) <= epsilon (Bun & Steinke 2016, Proposition 1.3), and not much less."""
    from mpmath import log, mpf, sqrt

    for epsilon, delta in ((1, "1e-6"), ("1/10", "1e-9"), (20, "1/3")):
        asked = amount_of(f"dp({epsilon}, {delta})", "a")
        rho = within(asked).epsilon
        exact = mpf(rho.numerator) / rho.denominator
        reached = exact + 2 * sqrt(exact * log(mpf(asked.delta.denominator) / asked.delta.numerator))
        assert reached <= mpf(asked.epsilon.numerator) / asked.epsilon.denominator < reached * 1.001


def test_no_float_is_written() -> None:
    with pytest.raises(TypeError):
        canonical({"a": [1, {"b": 0.5}]})


@pytest.mark.parametrize(
    ("declared", "parameter", "other", "words"),
    [
        ("replace k", "k", "n", "replace 3"), ("replace k * k + 1", "k", "n", "replace 10"),
        ("one x within k / 4", "k", "n", "one x within 0.75"), ("every k * x within 1", "k", "n", "every 3*x within 1"),
    ],
)  # fmt: skip
def test_neighbours_are_told_apart_by_numbers_and_not_by_letters(
    declared: str, parameter: str, other: str, words: str
) -> None:
    def of(name: str, value: int) -> str:
        text = f"""algorithm a
param {name} in 1.. = 1
stream x in [0, 1]
adjacent {declared.replace(parameter, name)}
statistic s = sum(x over steps)
stop when s >= 3
"""
        return adjacency(load(Source("a.seq", text), {name: Fraction(value)}).program)

    assert of(parameter, 3) == of(other, 3)
    assert of(parameter, 3) != of(parameter, 1)
    assert of(parameter, 3).replace(" ", "") == words.replace(" ", "")
