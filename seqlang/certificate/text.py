"""A certificate as text: JSON, one step and one statement of the model a line.

{"seqlang certificate": 1,            the version of this format
 "made by": "seqlang 0.1.0",
 "spec": "<SHA-256>",
 "model": {"is": "Program", ..},      what the proofs are about
 "steps": [{"is": "Derivation", ..}], each rests on earlier ones only
 "claims": [..], "bounds": [..]}      by the number of their step
"""

from __future__ import annotations

import json
from typing import Any

from seqlang.certificate.certificate import Certificate, Stated
from seqlang.certificate.classes import reachable
from seqlang.certificate.fits import fits
from seqlang.certificate.read import Reader
from seqlang.certificate.unreadable import Unreadable
from seqlang.certificate.write import Writer
from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation
from seqlang.rules import find

VERSION = 1
LARGEST = 50_000_000
"""Characters of the largest certificate that is read."""

_KEYS = ("seqlang certificate", "made by", "spec", "model", "steps", "claims", "bounds")


def to_text(certificate: Certificate) -> str:
    """The same certificate gives the same text, byte for byte. Raises Unreadable where it could not be read again."""
    writer = Writer()
    try:
        model = writer.value(certificate.program)
        claims = [writer.value(stated) for stated in certificate.claims]
        bounds = [writer.value(bound) for bound in certificate.bounds]
        values = (VERSION, certificate.made_by, certificate.spec, model, writer.steps, claims, bounds)
        lines = [f"{_line(key)}: {_laid_out(value)}" for key, value in zip(_KEYS, values, strict=True)]
    except RecursionError:
        raise Unreadable("the program is nested too deep") from None
    return "{" + ",\n ".join(lines) + "}\n"


def _laid_out(value: Any) -> str:
    """Lists of steps and claims, and the parts of the model, one a line."""
    if isinstance(value, list) and value:
        return "[\n  " + ",\n  ".join(map(_line, value)) + "]"
    if isinstance(value, dict):
        return "{\n  " + ",\n  ".join(f"{_line(key)}: {_inner(part)}" for key, part in value.items()) + "}"
    return _line(value)


def _inner(value: Any) -> str:
    return "[\n   " + ",\n   ".join(map(_line, value)) + "]" if isinstance(value, list) and value else _line(value)


def _line(value: Any) -> str:
    return json.dumps(value, allow_nan=False)


def from_text(text: str) -> Certificate:
    """Raises Unreadable, whatever the text."""
    if len(text) > LARGEST:
        raise Unreadable(f"it has {len(text):,} characters: no certificate is that long")
    try:
        raw = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
        return _certificate(raw)
    except RecursionError:
        raise Unreadable("it is nested too deep") from None
    except json.JSONDecodeError as error:
        raise Unreadable(f"line {error.lineno}: this is not JSON ({error.msg})") from None
    except ValueError:  # a whole number of more than 4300 digits
        raise Unreadable("a number has too many digits") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Unreadable("an object has the same key twice")
    return found


def _no_number(text: str) -> None:
    raise Unreadable(f"{text} is no number")


def _certificate(raw: Any) -> Certificate:
    if not isinstance(raw, dict) or "seqlang certificate" not in raw:
        raise Unreadable('it has no "seqlang certificate" at its top')
    version = raw["seqlang certificate"]
    if version != VERSION or isinstance(version, bool):
        raise Unreadable(f"it is in version {version!r:.20} of the format, and this program reads version {VERSION}")
    for key in (*_KEYS, *raw):
        if key not in raw or key not in _KEYS:
            raise Unreadable(f"{key!r:.60} {'is not expected' if key in raw else 'is missing'} at the top")
    reader = Reader(reachable(Program, Derivation, Stated))
    program = _part(reader, raw, "model", Program)
    steps = raw["steps"]
    if not isinstance(steps, list):
        raise Unreadable("it is a list", ("steps",))
    for number, step in enumerate(steps):
        try:
            _read_step(reader, step)
        except Unreadable as error:
            raise error.inside(f"step {number}") from None
    return Certificate(
        made_by=_part(reader, raw, "made by", str),
        spec=_part(reader, raw, "spec", str),
        program=program,
        claims=_part(reader, raw, "claims", tuple[Stated, ...]),
        bounds=_part(reader, raw, "bounds", tuple[Derivation, ...]),
    )


def _read_step(reader: Reader, raw: Any) -> None:
    named = raw.get("rule") if isinstance(raw, dict) else None
    rule = find(named) if isinstance(named, str) else None
    if rule is None:
        raise Unreadable(f"there is no rule {named!r:.60}", ("rule",))
    reader.step(raw, reachable(rule.evidence), rule.evidence)


def _part(reader: Reader, raw: dict[str, Any], key: str, annotation: Any) -> Any:
    try:
        value = reader.value(raw[key])
    except Unreadable as error:
        raise error.inside(key) from None
    if not fits(value, annotation):
        raise Unreadable("this is not what stands here in a certificate", (key,))
    return value
