"""`seqlang explain`: what a diagnostic code, a proof rule or a function of the language means."""

from __future__ import annotations

from seqlang.cli.options import Parser
from seqlang.diagnostics import SpecError
from seqlang.diagnostics.suggest import hint
from seqlang.operators.catalogue import OPERATORS
from seqlang.operators.operator import Operator

_EXAMPLES = """\
  seqlang explain E0301
  seqlang explain alignment/stopping
  seqlang explain log1p
  seqlang explain                        (lists everything that can be explained)"""


def _title(name: str) -> str:
    from seqlang.rules import find

    rule = find(name)
    return "" if rule is None else rule.title


def _call(entry: Operator) -> str:
    """How it is called: `clip(x, low, high)`."""
    names = ("v",) if entry.arguments is None else (name for name, _ in entry.arguments)
    return f"{entry.name}({', '.join(names)})"


def run(arguments: list[str]) -> int:
    """Prints the page of one code, rule or function, or the list of all."""
    from seqlang.diagnostics.explain import codes, explain
    from seqlang.rules import find, names

    parser = Parser("explain", "What a diagnostic code, a proof rule or a function means.", _EXAMPLES)
    parser.add_argument("name", nargs="?", help="a code (E0301), a rule (alignment/stopping) or a function (log1p)")
    options = parser.parse_args(arguments)
    known = names()
    functions = {name: entry for name, entry in OPERATORS.items() if entry.group in ("function", "fold")}
    if not options.name:
        print("codes\n  " + " ".join(codes()))
        print("rules\n" + "\n".join(f"  {name:<36} {_title(name)}" for name in known))
        print("functions\n" + "\n".join(f"  {_call(entry):<36} {entry.about}" for entry in functions.values()))
        return 0
    page = explain(options.name.upper())
    if page is not None:
        print(page, end="" if page.endswith("\n") else "\n")
        return 0
    rule = find(options.name)
    if rule is not None:
        from textwrap import dedent

        statement = dedent(rule.statement).strip("\n")

        print(f"{rule.name}: {rule.title}\n\n{statement}\n\nSource: {rule.cite}")
        return 0
    if options.name in functions:
        print(f"{_call(functions[options.name])}: {functions[options.name].about}")
        return 0
    remedy = hint(options.name, [*codes(), *known, *functions]) or "`seqlang explain` lists all names"
    raise SpecError.of("E0604", f"nothing is called `{options.name}`", help=remedy)
