"""What is tried: a kind of attempt writes its files into a folder and says which command to run there. The same kind
and seed make the same attempt."""

from __future__ import annotations

import gzip
import random
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from extremes import spec
from forked import carried_out
from mutants import LIBRARY, VALUES, is_spec, semantic, syntactic

if TYPE_CHECKING:
    from seqlang.model.program import Program

Words = list[str]
Attempt = Callable[[random.Random, Path], Words]
FILE = "attempt.seq"
TIME_LIMIT = 25
"""Seconds of CPU that each command is given which can be given any: it ends by itself before `forked.CPU`."""
TAKE_A_LIMIT = ("check", "run", "solve", "verify", "design", "monitor")
SETTINGS = [*VALUES, "1e18", "16", "40", "60", "64", "1e5", "1e-18", "-1e18", "123456789", "2.5", "1e-100", "1e299"]


def _check(rng: random.Random, text: str) -> Words:
    more = rng.choice((
        [], [], [], ["--json"], ["--explain"], ["--latex"], ["--horizon", rng.choice(["1", "10", "1000000"])],
        ["--delta", rng.choice(["0.5", "1e-300", "1e-12", "0.999"])], ["--instances", "2"], ["--weak-profile"],
    ))  # fmt: skip
    return ["check", FILE, *more]


def _run(rng: random.Random, text: str) -> Words:
    engine = rng.choice(["auto", "auto", "numpy", "interpreter"])
    return ["run", FILE, "--runs", rng.choice(["1", "20", "200"]), "--cap", "30", "--engine", engine,
            *rng.choice(([], [], ["--json"], ["--exact"]))]  # fmt: skip


def _compiled(rng: random.Random, text: str) -> Words:
    return ["run", FILE, "--runs", "50", "--cap", "30", "--engine", "compiled", "--threads", "1"]


def _rare(rng: random.Random, text: str) -> Words:
    return ["run", FILE, "--runs", "200", "--cap", "30", "--rare", rng.choice(["stops", "reject", "accept"])]


def _solve(rng: random.Random, text: str) -> Words:
    return ["solve", FILE, *rng.choice(([], [], ["--json"], ["--tolerance", rng.choice(["1e-3", "1e-15", "0.9"])]))]


def _solve_for(rng: random.Random, text: str) -> Words:
    target = rng.choice(["pure(1)", "dp(1, 1e-6)", "zcdp(0.5)", "rdp(2, 1)"])
    return ["check", FILE, "--solve-for", rng.choice(_parameters(text) or ["eps"]), "--target", target]


def _sweep(rng: random.Random, text: str) -> Words:
    name = rng.choice(_parameters(text) or ["eps"])
    return ["run", FILE, "--runs", "10", "--cap", "20", "--sweep", f"{name}={','.join(rng.sample(VALUES, 3))}",
            "--workers", "1", *rng.choice(([], ["--exact"], ["--output", "table.csv"]))]  # fmt: skip


def _fmt(rng: random.Random, text: str) -> Words:
    return ["fmt", "--check", FILE]


COMMANDS = [_check, _check, _check, _check, _run, _run, _solve, _solve, _rare, _solve_for, _sweep, _fmt]


def _parameters(text: str) -> list[str]:
    return [line.split()[1] for line in text.split("\n") if line.startswith("param ") and len(line.split()) > 1]


def _program(text: str) -> Program:
    from seqlang.driver import load
    from seqlang.source import Source

    return load(Source("attempt", text)).program


def _on(text: str, rng: random.Random, folder: Path, commands: list[Callable[[random.Random, str], Words]]) -> Words:
    (folder / FILE).write_bytes(text.encode("utf-8", "surrogatepass"))
    return rng.choice(commands)(rng, text)


def syntax(rng: random.Random, folder: Path) -> Words:
    """Mutants of texts."""
    return _on(syntactic(rng), rng, folder, COMMANDS)


def meaning(rng: random.Random, folder: Path) -> Words:
    """Mutants that are specs."""
    return _on(semantic(rng), rng, folder, COMMANDS)


