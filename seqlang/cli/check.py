"""`seqlang check`: bounds, derivations, verdicts."""

from __future__ import annotations

import sys

from seqlang.cli.errors import show, show_error
from seqlang.cli.options import Parser, add_settings, positive, probability, settings
from seqlang.diagnostics import SpecError

_EXAMPLES = """\
  seqlang check specs/zhang2022/privsprt_bernoulli.seq
  seqlang check @tight/one_sided --set lz=2 --set lw=1/2 --explain
  seqlang check specs/*/*.seq --json | jq .strong.pure.upper"""


def run(arguments: list[str]) -> int:
    """Checks every file; the worst exit code wins."""
    parser = Parser("check", "Privacy bounds, derivations, and the verdict of every claim.", _EXAMPLES)
    parser.add_argument("files", nargs="+", metavar="FILE", help="a .seq file, or @name from the library")
    add_settings(parser)
    parser.add_argument("--delta", default="1e-6", metavar="D", help="where the (eps, delta) bound is taken (1e-6)")
    parser.add_argument("--horizon", metavar="N", help="steps, for bounds that need a horizon")
    parser.add_argument("--explain", action="store_true", help="the whole derivation of every bound that was found")
    parser.add_argument("--latex", action="store_true", help="the formulas once more as LaTeX, for papers")
    parser.add_argument("--json", action="store_true", help="one JSON object a file")
    options = parser.parse_args(arguments)
    values = settings(options.set)
    delta = probability(options.delta, "--delta")
    horizon = None if options.horizon is None else positive(options.horizon, "--horizon")

    from seqlang.driver import check, load, read

    worst = 0
    for number, name in enumerate(options.files):
        try:
            loaded = load(read(name), values)
            show(loaded.warnings, loaded.source)
            result = check(loaded, delta=delta, horizon=horizon)
        except SpecError as error:
            show_error(error)
            worst = max(worst, 2)
            continue
        if options.json:
            import json

            print(json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False))
        else:
            from seqlang.report.rich_document import show as show_document

            if number:
                print()
            show_document(result.document(options.explain), sys.stdout)
            if options.latex:
                from seqlang.report.latex import latex_document

                print()
                show_document(latex_document(result), sys.stdout)
        worst = max(worst, 0 if result.ok else 1)
    return worst
