"""`seqlang release`: runs a proved program on private rows, exactly, at a price that a ledger keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqlang.cli.options import Parser, add_settings, exact, settings
from seqlang.cli.terminal.output import print_json, say
from seqlang.diagnostics import SpecError

if TYPE_CHECKING:
    from argparse import Namespace

    from seqlang.driver import Loaded
    from seqlang.model.program import Program
    from seqlang.release.checking import Checked
    from seqlang.release.form import Form
    from seqlang.release.live import Line, Waiting
    from seqlang.release.log import OwnersLog
    from seqlang.release.releasing import Agreed, Released
    from seqlang.release.twin.twin import Twin

_EXAMPLES = """\
  seqlang ledger open trial.sqlite --data "trial 17" --adjacency "replace one" --budget "pure(1)"
  seqlang release trial.seq --data new.csv --ledger trial.sqlite
  seqlang release trial.seq --data new.csv --ledger trial.sqlite --columns x=harmed --id person --missing 0
  seqlang ledger open arms.sqlite --data "trial 18" --adjacency "replace one; public group" --budget "pure(1)"
  seqlang release arms.seq --data new.csv --ledger arms.sqlite --columns "arm=group{control=0|treatment=1}"
  seqlang release trial.seq --check-rows new.csv   (for their owner: can each cell be read? nothing is charged)
  seqlang release trial.seq --data growing.csv --ledger trial.sqlite --live --every 60
  seqlang release trial.seq --plan        (what would run, and what is proved of it: nothing is read or charged)"""


def run(arguments: list[str]) -> int:
    """Charges the price, runs, and prints what is released."""
    options = parser().parse_args(arguments)
    loaded = _loaded(options)
    twin = _twin(loaded, options.grid)
    if options.plan:
        return _planned(loaded, twin, options)
    if options.check_rows is not None:
        return _looked_at(options, twin)
    if options.data is None or options.ledger is None:
        raise SpecError.of("E0601", "a release needs rows and a ledger", help="--data FILE --ledger FILE; or --plan")
    return _released(options, twin)


def _loaded(options: Namespace) -> Loaded:
    from seqlang.driver import load, read

    return load(read(options.file), settings(options.set))


def _twin(loaded: Loaded, grid: str | None) -> Twin:
    """What runs: the spec on a grid, or itself. Raises SpecError E0671 where it has no twin."""
    from seqlang.release.pricing import not_released
    from seqlang.release.twin.twin import GRID, twin_of
    from seqlang.release.twin.written import NoTwin

    units = GRID if grid is None else exact(grid, "--grid")
    if units != int(units) or not 1 <= units <= 10**6:
        raise SpecError.of("E0603", f"--grid {grid}: it is a whole number from 1 to 1000000")
    try:
        return twin_of(loaded, int(units))
    except NoTwin as why:
        raise not_released(f"{why}", "`seqlang explain release` says which specs have a discrete twin") from None


def _released(options: Namespace, twin: Twin) -> int:
    from seqlang.release.ledger.book import Book
    from seqlang.release.ledger.places import store_at
    from seqlang.release.releasing import agreed, release, require_payer, so_far

    store = store_at(options.ledger)
    try:
        book = Book(store, _key(options.key))
        form = _form(options, twin)
        given = _Given(options, twin, form)
        terms = agreed(twin.loaded, book, options.account, options.reference, form)
        require_payer(terms, book)
        rows, log = given.rows(is_paid=terms.reference in book.charges)
        try:
            found = release(terms, book, lambda: rows, tell=None if options.json else _told)
        except KeyboardInterrupt:
            book.refresh()
            if not options.live or terms.reference not in book.charges:
                raise
            found = so_far(terms, book)
        finally:
            if log is not None:
                log.close()
    finally:
        store.close()
    if options.json:
        print_json(found.to_dict())
    else:
        _said(terms, found)
    return 0


class _Given:
    """The file of rows, and how it is read."""

    def __init__(self, options: Namespace, twin: Twin, form: Form) -> None:
        if options.every is not None and not options.live:
            raise SpecError.of("E0601", "--every is of rows that come as it runs: --live")
        self._every = None if not options.live else float(exact(options.every or "1", "--every"))
        if self._every is not None and not 0.01 <= self._every <= 86_400:
            raise SpecError.of("E0603", f"--every {options.every}: seconds, from 0.01 to 86400")
        self._program, self._form = twin.loaded.program, form
        self._name, self._is_set = options.data, bool(self._program.data_set)
        if options.live and self._is_set:
            raise SpecError.of("E0601", f"--live: `{self._program.name}` reads a data set, all of its rows at once")
        self._log = options.log
        if options.log is None and options.live and options.data != "-":
            self._log = f"{options.data}.owner.log"

    def rows(self, is_paid: bool) -> tuple[Iterator[Mapping[str, Any] | Waiting], OwnersLog | None]:
        """The rows, and the log of their owner. The heading is read now, and, unless the release was charged before,
        all cells that are there: what is wrong with them is told to the owner while nothing is charged. A pipe of a
        stream is read as it comes, and cannot be looked at before."""
        from seqlang.release.log import OwnersLog
        from seqlang.release.rows import Rows

        lines: Iterable[Line] = self._lines()
        if self._is_set:
            lines = [line for line in lines if isinstance(line, str)]  # a pipe waits in between
        if not is_paid and (self._is_set or Path(self._name).is_file()):
            _checked(self._program, lines if self._is_set else self._lines(), self._name, self._form)
        rows = Rows(self._program, lines, self._name, self._form)
        if self._log is None:
            return iter(rows), None
        log = OwnersLog(Path(self._log), rows)
        return log.around(iter(rows)), log

    def _lines(self) -> Iterator[Line]:
        import sys

        from seqlang.release.live import growing, piped
        from seqlang.release.rows import opened

        if self._name == "-":
            return piped(sys.stdin.fileno(), self._every)
        return opened(Path(self._name)) if self._every is None else growing(Path(self._name), self._every)


def _checked(program: Program, lines: Iterable[Line], name: str, form: Form) -> Checked:
    """All rows can be read; what else their owner should know of them is told to him."""
    from seqlang.release.checking import OWNER, checked
    from seqlang.release.rows import Rows

    found = checked(program, Rows(program, lines, name, form))
    for number, note in enumerate(found.notes):
        say((f"{name}: {OWNER}\n" if not number else "") + f"  {note}")
    return found


def _looked_at(options: Namespace, twin: Twin) -> int:
    """`--check-rows`: reads rows as a release would, and charges nothing."""
    from seqlang.release.releasing import require_released
    from seqlang.release.rows import opened

    require_released(twin.loaded.program)
    found = _checked(twin.loaded.program, opened(Path(options.check_rows)), options.check_rows, _form(options, twin))
    print(f"{found.rows:,} rows: every cell can be read. Nothing was charged.")
    return 0


def _form(options: Namespace, twin: Twin) -> Form:
    from seqlang.release.form import Form, columns_in

    columns, words = columns_in(options.columns) if options.columns else ((), ())
    missing = None if options.missing is None else exact(options.missing, "--missing")
    return Form(columns, options.id, missing, twin.scales, words)


def _key(file: str | None) -> bytes | None:
    if file is None:
        return None
    try:
        found = Path(file).read_bytes()
    except OSError as why:
        raise SpecError.of("E0605", f"--key {file}: {why.strerror}") from None
    if len(found) < 16:
        raise SpecError.of("E0603", f"--key {file}: a key has at least 16 bytes", help="head -c 32 /dev/urandom > key")
    return found


def _told(look: Mapping[str, Any]) -> None:
    reports = sorted(look["reports"].items())  # as a ledger has them: what is told again looks the same
    shown = ", ".join(name if value is True else f"{name} = {_value(value)}" for name, value in reports)
    if shown:
        print(f"step {look['step']}: {shown}", flush=True)


def _said(terms: Agreed, found: Released) -> None:
    if not found.stopped:
        print("the rows end before the stop: more rows go on with the same command")
        return
    last = found.looks[-1]
    if not last["by"]:
        print(f"ended in step {last['step']}: what it computes there from what it showed has no value")
        return
    result = last.get("result")
    print(f"stopped at step {last['step']}" + ("" if result is None else f": {_value(result)}"))
    say(f"{terms.price.text} of `{terms.account}`, reference {found.reference}")


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return str(value["rational"])
    return "(" + ", ".join(map(_value, value)) + ")" if isinstance(value, list) else str(value)


def _planned(loaded: Loaded, twin: Twin, options: Namespace) -> int:
    from seqlang.release.exact.plan import obstacles
    from seqlang.release.pricing import adjacency
    from seqlang.release.twin.comparison import compared
    from seqlang.release.twin.plan_text import plan_lines

    against = bool(obstacles(twin.loaded.program))
    found = None if against else compared(twin.loaded if twin.is_itself else loaded, twin.loaded)
    neighbours = "" if against else adjacency(twin.loaded.program, _form(options, twin).said)
    for line in plan_lines(twin, found, neighbours):
        print(line)
    return int(against or (found is not None and not found.is_proved))


def parser() -> Parser:
    parser = Parser(
        "release", "Run a proved program on private rows, exactly, at a price that a ledger keeps.", _EXAMPLES
    )
    parser.add_argument("file", metavar="FILE", help="a spec, or @NAME of the library")
    add_settings(parser)
    parser.add_argument("--data", metavar="FILE", help="a CSV file with a heading; - reads standard input")
    parser.add_argument("--ledger", metavar="FILE", help="the ledger that `seqlang ledger open` made")
    parser.add_argument("--account", metavar="NAME", help="the data set that pays (the only one)")
    parser.add_argument("--reference", metavar="NAME", help="of this release; the same one resumes it")
    parser.add_argument("--columns", metavar="FIELD=COLUMN,..",
                        help="columns with other names than the fields, and words: x=y{no=0|yes=1}")  # fmt: skip
    parser.add_argument("--id", metavar="COLUMN", help="who a row is about: a second row is read as missing")
    parser.add_argument("--missing", metavar="VALUE", help="what is read where nothing can be (the value nearest to 0)")
    parser.add_argument("--check-rows", metavar="FILE", help="only say, to their owner, whether rows can be read")
    parser.add_argument("--log", metavar="FILE", help="for the owner only: how many cells could not be read")
    parser.add_argument("--key", metavar="FILE", help="signs the rows of the ledger")
    parser.add_argument("--live", action="store_true", help="rows are added to FILE as it runs; Ctrl-C ends it for now")
    parser.add_argument("--every", metavar="SECONDS", help="live: when rows are read, and looks shown (1)")
    parser.add_argument("--plan", action="store_true", help="only show what would run, and what that costs")
    parser.add_argument("--grid", metavar="K", help="real entries and noise are counted in units of 1/K (16)")
    parser.add_argument("--json", action="store_true", help="print the transcript as JSON")
    return parser
