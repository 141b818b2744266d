"""`seqlang verify`: replays the derivations of a certificate, and imports nothing that searches for them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqlang.cli.options import PROOF_LIMIT, Parser, add_time_limit, within_limit
from seqlang.cli.terminal.output import say
from seqlang.diagnostics import SpecError
from seqlang.process.time_limit import lack

if TYPE_CHECKING:
    from argparse import Namespace

    from seqlang.certificate.certificate import Certificate
    from seqlang.certificate.verify import CheckedClaim, Verification

_EXAMPLES = """\
  seqlang check specs/tight/one_sided.seq --certificate one_sided.cert
  seqlang verify one_sided.cert
  seqlang verify one_sided.cert --spec specs/tight/one_sided.seq
  seqlang verify one_sided.cert --lines                     (the code that this rests on)

exit codes
  0  everything that the certificate says is proved replays
  1  a step does not replay, a claim is not what its derivation concludes, --spec is another spec, or the time limit
     was over first
  2  the file is no certificate, or its model is none: no spec can mean it, or its gates are not those of its body"""


def run(arguments: list[str]) -> int:
    """Verifies one certificate."""
    options = parser().parse_args(arguments)
    with within_limit(options, PROOF_LIMIT):
        return _asked(options)


def parser() -> Parser:
    parser = Parser("verify", "Replay the derivations of a certificate, without any search.", _EXAMPLES)
    parser.add_argument("file", metavar="CERTIFICATE", help="what `seqlang check --certificate FILE` wrote")
    parser.add_argument("--spec", metavar="SPEC", help="also: that the model in it is what this spec says")
    parser.add_argument("--every-claim", action="store_true", help="exit 1 too if some claim is not established")
    parser.add_argument("--lines", action="store_true", help="how many lines of seqlang this process imported")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_time_limit(parser, f"{PROOF_LIMIT:g}")
    return parser


def _asked(options: Namespace) -> int:
    certificate, found = _verified(options.file)
    problems = list(found.problems)
    if options.spec is not None:
        problems += _differs(certificate, options.spec)
    if options.every_claim:
        left = sum(not c.established for c in found.claims)
        problems += [f"{left} of {len(found.claims)} claims are not established by it"] if left else []
    told = _told(certificate, found, problems, options.spec)
    if options.lines:
        told["lines"] = _lines()
    _print_json(told) if options.json else _print(told)
    if found.cut_short:
        say(f"ended by --time-limit: what is missing is unknown, {lack()}")
    return 1 if problems else 0


def _verified(name: str) -> tuple[Certificate, Verification]:
    from seqlang.certificate.text import from_text
    from seqlang.certificate.unreadable import Unreadable
    from seqlang.certificate.verify import verify

    try:
        certificate = from_text(_read(name))
        return certificate, verify(certificate)
    except Unreadable as error:
        from seqlang.certificate.words import plain

        remedy = "write it again: seqlang check SPEC --certificate FILE"
        message = f"`{name}` is no certificate that can be verified: {plain(str(error))}"
        raise SpecError.of("E0660", message, help=remedy) from None


def _read(name: str) -> str:
    from seqlang.certificate.text import LARGEST
    from seqlang.certificate.unreadable import Unreadable

    try:
        with Path(name).open("rb") as file:
            return file.read(LARGEST + 1).decode("utf-8")
    except UnicodeDecodeError:
        raise Unreadable("it is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SpecError.of("E0605", f"cannot read `{name}`: {reason}") from None


def _differs(certificate: Certificate, name: str) -> list[str]:
    """How the spec differs from what the certificate is about. This imports the parser and elaboration."""
    from seqlang.certificate.certificate import hash_of
    from seqlang.certificate.compare import parts_that_differ
    from seqlang.driver.loading import load, read

    source, program = read(name), certificate.program
    if hash_of(source.text) != certificate.spec:
        return [f"the text of {name} is not the one that was checked: its SHA-256 differs"]
    try:
        again = load(source, {p.name: p.value for p in program.parameters}).program
    except SpecError as error:
        return [f"the parameters in the certificate are not those of {name}: {error.diagnostics[0].message}"]
    return [
        f"{part} of the model in the certificate: not what {name} says" for part in parts_that_differ(again, program)
    ]


def _told(certificate: Certificate, found: Verification, problems: list[str], spec: str | None) -> dict[str, Any]:
    from seqlang.certificate.words import bound_words, plain
    from seqlang.model.print import show_adjacency

    program = found.program
    model = "that the model in the certificate is what the spec with this SHA-256 says (--spec SPEC checks it)"
    return {
        "algorithm": plain(program.name),
        "made_by": plain(certificate.made_by),
        "spec": plain(certificate.spec),
        "parameters": {plain(p.name): str(p.value) for p in program.parameters},
        "neighbours": plain(show_adjacency(program.adjacency)),
        "claims": [_claim(c) for c in found.claims],
        "bounds": [
            {"bound": bound_words(program, b.derivation.conclusion), "by": plain(b.derivation.rule)}
            for b in found.bounds
            if b.problem is None
        ],
        "steps": found.steps,
        "trusted": ["the rules that replayed it (--lines counts them)", *([model] if spec is None else [])],
        "cut_short": found.cut_short,
        "problems": [plain(p) for p in problems],
        "ok": not problems,
    }


def _claim(claim: CheckedClaim) -> dict[str, Any]:
    from seqlang.certificate.words import claim_words, plain

    if claim.checked is not None:
        why = claim.checked.problem or f"by {claim.checked.derivation.rule}"
    else:
        why = {
            "proved": "said to be proved by the exact law, which is no derivation",
            "refuted": "said to be refuted: a witness is no derivation",
            "computed": "said to be computed: an estimate is no derivation",
            "unknown": "said to be unknown",
        }[claim.stated.verdict]
    return {"claim": claim_words(claim.claim), "established": claim.established, "why": plain(why)}


def _lines() -> dict[str, int]:
    """Lines of the modules of seqlang that this process imported, room by room, and of all."""
    rooms: dict[str, int] = {}
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name.partition(".")[0] in ("seqlang", "__main__") and file and "seqlang" in Path(file).parts:
            room = (*name.split("."), "")[1] or "seqlang"
            rooms[room] = rooms.get(room, 0) + len(Path(file).read_bytes().splitlines())
    return {**rooms, "all": sum(rooms.values())}


def _print_json(told: dict[str, Any]) -> None:
    print(json.dumps(told, allow_nan=False))


def _print(told: dict[str, Any]) -> None:
    print(f"{told['algorithm']}: a certificate made by {told['made_by']}")
    print(f"  spec        SHA-256 {told['spec']}")
    if told["parameters"]:
        print(f"  parameters  {', '.join(f'{name} = {value}' for name, value in told['parameters'].items())}")
    print(f"  neighbours  {told['neighbours']}")
    print(f"\nestablished: {told['steps']} steps were replayed, nothing was searched")
    established = [c for c in told["claims"] if c["established"]]
    for claim in established:
        print(f"  claim {claim['claim']}  {claim['why']}")
    for bound in told["bounds"]:
        print(f"  bound {bound['bound']}  by {bound['by']}")
    if not established and not told["bounds"]:
        print("  nothing")
    if len(established) < len(told["claims"]):
        print("\nnot established by this certificate")
    for claim in told["claims"]:
        if not claim["established"]:
            print(f"  claim {claim['claim']}: {claim['why']}")
    print("\nto be trusted")
    for trusted in told["trusted"]:
        print(f"  {trusted}")
    if "lines" in told:
        print("\nlines of seqlang that this process imported")
        for room, lines in told["lines"].items():
            print(f"  {room:<12} {lines:>6}")
    if told["problems"]:
        print("\nnot verified")
        for problem in told["problems"]:
            print(f"  {problem}")
