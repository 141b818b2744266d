"""The one place that strings the passes together: text, tree, model, analyses, result."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqlang.diagnostics import Diagnostic, Label, SpecError
from seqlang.diagnostics.elsewhere import Made, made, shown_there
from seqlang.diagnostics.suggest import did_you_mean
from seqlang.locate import data_folder
from seqlang.model import expression as ir
from seqlang.record import record
from seqlang.source import Source, Span

if TYPE_CHECKING:
    from seqlang.analyses.instances import Instances
    from seqlang.analyses.prove import Bounds
    from seqlang.analyses.weak.summary import Curve, Least
    from seqlang.backends.simulate import Progress, Samples
    from seqlang.backends.simulate.simulate import EngineName
    from seqlang.backends.train import Rows, Training
    from seqlang.model.program import Program
    from seqlang.proof.witness import Witness
    from seqlang.report.calibration import Calibration
    from seqlang.report.check_result import CheckResult
    from seqlang.report.rare_result import RareResult
    from seqlang.report.run_result import DataResult, RunResult
    from seqlang.report.solve_result import SolveResult
    from seqlang.report.train_result import TrainResult
    from seqlang.syntax.tree import File

_LARGEST = 1_000_000
"""Bytes of the largest spec that is read; real ones have a few thousand."""

PREDICTED, TRUTH, RETURNED = "predicted_", "truth_", "returned_"
"""Names of the statistics that a question about rows held out becomes, and of the memory that stands for `return`."""

DEFAULT_DELTA = Fraction(1, 10**6)


@record
class Loaded:
    """A spec that can be used: its text, its model, the warnings found on the way, and the parameters that were given
    other values than the text has."""

    source: Source
    program: Program
    warnings: tuple[Diagnostic, ...]
    settings: Mapping[str, Fraction]


ENGINES = ("auto", "compiled", "numpy", "interpreter")
RUNS = 10_000
"""Simulated under each model unless more or fewer are asked for."""
RARE_RUNS = 20_000
"""Weighted runs for the chance of a rare return."""
MOST_RUNS = 100_000_000
"""The same, where they end when an interval is narrow enough."""


def library() -> dict[str, Path]:
    """The shipped specs: name (`tight/one_sided`) -> path."""
    folder = data_folder("specs")
    return {p.relative_to(folder).with_suffix("").as_posix(): p for p in sorted(folder.rglob("*.seq"))}


def read(name: str) -> Source:
    """The text of a file, or of `@library/name`. Raises SpecError where there is no readable text."""
    if name.startswith("@"):
        known = library()
        key = name[1:].removesuffix(".seq")
        if key not in known:
            near = did_you_mean(key, known)
            remedy = f"did you mean `@{near}`?" if near else "`seqlang specs` lists the library"
            raise SpecError((Diagnostic("E0605", f"the library has no spec `{key}`", help=remedy),))
        return _decode(name, known[key].read_bytes())
    try:
        path = Path(name)
        if path.is_dir():
            if next(path.rglob("*.seq"), None) is None:
                raise SpecError((Diagnostic("E0605", f"`{name}` is a folder, and no spec (*.seq) is below it"),))
            raise SpecError((Diagnostic("E0605", f"`{name}` is a folder, not a spec",
                                        help=f"name its files: {name.rstrip('/')}/*.seq"),))  # fmt: skip
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SpecError((Diagnostic("E0605", f"cannot read `{name}`: {reason}"),)) from None
    return _decode(name, data)


def specs_under(names: Sequence[str]) -> list[str]:
    """The specs that `names` stand for: a folder, or `@folder` of the library, is all specs below it."""
    found: list[str] = []
    for name in names:
        below = [f"@{key}" for key in library() if name in ("@", f"@{key.rpartition('/')[0]}")]
        if Path(name).is_dir():
            below = [str(path) for path in sorted(Path(name).rglob("*.seq"))]
        found += below or [name]
    return found


def _decode(name: str, data: bytes) -> Source:
    if len(data) > _LARGEST:
        raise SpecError((Diagnostic("E0605", f"`{name}` has {len(data):,} bytes: not a spec"),))
    try:
        return Source(name, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise SpecError((Diagnostic("E0605", f"{name}:{line}:{column}: this is not UTF-8 text",
                                    help="save the file as UTF-8"),)) from None  # fmt: skip


def load(source: Source, settings: Mapping[str, Fraction] | None = None) -> Loaded:
    """Parses and elaborates; raises SpecError with every diagnostic if the spec cannot be used."""
    from seqlang.elaborate import elaborate
    from seqlang.syntax import parse

    tree, found = parse(source)
    program = None
    if tree is not None:
        program, more = elaborate(tree, settings or {})
        found += more
    if program is None or any(d.severity == "error" for d in found):
        raise SpecError(found, source)
    return Loaded(source, program, found, dict(settings or {}))


def check(
    loaded: Loaded,
    *,
    delta: Fraction = DEFAULT_DELTA,
    horizon: int | None = None,
    audit: float = 0.0,
    profile: Sequence[float] = (),
    models: tuple[str, ...] = (),
) -> CheckResult:
    """Bounds, witnesses and verdicts of one spec.

    `delta` is where the (epsilon, delta) bounds are taken; `horizon` (steps) serves bounds that need one, by default
    the longest that a claim names with `within`; `audit` is the number of seconds to search for deeper witnesses (0:
    the quick search); where the exact laws of given streams are not computed, it is an audit of simulated runs.
    `profile` are the epsilons at which the weak privacy profile is computed, under `models` (default: every model of
    the file).
    """
    from seqlang.analyses.claims import claimed_horizon, decide
    from seqlang.analyses.prove import prove, size_of
    from seqlang.analyses.refute import lower_bound
    from seqlang.analyses.shifts import statistics
    from seqlang.report.check_result import CheckResult

    began = time.perf_counter()
    program = loaded.program
    horizon = horizon or claimed_horizon(program)
    bounds = prove(program, delta=delta, horizon=horizon)
    proved = inf if bounds.pure is None else size_of(program, bounds.pure)
    witness = lower_bound(program, horizon=horizon, seconds=audit, enough=proved)
    deep = _at_delta(program, witness, bounds, float(delta), horizon, audit)
    statistical = None
    if audit > 0 and witness is None:
        from seqlang.analyses.audit import audit as audited

        statistical = audited(program, seconds=audit, horizon=horizon)
    verdicts = decide(program, delta=delta, horizon=horizon, known=bounds, witness=witness)
    weak, profiles = _weak(loaded, delta, bounds, profile, models)
    return CheckResult(
        source=loaded.source,
        program=program,
        statistics=statistics(program),
        bounds=bounds,
        witness=witness,
        verdicts=verdicts,
        warnings=loaded.warnings,
        delta=delta,
        overridden=bool(loaded.settings),
        weak=weak,
        profiles=profiles,
        audit=statistical,
        epsilon_at_delta=deep,
        seconds=time.perf_counter() - began,
    )


def calibrate(loaded: Loaded, name: str, target: str, *, horizon: int | None = None) -> Calibration:
    """The value of parameter `name` that just proves `target`. The search begins at the value that it has. Raises
    SpecError: E0602 (no such target), E0626 (no value was found)."""
    from seqlang.analyses.calibrate import calibrate as search
    from seqlang.analyses.calibrate import target_of
    from seqlang.report.calibration import Calibration
    from seqlang.syntax import parse

    wanted = target_of(target)
    if wanted is None:
        remedy = 'write "dp(1, 1e-6)", "pure(1)", "rdp(8, 1)" or "zcdp(0.5)", all numbers above 0'
        raise SpecError((Diagnostic("E0602", f"`{target}` is not a privacy target", help=remedy),))
    tree, _ = parse(loaded.source)
    assert tree is not None, "load has read it"
    found = search(tree, name, wanted, settings=loaded.settings, horizon=horizon)
    if isinstance(found, str):
        remedy = "give the other parameters other values, or this one, where the search begins (`--set`)"
        raise SpecError((Diagnostic("E0626", found, help=remedy),), loaded.source)
    return Calibration(loaded.program.name, found)


def _at_delta(
    program: Program, witness: Witness | None, bounds: Bounds, delta: float, horizon: int | None, audit: float
) -> float:
    """The largest epsilon that a witness forces at `delta`: the one at hand, or where it is too rare one of its own."""
    from seqlang.analyses.refute import lower_dp
    from seqlang.analyses.witnesses.confirm import epsilon_at
    from seqlang.proof.derivation import ApproximateBound

    found = 0.0 if witness is None else epsilon_at(witness, delta)
    proved = bounds.dp.conclusion.epsilon if bounds.dp and isinstance(bounds.dp.conclusion, ApproximateBound) else inf
    if witness is not None and (audit > 0 or found < 0.5 * min(witness.loss, proved)):
        deeper = lower_dp(program, delta, horizon=horizon, seconds=audit / 2, enough=proved)
        found = max(found, 0.0 if deeper is None else deeper[0])
    return found


def _weak(
    loaded: Loaded, delta: Fraction, bounds: Bounds, epsilons: Sequence[float], models: tuple[str, ...]
) -> tuple[tuple[Least, ...], tuple[Curve, ...]]:
    """Numbers of weak privacy under the models that the weak claims name; with epsilons also the profiles."""
    program = loaded.program
    claimed = tuple(c.model for c in program.claims if c.kind == "weak" and c.model is not None)
    if not claimed and not epsilons:
        return (), ()
    if epsilons:
        for name in models or (None,):
            _known_model(loaded, name)
    from seqlang.analyses.weak import curve, least
    from seqlang.backends.solve.unsolved import Unsolved

    names = models or (tuple(m.name for m in program.models) if epsilons else tuple(dict.fromkeys(claimed)))
    found, curves = [], []
    for name in names:
        try:
            found.append(least(program, name, delta, bounds))
            if epsilons:
                curves.append(curve(program, name, epsilons))
        except Unsolved as why:
            if epsilons:
                message = f"`{program.name}` has no exact law under {name}: {why}"
                raise SpecError((Diagnostic("E0623", message),), loaded.source) from None
    return tuple(found), tuple(curves)


def _known_model(loaded: Loaded, name: str | None) -> None:
    from seqlang.backends.simulate.stopping import chosen_model

    try:
        chosen_model(loaded.program, name)
    except SpecError as error:
        raise SpecError(error.diagnostics, loaded.source) from None


def instances(
    loaded: Loaded,
    *,
    models: tuple[str, ...] = (),
    count: int = 20,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Instances]:
    """Draws `count` streams from each of the models (default: every model of the file), and computes the loss against
    the neighbours of these streams. Raises SpecError E0623 where their laws are not computed."""
    from seqlang.analyses.instances import instances as drawn
    from seqlang.backends.solve.unsolved import Unsolved

    program = loaded.program
    for name in models or tuple(m.name for m in program.models) or (None,):
        try:
            yield drawn(program, name, count=count, seed=seed, progress=progress)
        except Unsolved as why:
            message = f"the laws of `{program.name}` on given streams are not computed: {why}"
            raise SpecError((Diagnostic("E0623", message),), loaded.source) from None
        except SpecError as error:
            raise SpecError(error.diagnostics, loaded.source) from None


def run(
    loaded: Loaded,
    *,
    models: tuple[str, ...] = (),
    runs: int | None = None,
    seed: int = 1,
    cap: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    until_ci: float | None = None,
    engine: EngineName = "auto",
    threads: int | None = None,
) -> tuple[RunResult, ...]:
    """Simulates under the named models, or under every model of the file: one result a model, in file order.

    `runs` is 10,000 unless given; with `until_ci` it is the most runs, 100 million unless given, and fewer are made if
    the 95 % interval is that narrow before (see `backends.simulate.until`). Raises SpecError E0603 for a width that is
    not above 0.
    """
    from seqlang.backends.simulate import simulate
    from seqlang.report.run_result import RunResult

    program = loaded.program
    names: tuple[str | None, ...] = models or tuple(m.name for m in program.models) or (None,)
    values = {p.name: float(p.value) for p in program.parameters}
    if until_ci is not None and not 0 < until_ci < math.inf:
        raise SpecError((Diagnostic("E0603", f"until_ci is {until_ci}: it must be above 0, the width of an interval"),))
    if engine not in ENGINES:
        near = did_you_mean(engine, ENGINES)
        hint = f"did you mean `{near}`?" if near else "engines are " + ", ".join(ENGINES)
        raise SpecError((Diagnostic("E0601", f"there is no engine `{engine}`", help=hint),))
    many = runs if runs is not None else RUNS if until_ci is None else MOST_RUNS

    def simulated(name: str | None) -> Samples:
        return simulate(
            program, name, runs=many, seed=seed, cap=cap, progress=progress, until_ci=until_ci, engine=engine,
            threads=threads,
        )  # fmt: skip

    try:
        return tuple(RunResult(program.name, values, simulated(name)) for name in names)
    except SpecError as error:
        raise SpecError(error.diagnostics, loaded.source) from None  # the engines know spans, not the text


def solve(loaded: Loaded, *, models: tuple[str, ...] = (), tolerance: float = 1e-11) -> tuple[SolveResult, ...]:
    """The exact law under the named models, or under every model of the file: one result a model, in file order.

    Raises SpecError E0623 where there is no exact law here; the remedy is `run`.
    """
    from seqlang.backends.simulate.stopping import chosen_model
    from seqlang.backends.solve import Unsolved
    from seqlang.backends.solve import solve as solved
    from seqlang.report.solve_result import SolveResult

    program = loaded.program
    values = {p.name: float(p.value) for p in program.parameters}
    results = []
    for chosen in models or tuple(m.name for m in program.models) or (None,):
        began = time.perf_counter()
        try:
            name = chosen_model(program, chosen).name
            solution = solved(program, name, tolerance=tolerance)
        except Unsolved as why:
            message = f"`{program.name}` under {name} has no exact law here: {why}"
            remedy = f"`seqlang run {loaded.source.name}` estimates the same numbers by simulation"
            raise SpecError((Diagnostic("E0623", message, help=remedy),), loaded.source) from None
        except SpecError as error:
            raise SpecError(error.diagnostics, loaded.source) from None
        results.append(SolveResult(program.name, name, values, solution, time.perf_counter() - began))
    return tuple(results)


def rare(
    loaded: Loaded,
    labels: Sequence[str],
    *,
    models: tuple[str, ...] = (),
    runs: int = RARE_RUNS,
    seed: int = 1,
    cap: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> tuple[RareResult, ...]:
    """The chances of rare returns by weighted runs under the named models, or under every model of the file.
    `progress` is told the runs done for a return, and the estimate so far."""
    from seqlang.backends.rare import estimate
    from seqlang.report.rare_result import RareResult

    program = loaded.program
    if not labels:
        raise SpecError((Diagnostic("E0601", "which return is rare? none is named", help='rare(spec, "reject")'),))
    values = {p.name: float(p.value) for p in program.parameters}
    results = []
    try:
        for name in models or tuple(m.name for m in program.models) or (None,):
            found = tuple(
                estimate(program, name, label, runs=runs, seed=seed, cap=cap, progress=progress) for label in labels
            )
            results.append(RareResult(program.name, found[0].model, values, found))
    except SpecError as error:
        raise SpecError(error.diagnostics, loaded.source) from None
    return tuple(results)


def run_data(
    loaded: Loaded,
    file: str | Path,
    *,
    seed: int = 1,
    columns: Mapping[str, str] | None = None,
    where: Sequence[str] = (),
    clip: bool = False,
    skip: int = 0,
    names: Sequence[str] | None = None,
    cap: int | None = None,
) -> DataResult:
    """Runs the spec once on a file: one row a step for a stream, all rows at once for a dataset."""
    from seqlang.backends.interpret import data
    from seqlang.backends.interpret.data.layout import Layout
    from seqlang.report.run_result import DataResult

    try:
        layout = Layout(skip, None if names is None else tuple(names))
        done = data.run_data(
            loaded.program, file, seed=seed, columns=columns, where=where, clip=clip, cap=cap, layout=layout
        )
    except SpecError as error:
        raise SpecError(error.diagnostics, loaded.source) from None
    return DataResult(loaded.program.name, str(file), done)


def train(
    loaded: Loaded,
    data: str | Path | Rows | Mapping[str, Any],
    *,
    test: str | Path | Rows | Mapping[str, Any] | None = None,
    rows: tuple[int, int] | None = None,
    test_rows: tuple[int, int] | None = None,
    columns: Mapping[str, str] | None = None,
    where: Sequence[str] = (),
    clip: bool = False,
    skip: int = 0,
    names: Sequence[str] | None = None,
    predict: str | None = None,
    truth: str | None = None,
    track: Mapping[str, str] | None = None,
    permutations: int | None = None,
    seed: int = 1,
    cap: int | None = None,
    checkpoints: int = 1,
    twin: bool = False,
    tell: Callable[[str, int, int], None] | None = None,
    engine: EngineName = "auto",
) -> tuple[TrainResult, ...]:
    """Runs the spec on rows in one or many orders and scores what it learns on rows held out: one result for the spec,
    and with `twin` one for the same spec without its noise. See `seqlang.train`."""
    from seqlang.backends.train import train as trained
    from seqlang.backends.train.choose import chosen, question
    from seqlang.report.train_result import TrainResult

    try:
        scored = test is not None or test_rows is not None
        asked = dict(zip((PREDICTED, TRUTH), question(loaded.program, predict, truth), strict=True)) if scored else {}
        extra = {key: _tracked(key, text) for key, text in (track or {}).items()}
        extra |= {key: _on_one_row(loaded.program, key, text) for key, text in asked.items()}
        if TRUTH in extra and RETURNED in extra[TRUTH].text:
            raise _refused(extra[TRUTH], "the truth of a row is no matter of what is returned")
        trainings = [_training("as written", loaded, extra, noise=True)]
        if twin and _has_noise(loaded):
            trainings.append(_training("without noise", loaded, extra, noise=False))

        def read(given: str | Path | Rows | Mapping[str, Any], what: str) -> Rows:
            telling = None if tell is None else lambda done: tell(f"reading {what}", done, 0)
            return _rows(loaded, given, what, columns, where, clip, skip, names, telling)

        whole = read(data, "rows")
        taken, held = chosen(whole, rows, test_rows)
        if test is not None:
            held = read(test, "rows held out")
        done = trained(
            trainings, taken, held, permutations=permutations, seed=seed, checkpoints=checkpoints, cap=cap, tell=tell,
            engine=engine,
        )  # fmt: skip
    except SpecError as error:
        raise SpecError(error.diagnostics, error.source or loaded.source) from None
    values = {p.name: float(p.value) for p in loaded.program.parameters}
    return tuple(
        TrainResult(
            algorithm=loaded.program.name,
            parameters=values,
            file=whole.name,
            rows=taken.count,
            test=None if held is None else held.name,
            test_rows=0 if held is None else held.count,
            predict=asked.get(PREDICTED),
            truth=asked.get(TRUTH),
            permutations=permutations,
            seed=seed,
            run=run_,
        )
        for run_ in done
    )


def rows(
    loaded: Loaded,
    file: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    where: Sequence[str] = (),
    clip: bool = False,
    skip: int = 0,
    names: Sequence[str] | None = None,
    tell: Callable[[int], None] | None = None,
) -> Rows:
    """The rows of a file (CSV, Parquet, or `sklearn:NAME`) as the spec's fields, each in its domain."""
    try:
        return _rows(loaded, file, "rows", columns, where, clip, skip, names, tell)
    except SpecError as error:
        raise SpecError(error.diagnostics, error.source or loaded.source) from None


