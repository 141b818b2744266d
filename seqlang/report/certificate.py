"""What a check found, as the text of a certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlang.certificate.certificate import Certificate, Stated, hash_of
from seqlang.certificate.text import to_text
from seqlang.certificate.unreadable import Unreadable
from seqlang.diagnostics import SpecError
from seqlang.version import __version__

if TYPE_CHECKING:
    from seqlang.results.check import CheckResult


def certificate_text(result: CheckResult) -> str:
    """The same check gives the same text, byte for byte."""
    bounds = result.bounds
    certificate = Certificate(
        made_by=f"seqlang {__version__}",
        spec=hash_of(result.source.text),
        program=result.program,
        claims=tuple(Stated(v.verdict, v.derivation) for v in result.verdicts),
        bounds=tuple(d for d in (bounds.pure, bounds.dp, bounds.zcdp, *bounds.rdp) if d is not None),
    )
    try:
        return to_text(certificate)
    except Unreadable as error:
        raise SpecError.of("E0605", f"a certificate cannot be written: {error}") from None
