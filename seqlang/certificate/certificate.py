"""What `check --certificate` writes down and `verify` reads."""

from __future__ import annotations

from hashlib import sha256

from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation
from seqlang.proof.verdict import VerdictWord
from seqlang.record import record


@record
class Stated:
    """What the check said of one claim of the program. `derivation` is its proof; a claim that is refuted, or that the
    exact law decides, has none."""

    verdict: VerdictWord
    derivation: Derivation | None


@record
class Certificate:
    """`spec` is the SHA-256 of the spec's text in UTF-8, in hexadecimal digits; `program` its model, at the parameter
    values of the check; `claims` are in the order of the program's; `bounds` are the best bounds that were found."""

    made_by: str
    spec: str
    program: Program
    claims: tuple[Stated, ...]
    bounds: tuple[Derivation, ...]


def hash_of(text: str) -> str:
    """The SHA-256 of a spec's text (what `sha256sum` prints of its file, if that has no byte order mark)."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