def _rows(
    loaded: Loaded,
    given: str | Path | Rows | Mapping[str, Any],
    what: str,
    columns: Mapping[str, str] | None,
    where: Sequence[str],
    clip: bool,
    skip: int,
    names: Sequence[str] | None,
    tell: Callable[[int], None] | None,
) -> Rows:
    from seqlang.backends.interpret.data.layout import Layout
    from seqlang.backends.train import Rows, read_rows, rows_from_arrays

    if isinstance(given, Rows):
        return rows_from_arrays(loaded.program, given.fields, clip=clip, name=given.name)
    if isinstance(given, Mapping):
        return rows_from_arrays(loaded.program, given, clip=clip, name=what)
    layout = Layout(skip, None if names is None else tuple(names))
    return read_rows(loaded.program, given, columns=columns, where=where, clip=clip, layout=layout, tell=tell)


def _has_noise(loaded: Loaded) -> bool:
    from seqlang.elaborate.variants import has_noise
    from seqlang.syntax import parse

    tree, _ = parse(loaded.source)
    return tree is not None and has_noise(tree)


def _training(name: str, loaded: Loaded, extra: Mapping[str, Made], *, noise: bool) -> Training:
    """The spec with further statistics. Two of them, a prediction and its truth, are only asked of rows held out."""
    from seqlang.backends.train import Training
    from seqlang.elaborate import elaborate
    from seqlang.elaborate.variants import before_stops, without_noise
    from seqlang.model.program import Define
    from seqlang.record import replace
    from seqlang.syntax import parse

    if noise and not extra:
        return Training(name, loaded.program)
    whole, moved = f"{loaded.source.text.rstrip()}\n\n", tuple(extra)
    if PREDICTED in extra and RETURNED in extra[PREDICTED].text:
        whole, moved = f"{whole}memory {RETURNED} = {_like_return(loaded)}\n", (RETURNED, *moved)
    parts: list[tuple[int, Made]] = []
    for part in extra.values():
        whole += "statistic "
        parts.append((len(whole), part))
        whole += f"{part.text}\n"
    source = Source(loaded.source.name, whole)
    tree, found = parse(source)
    program = None
    if tree is not None and not any(d.severity == "error" for d in found):
        _require_expressions(tree, source, parts)
        tree = before_stops(tree if noise else without_noise(tree), moved)
        program, found = elaborate(tree, {p.name: p.value for p in loaded.program.parameters})
    if program is None:
        raise shown_there(found, source, parts)
    asked = {s.name: s.expression for s in program.body if isinstance(s, Define) and s.name in (PREDICTED, TRUTH)}
    for key, option, example in ((PREDICTED, "--predict", "dot(w, x) > 0"), (TRUTH, "--truth", "y > 0")):
        if key in asked and not _is_condition(program, asked[key]):
            message = f'{option} "{extra[key].source.text}" is no condition: it is true or false of a row'
            raise _refused(extra[key], message, f'{option} "{example}"')
    body = tuple(s for s in program.body if not (isinstance(s, Define) and s.name in asked))
    tracked = tuple(key for key in extra if key not in (PREDICTED, TRUTH))
    returned = next((m for m in program.memories if m.name == RETURNED), None)
    program = replace(program, body=body, memories=tuple(m for m in program.memories if m.name != RETURNED))
    return Training(name, program, tracked, asked.get(PREDICTED), asked.get(TRUTH), returned)


