"""`seqlang explain`: what a diagnostic code or a proof rule means."""

from __future__ import annotations

from seqlang.cli.options import Parser
from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.diagnostics.suggest import did_you_mean

_EXAMPLES = """\
  seqlang explain E0301
  seqlang explain alignment/stopping
  seqlang explain                        (lists everything that can be explained)"""


def _title(name: str) -> str:
    from seqlang.rules import find

    rule = find(name)
    return "" if rule is None else rule.title


def run(arguments: list[str]) -> int:
    """Prints the page of one code or rule, or the list of all."""
    from seqlang.diagnostics.explain import codes, explain
    from seqlang.rules import find, names

    parser = Parser("explain", "The long text of a diagnostic code or of a proof rule.", _EXAMPLES)
    parser.add_argument("name", nargs="?", help="a code such as E0301, or a rule such as alignment/stopping")
    options = parser.parse_args(arguments)
    known = names()
    if not options.name:
        print("codes\n  " + " ".join(codes()))
        print("rules\n" + "\n".join(f"  {name:<36} {_title(name)}" for name in known))
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
    near = did_you_mean(options.name, [*codes(), *known])
    remedy = f"did you mean `{near}`?" if near else "`seqlang explain` lists all names"
    raise SpecError((Diagnostic("E0604", f"nothing is called `{options.name}`", help=remedy),))