def kernels(rng: random.Random, folder: Path) -> Words:
    """Mutants that are specs, compiled."""
    return _on(semantic(rng), rng, folder, [_compiled])


def settings(rng: random.Random, folder: Path) -> Words:
    """Specs of the library with extreme parameters, one or several."""
    text = rng.choice([text for text in LIBRARY if _parameters(text)])
    words = _on(text, rng, folder, COMMANDS)
    if words[0] == "fmt":
        words = ["check", FILE]
    names = _parameters(text)
    for name in rng.sample(names, min(len(names), rng.choice((1, 1, 2, 4)))):
        words += ["--set", f"{name}={rng.choice(SETTINGS)}"]
    return words


def extremes(rng: random.Random, folder: Path) -> Words:
    """Small specs whose laws have extreme parameters."""
    return _on(spec(rng), rng, folder, [_check, _run, _solve, _plan])


def _plan(rng: random.Random, text: str) -> Words:
    return ["release", FILE, "--plan"]


def _flipped(rng: random.Random, data: bytes) -> bytes:
    """With some bits, bytes or ends changed."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 20))):
        at = rng.randrange(len(changed)) if changed else 0
        match rng.randrange(5):
            case 0 | 1 if changed:
                changed[at] ^= 1 << rng.randrange(8)
            case 2 if changed:
                changed[at] = rng.choice(b'\0\xff",\n\r\x1b;0-.eE{[\x9b')
            case 3:
                changed[at:at] = rng.choice(
                    [b"\n", b",", b'"', b"\x1b[2J", b"1e999", b"nan", b"\xc2\x9b31m", b"9" * 5000]
                )
            case _ if rng.random() < 0.3:
                del changed[at:]
    return bytes(changed)


def data(rng: random.Random, folder: Path) -> Words:
    """Rows that were damaged: text, gzip, Parquet."""
    text = rng.choice(LIBRARY)
    (folder / FILE).write_text(text, encoding="utf-8")
    fields = [(i.name, getattr(i.domain, "dimension", None)) for i in _program(text).inputs]
    columns = [name for name, dimension in fields if dimension is None] or ["x"]
    count = rng.choice((0, 1, 3, 50))
    table = {name: [rng.choice(["0", "1", "1", "0.5", "2"]) for _ in range(count)] for name in [*columns, "arm"]}
    rows = [",".join(table), *(",".join(row) for row in zip(*table.values(), strict=True))]
    plain = "\n".join(rows).encode() + b"\n"
    form = rng.choice(["csv", "csv", "gz", "gz", "parquet"])
    if form == "parquet":
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table({k: [float(v) for v in vs] for k, vs in table.items()}), folder / "p")
        plain = (folder / "p").read_bytes()
    if form == "gz" and rng.random() < 0.3:
        plain = _flipped(rng, plain)
    made = gzip.compress(plain, mtime=0) if form == "gz" else plain
    (folder / "rows").write_bytes(_flipped(rng, made) if rng.random() < 0.9 else made)
    more: list[Words] = [[], [], ["--clip"], ["--where", "arm=1"], ["--where", "arm!=0"], ["--json"], ["--skip", "1"],
                         ["--names", "V1..V3"], ["--column", f"{columns[0]}=arm/2"], ["--permutations", "2"],
                         ["--checkpoints", "2"], ["--twin"], ["--rows", "1:2"]]  # fmt: skip
    return ["run", FILE, "--data", "rows", "--cap", "60", *rng.choice(more), *rng.choice(more)]


_SWEEP = ["run", FILE, "--runs", "20", "--cap", "20", "--sweep", "p0=0.2,0.3,0.4", "--model", "null", "--model",
          "alternative", "--workers", "1", "--store", "done.sqlite"]  # fmt: skip


@cache
def _store() -> bytes:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / FILE).write_text(_sprt(), encoding="utf-8")
        outcome = carried_out(_SWEEP, folder)
        assert outcome.code == 0, outcome.err
        return (folder / "done.sqlite").read_bytes()


def _sprt() -> str:
    return next(text for text in LIBRARY if text.startswith("algorithm sprt "))


def store(rng: random.Random, folder: Path) -> Words:
    """A store of a sweep that was damaged, and the same sweep again."""
    (folder / FILE).write_text(_sprt(), encoding="utf-8")
    (folder / "done.sqlite").write_bytes(_flipped(rng, _store()))
    return _SWEEP if rng.random() < 0.8 else [*_SWEEP, "--json"]


_KERNEL = ["run", FILE, "--runs", "50", "--cap", "30", "--engine", "compiled", "--threads", "1", "--model", "null"]


@cache
def _kept_kernel() -> Path:
    import atexit

    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / FILE).write_text(_sprt(), encoding="utf-8")
    (folder / "cache").mkdir()
    outcome = carried_out(_KERNEL, folder)
    assert outcome.code == 0, outcome.err
    return folder / "cache"


def kept(rng: random.Random, folder: Path) -> Words:
    """A kernel that was kept and damaged, and the same run again."""
    (folder / FILE).write_text(_sprt(), encoding="utf-8")
    shutil.copytree(_kept_kernel(), folder / "cache")
    victim = rng.choice([path for path in sorted((folder / "cache").rglob("*")) if path.is_file()])
    victim.write_bytes(_flipped(rng, victim.read_bytes()))
    return _KERNEL


ODD = ["", "nan", "inf", "1e999", "x", "a=1", "1:2:3", "-1:1", "0:0:0", "\x1b[31m", "é", "1,2", "eps=1,2", "eps=0:1:3",
       "cases.csv", "/", "/dev/full", "nowhere/file.csv", "pure(1)"]  # fmt: skip


def options(rng: random.Random, folder: Path) -> Words:
    """Options with odd values, or without."""
    (folder / FILE).write_text(rng.choice(LIBRARY), encoding="utf-8")
    (folder / "cases.csv").write_bytes(_flipped(rng, b"eps,model,seed,runs\n1,null,1,10\n2,,2,\n"))
    value = rng.choice([*VALUES, *ODD])
    names = {
        "check": "--set --delta --horizon --json --explain --latex --suite --audit --model --solve-for --target "
                 "--weak-profile --epsilons --plot --instances --seed",
        "run": "--model --runs --until-ci --seed --set --cap --engine --threads --plot --json --exact --rare --sweep "
               "--cases --output --store --workers --x --y --colour --data --column --where --clip --skip --names",
        "solve": "--model --set --curve --tolerance --plot --json --sweep --cases --output --store --workers --x --y",
        "fmt": "--check", "specs": "--x", "explain": "--x",
    }  # fmt: skip
    command = rng.choice(["check", "check", "run", "run", "run", "solve", "solve", "fmt", "specs", "explain", value])
    known = names.get(command, "--x").split()
    words = [command, rng.choice([FILE, FILE, FILE, "@tight/one_sided", "@nothing", value])]
    words += {"run": ["--runs", "10", "--cap", "20"]}.get(command, [])
    flags = ("--json", "--explain", "--latex", "--suite", "--weak-profile", "--exact", "--clip", "--check")
    for name in rng.sample(known, min(len(known), rng.choice((1, 1, 2)))):
        words += [name] if name in flags else [name, rng.choice([value, "1", "2", "0.5"])]
    return words


KINDS: dict[str, Attempt] = {
    a.__name__: a for a in (syntax, meaning, settings, extremes, kernels, data, store, kept, options)
}  # fmt: skip


def attempt(kind: str, seed: int, folder: Path) -> Words:
    """Writes the files of an attempt and returns its command."""
    is_spec.cache_clear()
    words = KINDS[kind](random.Random(f"{kind} {seed}"), folder)
    return [*words, "--time-limit", str(TIME_LIMIT)] if words[0] in TAKE_A_LIMIT else words