def _is_condition(program: Program, e: ir.Expression) -> bool:
    """Whether the value is true or false."""
    match e:
        case ir.Truth():
            return True
        case ir.Apply(operator):
            return operator in ir.COMPARISONS | ir.LOGIC
        case ir.Choice(_, yes, no):
            return _is_condition(program, yes) and _is_condition(program, no)
        case ir.Noised(base=base):
            return _is_condition(program, base)
        case ir.Local(name):
            return _is_condition(program, program.define(name).expression)
        case _:
            return False


def _require_expressions(tree: File, source: Source, parts: Sequence[tuple[int, Made]]) -> None:
    """Raises SpecError E0602 where one of the parts holds statements of its own."""
    for start, part in parts:
        for statement in tree.statements:
            if start < statement.span.start < start + len(part.text):
                place = Label(statement.span, "a statement begins here")
                message = f"{part.source.name} takes one expression"
                raise shown_there([Diagnostic("E0602", message, place)], source, parts)


def _tracked(name: str, text: str) -> Made:
    """What is asked for by `--track name=text`."""
    return made(Source("--track", f"{name}={text}"), len(name) + 1, f"{name} = ", r"[\r\n]", lambda _: " ")


def _on_one_row(program: Program, key: str, text: str) -> Made:
    """The question as a statistic can ask it: `return` becomes a name, and of a dataset the first record is the row."""
    records = [i.name for i in program.inputs if i.kind == "dataset"]
    option = "--predict" if key == PREDICTED else "--truth"

    def change(word: str) -> str:
        return RETURNED if word == "return" else f"{word}[1]" if word in records else " "

    return made(Source(option, text), 0, f"{key} = ", rf"\b({'|'.join(['return', *records])})\b|[\r\n]", change)


def _refused(asked: Made, message: str, remedy: str | None = None) -> SpecError:
    place = Label(Span(0, len(asked.source.text)))
    return SpecError((Diagnostic("E0628", message, place, help=remedy),), asked.source)


def _like_return(loaded: Loaded) -> str:
    """A constant of the same shape as what is returned. Raises SpecError E0628 where that has no one shape."""
    from seqlang.backends.train.choose import shape_of_return

    shape = shape_of_return(loaded.program)
    if shape is None or len(shape) > 1:
        message = f"a prediction cannot read what `{loaded.program.name}` returns: it is no number and no vector"
        raise SpecError((Diagnostic("E0628", message),))
    return f"zeros({shape[0]})" if shape else "0"
