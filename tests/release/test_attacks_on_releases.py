"""What an adversary may try: each attack is made, and must fail."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from mpmath import log, mp, mpf
from released import BLOCK, HEAD, THRESHOLD, entries, ledger, loaded, program, released, terms_of

from seqlang.cli.ledger import run as ledger_command
from seqlang.cli.release import run as release_command
from seqlang.diagnostics import SpecError
from seqlang.driver import check, load
from seqlang.release.exact.functions import NoValue
from seqlang.release.exact.plan import obstacles
from seqlang.release.exact.run import ExactRun
from seqlang.release.exact.samplers import Below
from seqlang.release.ledger.book import Book, Charge
from seqlang.release.ledger.budget import amount_of
from seqlang.release.ledger.entry import FIRST, Entry, chained, faults
from seqlang.release.ledger.entry import digest_of as row_digest
from seqlang.release.ledger.store import Held, SqliteStore
from seqlang.release.live import Waiting, piped
from seqlang.release.pricing import adjacency
from seqlang.release.releasing import agreed, release
from seqlang.release.rows import Form, Rows
from seqlang.release.verification import digest_of, faults_of
from seqlang.release.watching import from_ledger
from seqlang.source import Source


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("statistic m = max(step where x > 0 over steps)\nstop when m >= 3\n", "over time"),
        ("stop when max(i for i in 1..3 where x > 0) >= 3\n", "none"),
        ("statistic c = (if x > 0 then [1, 2] else [1])\nstop when sum(c) >= 2\n", "length"),
        ("statistic c = [i for i in 1..3 where x > 0]\nstop when sum(c) >= 2\n", "private"),
        ("stop when sum(x over steps) >= exp(log(3))\n", "rational"),
        ("stop when x * sqrt(2) >= 1\n", "rational"),
        ("report r = log(2)\nstop when step >= 2\n", "rational"),
        ("memory m = 1\nupdate m = exp(m)\nreport r = x + m\n", "rational"),
        ("stop when step >= 3 return sqrt(2)\n", "returned"),
        ("draw z ~ {1: exp(-1), 2: 1} once\nreport r = z\n", "rational"),
    ],
)
def test_programs_that_private_values_could_make_fail(body: str, why: str) -> None:
    try:
        made = program(HEAD + body)
    except SpecError:
        pytest.fail("the program is refused before: the test shows nothing")
    found = obstacles(made)
    assert any(why in sentence for sentence in found), found


@pytest.mark.parametrize(
    "body",
    [
        "dataset x in {0, 1} size 3\nadjacent add or remove 1\nstop return max(x)\n",
        "dataset x in {0, 1} size 3\nadjacent add or remove 1\nstop return x[1]\n",
        "dataset x in {0, 1} size 3\nadjacent add or remove 1\nstop return max(x[i] for i in records)\n",
    ],
)
def test_records_that_may_not_be_there(body: str) -> None:
    assert obstacles(program("algorithm a\n" + body))


def test_least_significant_bits_and_precision() -> None:
    """Mironov 2012: a released number betrays its entry by its last digits. Where entries lie off the grid of the noise
    nothing is proved, and on the grid whole numbers are released."""
    off = "algorithm a\nstream x in [0, 1]\nreport s = sum(x over steps)\nattach geometric(1/2) to s\n"
    claimed = loaded(off + "stop when step >= 2\nclaim strong pure(10)\n")
    assert [v.verdict for v in check(claimed).verdicts] == ["refuted"]
    made, coins = program(BLOCK), random.Random(1)
    for _ in range(50):
        run = ExactRun(made, below=coins.randrange)
        for x in (Fraction(1), 0, 1):
            look = run.advance({"x": x})
        (_, _), (_, ones) = look.reports
        assert Fraction(ones).denominator == 1 and not isinstance(ones, float)


@pytest.mark.parametrize("order", [1, -1])
def test_sums_neither_overflow_nor_depend_on_the_order(order: int) -> None:
    """Casacuberta et al. 2022: in machine numbers a sum near 2^63 wraps, and one of floats depends on the order."""
    made = program("algorithm a\nstream x in integers\nreport s = sum(x over steps)\nstop when step >= 4\n"
                   .replace("integers", f"-{2**62}..{2**62}"))  # fmt: skip
    values = [2**62, 2**62, 2**62, -1][::order]
    run = ExactRun(made)
    for value in values:
        look = run.advance({"x": value})
    assert dict(look.reports)["s"] == 3 * 2**62 - 1
    tiny = program("algorithm a\nstream x in [-1, 1]\nreport s = sum(x over steps)\nstop when step >= 3\n")
    rows = [Fraction(1), Fraction(1, 10**300), Fraction(-1)][::order]
    run = ExactRun(tiny)
    for value in rows:
        look = run.advance({"x": value})
    assert dict(look.reports)["s"] == Fraction(1, 10**300)


def test_bytes_from_standard_input_move_no_row() -> None:
    out, into = os.pipe()
    os.write(into, b'x\n1\n\xff\xfe\r1\n"1\n\x00\n1\n')
    os.close(into)
    rows = Rows(program(HEAD + "stop when x > 2\n"), piped(out), "-", Form())
    assert [row["x"] for row in rows if not isinstance(row, Waiting)] == [1, 0, 0, 0, 1]
    os.close(out)


def test_a_heading_that_is_no_heading_is_not_repeated() -> None:
    with pytest.raises(SpecError) as told:
        Rows(program(HEAD + "stop when x > 2\n"), iter(["7391,secret\n"]), "a.csv", Form())
    assert "7391" not in str(told.value) and "secret" not in str(told.value)


def test_a_refund_between_the_charge_and_the_first_row(tmp_path: Path) -> None:
    """The other process gives back what this one is about to use."""
    book, opened = ledger(tmp_path / "a"), []
    terms = terms_of(BLOCK, book)

    class Refunded(SqliteStore):
        def hold(self, name: str) -> Held | None:
            Book(SqliteStore(tmp_path / "a")).refund(name, "quickly")
            return super().hold(name)

    def rows() -> object:
        opened.append(1)
        return entries("111")()

    with pytest.raises(SpecError, match="was refunded"):
        release(terms, Book(Refunded(tmp_path / "a")), rows)  # type: ignore[arg-type]
    assert not opened


def test_other_columns_are_another_release(tmp_path: Path) -> None:
    """Who goes on with another column would see two people for the price of one."""
    (tmp_path / "a.csv").write_text("x,y\n" + "1,0\n" * 4)
    (tmp_path / "a.seq").write_text(BLOCK)
    ledger(tmp_path / "a.db", "pure(1)").store.close()
    command = [str(tmp_path / "a.seq"), "--data", str(tmp_path / "a.csv"), "--ledger", str(tmp_path / "a.db")]
    assert release_command([*command, "--reference", "r"]) == 0
    for other in (["--columns", "x=y"], ["--missing", "1"], ["--id", "y"]):
        with pytest.raises(SpecError, match="charged for something else"):
            release_command([*command, "--reference", "r", *other])


def charge(name: str, price: str) -> Charge:
    return Charge(name, "mine", amount_of(price, "price"), "", (), "by hand")


def test_charges_that_are_too_small_to_see(tmp_path: Path) -> None:
    """In machine numbers 1 + 1e-300 is 1, and such charges are free."""
    book = ledger(tmp_path / "a")
    book.charge(charge("most", "pure(1)"), "replace one")
    for price in ("pure(1e-300)", f"pure(1/{10**190})"):
        with pytest.raises(SpecError, match="the price is"):
            book.charge(charge(price, price), "replace one")
    assert not list(faults_of(book))


def test_a_clock_that_is_set_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ledger(tmp_path / "a")
    for year in (2030, 1999):

        class Clock:
            now = staticmethod(lambda zone, year=year: datetime(year, 1, 1, tzinfo=zone))

        monkeypatch.setattr("seqlang.release.ledger.book.datetime", Clock)
        made.charge(charge(f"{year}", "pure(1/2)"), "replace one")
    assert [e.at[:4] for e in made.store.entries()][2:] == ["2030", "1999"]
    assert made.account(None).left.epsilon == 0 and not list(faults_of(Book(SqliteStore(tmp_path / "a"))))


def test_rows_taken_off_the_end_show_against_an_anchor_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = ledger(tmp_path / "a")
    book.store.close()
    shutil.copy(tmp_path / "a", tmp_path / "copy")
    book = ledger(tmp_path / "a")
    book.charge(charge("all", "pure(1)"), "replace one")
    anchor = book.head
    book.store.close()
    for suffix in ("", "-wal", "-shm"):
        (tmp_path / f"a{suffix}").unlink(missing_ok=True)
    shutil.copy(tmp_path / "copy", tmp_path / "a")  # the file as it was, or a copy of it that somebody kept
    assert ledger_command(["verify", str(tmp_path / "a")]) == 0
    assert "--anchor" in capsys.readouterr().out  # it says that this is not seen
    assert ledger_command(["verify", str(tmp_path / "a"), "--anchor", anchor]) == 2


def test_a_file_that_is_set_back_under_an_open_ledger(tmp_path: Path) -> None:
    book = ledger(tmp_path / "a")
    book.charge(charge("half", "pure(1/2)"), "replace one")
    raw = sqlite3.connect(tmp_path / "a", isolation_level=None)
    raw.execute("DROP TRIGGER kept_for_ever")
    raw.execute("DELETE FROM entries WHERE number = 3")
    with pytest.raises(SpecError, match="not now"):
        book.charge(charge("more", "pure(1)"), "replace one")


def forged(path: Path, *rows: tuple[str, dict[str, object]]) -> None:
    """Rows with a good chain, which no ledger adds."""
    store = SqliteStore(path)
    last = store.entries()[-1]
    with store.transaction():
        for kind, body in rows:
            last = chained(last, "", kind, body, None)
            store.append(last)
    store.close()


ACCOUNT = {"name": "mine", "adjacency": "replace one", "budget": "pure(9)"}
PRICE = {"account": "mine", "price": "pure(1)", "spec": "", "settings": [], "digest": "", "reading": {}}


@pytest.mark.parametrize(
    "rows",
    [
        (("account", ACCOUNT),),
        (("charge", {**PRICE, "reference": "a"}), ("charge", {**PRICE, "reference": "a"})),
        (("charge", {**PRICE, "reference": "a"}), *(("refund", {"reference": "a", "because": ""}),) * 2),
        (("charge", {**PRICE, "reference": "a"}), ("begin", {"reference": "a"}), ("refund", {"reference": "a"})),
        (("charge", {**PRICE, "reference": "a"}), ("look", {"reference": "a", "look": {"step": 1}})),
        (("charge", {**PRICE, "reference": "a", "price": "pure(-1)"}),),
        (("charge", {**PRICE, "reference": "a", "account": "yours"}),),
        (("gift", {"reference": "a"}),),
        (("look", {"reference": "a", "look": {"step": 1}}),),
    ],
)
def test_rows_that_no_ledger_adds(tmp_path: Path, rows: tuple[tuple[str, dict[str, object]], ...]) -> None:
    ledger(tmp_path / "a").store.close()
    forged(tmp_path / "a", *rows)
    with pytest.raises(SpecError, match="not what was written"):
        Book(SqliteStore(tmp_path / "a"))


def test_a_budget_that_was_overdrawn_in_between(tmp_path: Path) -> None:
    ledger(tmp_path / "a").store.close()
    forged(tmp_path / "a", *(("charge", {**PRICE, "reference": name}) for name in "ab"),
           ("refund", {"reference": "b", "because": ""}))  # fmt: skip
    assert any("did not cover" in fault for fault in faults_of(Book(SqliteStore(tmp_path / "a"))))


def test_signed_and_unsigned_rows_do_not_mix(tmp_path: Path) -> None:
    made = Book(SqliteStore(tmp_path / "a", make=True), b"k" * 32)
    made.open_account("mine", "replace one", amount_of("pure(1)", ""))
    with pytest.raises(SpecError, match="signed"):
        Book(SqliteStore(tmp_path / "a")).charge(charge("a", "pure(1)"), "replace one")


def test_looks_that_do_not_follow_are_not_gone_on_with(tmp_path: Path) -> None:
    """Also: a look of the second stop is not taken for one of the first."""
    for seed in range(6):
        book = ledger(tmp_path / f"{seed}")
        found = released(book, BLOCK, "000" * 6, below=random.Random(seed).randrange)
        assert found.stopped and not list(faults_of(book))
    book = ledger(tmp_path / "a")
    terms = terms_of(BLOCK, book)
    spec, cost = terms.loaded.source.text, terms.price
    book.charge(Charge(terms.reference, "mine", cost, spec, terms.settings, terms.digest, terms.reading), "replace one")
    book.begin(terms.reference)
    book.looks(terms.reference, 1, [{"step": 2, "reports": {"block": True, "ones": 9}}])
    assert list(faults_of(book))
    with pytest.raises(SpecError, match="does not go on"):
        release(terms, book, entries("111111"))


@pytest.mark.parametrize("text", [BLOCK, THRESHOLD])
def test_nothing_private_is_on_the_disk(tmp_path: Path, text: str) -> None:
    """No noise, no state of a generator, no count before its noise: the rows of the ledger have these keys alone, and
    what they hold of a run is what was shown."""
    book = ledger(tmp_path / "a")
    found = released(book, text, "1011011101")
    keys = {"reference", "look", "account", "price", "spec", "settings", "digest", "reading", "seqlang", "name",
            "adjacency", "budget", "schema", "place", "attempt"}  # fmt: skip
    for entry in book.store.entries():
        assert set(entry.content) <= keys
    assert [e.content["look"] for e in book.store.entries() if e.kind == "look"] == list(found.looks)
    assert {path.name.split(".")[0].split("-")[0] for path in tmp_path.iterdir()} == {"a"}


def test_a_price_that_is_no_rational_is_rounded_up(tmp_path: Path) -> None:
    mp.dps = 40
    price = terms_of(BLOCK, ledger(tmp_path / "a")).price.epsilon
    assert 0 <= mpf(price.numerator) / price.denominator - log(2) < mpf(10) ** -12


@pytest.mark.parametrize(("kind", "change"), [
    ("look", {"look": None}), ("look", {"look": 7}), ("look", {"look": {"reports": {}}}), ("charge", {"spec": {}}),
    ("look", {"look": {"step": 3, "reports": 1}}), ("look", {"look": {"step": [3], "reports": {}}}),
    ("look", {"look": {"step": 3, "reports": {"block": True, "ones": {"rational": "1/0"}}}}),
    ("look", {"look": {"step": 3, "reports": {"block": True, "ones": "many"}}}),
    ("look", {"look": {"step": 3, "reports": {"block": True}}}),
    ("look", {"look": {"step": 10**30, "reports": {}}}),
])  # fmt: skip
def test_a_forged_ledger_is_refused_whatever_it_holds(tmp_path: Path, kind: str, change: dict[str, object]) -> None:
    """The chain of the forgery is whole: what a row says is not understood, and that is said."""
    forged = a_forgery(tmp_path, kind, change)
    assert list(faults_of(forged))
    with pytest.raises(SpecError, match="cannot be followed"):
        from_ledger(forged, None)


def a_forgery(folder: Path, kind: str, change: dict[str, object]) -> Book:
    """A ledger of one release, with other things in all rows of one kind."""
    book = ledger(folder / "l")
    released(book, BLOCK, "1101", below=random.Random(3).randrange)
    return rewritten(folder, book, lambda own, body: {**body, **change} if own == kind else body)


def rewritten(folder: Path, book: Book, change: Callable[[str, dict[str, Any]], Any]) -> Book:
    """The rows, changed, with a chain that is whole; None leaves a row out."""
    forged, last = SqliteStore(folder / "forged", make=True), None
    with forged.transaction():
        for entry in book.store.entries():
            body = change(entry.kind, entry.content)
            if body is None:
                continue
            last = chained(last, entry.at, entry.kind, body, None)
            forged.append(last)
    return Book(forged)


COUNTS = HEAD + ("let b = 2\nreport s = x\nreport up when s >= 1\nstatistic t = x\nattach geometric(1/2) to s\n"
                 "attach geometric(1/2) to t each step\nattach geometric(1/2) to b once\nstop when t >= b return high\n"
                 "stop when step >= 3 return end\nclaim strong pure(9)\n")  # fmt: skip


def shown_in(look: dict[str, Any], **reports: object) -> dict[str, Any]:
    return {**look, "reports": {**look["reports"], **reports}}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda look: None if look["step"] == 2 else look, "`s` was not made, and made follows"),
        (lambda look: {**look, "reports": {}}, "`s` was not made, and made follows"),
        (lambda look: shown_in(look, s=None), "`s` was made, and made follows"),
        (lambda look: shown_in(look, s={"rational": "4/2"}, up=True), "not written as looks are"),
        (lambda look: shown_in(look, s={"rational": "1e99999999"}), "not understood"),
        (lambda look: {**look, "step": True} if look["step"] == 1 else look, "not written as looks are"),
        (lambda look: {**look, "private": 1}, "not written as looks are"),
        (lambda look: {**look, "stopped": True, "result": "end"}, "not written as looks are"),
        (lambda look: {**look, "stopped": False}, "not written as looks are"),
        (lambda look: {**look, "by": 1, "result": "end", "stopped": True}, "`stop 1` was made, end, and made, high"),
    ],
)
def test_looks_that_were_forged(tmp_path: Path, change: Callable[[Any], Any], said: str) -> None:
    """Where nobody needs the data to know better. What may be changed is what noise might have shown."""
    book = ledger(tmp_path / "l", "pure(9)")
    released(book, COUNTS, "110", below=unreached())
    assert not list(faults_of(book)) and len(book.charges[next(iter(book.charges))].looks) == 3

    stopped = False

    def other(kind: str, body: dict[str, Any]) -> dict[str, Any] | None:
        nonlocal stopped
        if kind != "look":
            return body
        look = None if stopped else change(body["look"])
        stopped = stopped or bool(look and look.get("stopped"))
        return look and {**body, "look": look}

    (fault,) = faults_of(rewritten(tmp_path, book, other))
    assert said in fault


def unreached() -> Below:
    """Random bits with which the threshold of COUNTS is not reached."""
    for seed in range(100):
        coins = random.Random(seed)
        run = ExactRun(program(COUNTS), below=coins.randrange)
        if not any(run.advance({"x": int(v)}).by == 1 for v in "110"):
            return random.Random(seed).randrange
    raise AssertionError


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [("geometric(1/2) to s", "laplace(2) to s", "not drawn exactly"), ("report s = x\n", "report s = x^2\n", "`^`")],
)
def test_programs_that_are_not_released_are_a_fault(tmp_path: Path, old: str, new: str, said: str) -> None:
    book = ledger(tmp_path / "l", "pure(9)")
    released(book, COUNTS, "")

    def other(kind: str, body: dict[str, Any]) -> dict[str, Any]:
        if kind != "charge":
            return body
        changed = loaded(body["spec"].replace(old, new))
        digest = digest_of(changed, body["account"], body["reading"])
        return {**body, "spec": changed.source.text, "digest": digest}

    (fault,) = faults_of(rewritten(tmp_path, book, other))
    assert "is not released" in fault and said in fault


@pytest.mark.parametrize("settings", [[["n", "1e99999999"]], [["n", "many"]], [["n", 1]]])
def test_numbers_that_nobody_can_read(tmp_path: Path, settings: object) -> None:
    (fault,) = faults_of(a_forgery(tmp_path, "charge", {"settings": settings}))
    assert "not understood" in fault


def test_an_account_about_other_neighbours_is_a_fault(tmp_path: Path) -> None:
    (fault,) = faults_of(a_forgery(tmp_path, "account", {"adjacency": "add or remove one"}))
    assert "neighbours `replace one`" in fault


@pytest.mark.parametrize(
    "body", ['{"because":"a","because":"b","reference":"r"}', '{"reference": "r"}', '{"reference":1.0}', "[" * 50_000]
)
def test_a_row_is_written_in_one_way(body: str) -> None:
    assert "not written as rows are" in str(faults((row_of(body),), None))


def row_of(body: str) -> Entry:
    return Entry(1, "", "refund", body, FIRST, row_digest(1, "", "refund", body, FIRST), "")


def test_a_price_below_what_is_proved_is_a_fault(tmp_path: Path) -> None:
    """The price is proved once more by whoever verifies: the program costs log(2)."""
    (tmp_path / "more").mkdir()
    (fault,) = faults_of(a_forgery(tmp_path, "charge", {"price": "pure(693/1000)"}))
    assert "its price was pure(693/1000)" in fault
    assert list(faults_of(a_forgery(tmp_path / "more", "charge", {"price": "pure(694/1000)"}))) == []


@pytest.mark.parametrize(
    "line",
    [
        "update m = 1 / (if s >= 1 then 0 else 1)",
        "report t when (if s >= 1 then sqrt(2) + sqrt(3) else 0) >= sqrt(5 + 2 * sqrt(6))",
        "report t when max(i for i in 1..(1 - s)) >= 0",
        "draw z ~ {0: 1, 1: (if s >= 1 then -1 else 1)} each step\nreport t when z >= 0",
        "report t = floor(10^(if s >= 1 then 9000 else 1))",
        "report t = [1, -floor(10^(if s >= 1 then 9000 else 1))]",
        "stop when s >= 1 return floor(10^(9000 * min(s, 1)))",
    ],
)
def test_a_failure_that_tells_of_noise_happens_once(tmp_path: Path, line: str) -> None:
    """Whoever may try again until nothing fails learns, by how often it failed, of so many draws at one price."""
    text = HEAD + f"memory m = 0\nreport s = x\n{line}\nstop when step >= 9\nattach geometric(1/2) to s\n"
    fails = 0
    for seed in range(8):
        book, coins = ledger(tmp_path / f"{seed}"), random.Random(seed)
        terms = agreed(loaded(text + "claim strong pure(log(2))\n"), book, None, None)
        try:
            release(terms, book, entries("1"), below=coins.randrange)
        except (SpecError, ArithmeticError):
            fails += 1
            (look,) = book.charges[terms.reference].looks
            assert look["reports"].keys() == {"s"} and look["reports"]["s"] >= 1 and not list(faults_of(book))
            again = release(terms, book, entries("111"), below=coins.randrange)
            assert again.stopped and again.looks == (look,)
    assert 0 < fails < 8


@pytest.mark.parametrize(
    "test",
    [
        "sum(i for i in 1..10^(8 * s)) >= 0",
        "sum(sum(1 for j in 1..i) for i in 1..10^(5 * s)) >= 0",
        "10^(10^(9 * s)) >= 0",
        "length(zeros(10^(9 * s))) >= 0",
        "binomial(10^(9 * s), 1/2).pmf(5) >= 0",
        "discrete_gaussian(1000000000 * s + 1).pmf(5) >= 0",
    ],
)
def test_nothing_that_was_shown_takes_all_time_or_memory(test: str) -> None:
    """Who kills the process then, or has it killed, would have the number drawn again that he knows by that."""
    made = program(HEAD + f"report s = x\nreport t when {test}\nstop when step >= 3\n")
    assert obstacles(made) == []
    with pytest.raises(NoValue, match="more than"):
        ExactRun(made).advance({"x": 1})
    assert ExactRun(made).advance({"x": 0}).reports[0] == ("s", 0)


@pytest.mark.parametrize("records", [0, 1, 400])
def test_how_many_records_there_are_makes_nothing_fail(records: int) -> None:
    made = program("algorithm a\ndataset x in {0, 1} size 4\nadjacent add or remove 1\n"
                   "statistic s = sum(sum(x[i] * j for j in 1..5000) for i in records)\nstop return s\n")  # fmt: skip
    run = ExactRun(made, records={"x": (1,) * records})
    assert run.advance({}).result == records * 12502500


def test_who_has_two_rows_is_one_record() -> None:
    """Neighbours have one record more or less: with and without one person there is at most one record between."""
    made = program("algorithm a\ndataset x in {0, 1} size 3\nadjacent add or remove 1\nstop return sum(x)\n")
    people = ["1,ann\n", "0,bob\n", "1,ann\n", "1,\n", "1,ann\n"]

    def read(lines: list[str]) -> list[object]:
        return [row["x"] for row in Rows(made, ["x,who\n", *lines], "f", Form(identifiers="who"))]

    assert read(people) == [1, 0]
    assert read([line for line in people if "ann" not in line]) == [0]


@pytest.mark.parametrize("radius", ["sqrt(2)", "1.4142135623"])
def test_an_account_says_exactly_who_is_a_neighbour(radius: str) -> None:
    """A radius that is shown with fewer digits than it has would be charged to the account of another one."""
    text = (f"algorithm a\nparam c = {radius}\nstream x in [0, 10]\nadjacent one x within c\nstop return x\n"
            "attach gaussian(1) to return\nclaim strong pure(2)\n")  # fmt: skip
    try:
        said = adjacency(loaded(text).program)
    except SpecError as why:
        assert "has more digits" in str(why)
    else:
        assert said == f"one x within {radius}"


def test_looks_of_no_program_are_a_fault(tmp_path: Path) -> None:
    """A charge that was written by hand has no text, and shows nothing."""
    book = ledger(tmp_path / "l")
    book.charge(Charge("by hand", "mine", amount_of("pure(1/4)", "price"), "", (), "published"), "replace one")
    assert not list(faults_of(book))
    book.begin("by hand")
    book.looks("by hand", 1, [{"step": 1, "reports": {"anything": 7}}])
    assert [fault.split(":")[0] for fault in faults_of(book)] == ["`by hand`"]


@pytest.mark.parametrize("words", [
    "replace one", "replace one; public day", "replace one; public day, salary",
    "replace one; public week, salary, day", "replace one; public salary", "add or remove one; public day, salary",
])  # fmt: skip
def test_an_account_says_which_columns_are_public(tmp_path: Path, words: str) -> None:
    """A program that calls a salary public would show it at no price."""
    text = HEAD + "public z in 0..9\npublic day in 0..9\nreport r = z\nstop when step >= 1\nclaim strong pure(0)\n"
    book = Book(SqliteStore(tmp_path / "l", make=True))
    book.open_account("mine", words, amount_of("pure(1)", "budget"))
    terms = agreed(loaded(text), book, None, None, Form((("z", "salary"),)))

    def rows() -> Iterator[dict[str, int]]:
        yield {"x": 1, "z": 4, "day": 2}

    if words.startswith("replace one") and "day" in words and "salary" in words:
        assert release(terms, book, rows).stopped and not list(faults_of(book))
    else:
        with pytest.raises(SpecError, match="public day, salary"):
            release(terms, book, rows)


def test_neighbours_are_told_apart_by_columns_and_not_by_fields(tmp_path: Path) -> None:
    """The same field of two specs may be read from two columns: an account for one does not pay for the other."""
    text = """algorithm near
stream x in 0..3
adjacent one x within 1
statistic s = sum(x over steps)
report shown = s
attach geometric(1 / 2) to shown
stop when step >= 1
claim strong pure(log(2))
"""
    book = Book(SqliteStore(tmp_path / "l", make=True))
    book.open_account("mine", "one age within 1", amount_of("pure(10)", "budget"))
    near = load(Source("near.seq", text))
    for columns, right in (((), False), ((("x", "height"),), False), ((("x", "age"),), True)):
        terms = agreed(near, book, None, None, Form(columns))
        if right:
            assert release(terms, book, entries("1")).stopped
        else:
            with pytest.raises(SpecError, match="neighbours"):
                release(terms, book, entries("1"))
