"""Every spec of the library: what is written is read as the same values, replays, and is written the same again."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from checked import checked
from library_slices import ONE_IN, slice_of_library
from written_certificates import SPECS

from seqlang import driver
from seqlang.analyses.claims import claimed_horizon
from seqlang.analyses.prove import prove
from seqlang.certificate.certificate import Certificate, Stated, hash_of
from seqlang.certificate.text import from_text, to_text
from seqlang.certificate.verify import verify
from seqlang.rules.claims import falls_short

FILES = sorted(SPECS.rglob("*.seq"))


@cache
def _certificate(path: Path) -> Certificate:
    """Bounds at the default delta and the claims that they prove, without the search for witnesses."""
    loaded = driver.load(driver.read(str(path)))
    program = loaded.program
    best = prove(program, horizon=claimed_horizon(program))
    bounds = tuple(d for d in (best.pure, best.dp, best.zcdp, *best.rdp) if d is not None)
    proofs = [next((d for d in bounds if falls_short(program, c, d) is None), None) for c in program.claims]
    claims = tuple(Stated("unknown" if d is None else "proved", d) for d in proofs)
    return Certificate("seqlang 0", hash_of(loaded.source.text), program, claims, bounds)


@pytest.mark.parametrize("path", slice_of_library("certificates"))
def test_written_read_and_replayed(path: Path) -> None:
    certificate = _certificate(path)
    text = to_text(certificate)
    again = from_text(text)
    assert again == certificate
    assert to_text(again) == text
    assert text == to_text(_certificate.__wrapped__(path))
    found = verify(again)
    assert not found.problems
    assert len(found.bounds) == len(certificate.bounds)
    assert [c.established for c in found.claims] == [s.derivation is not None for s in certificate.claims]


def test_most_of_the_library_has_something_to_write() -> None:
    """The test above would pass for certificates that say nothing."""
    certificates = [_certificate(path) for path in FILES[::ONE_IN]]
    assert sum(bool(c.bounds) for c in certificates) > 0.7 * len(certificates)
    assert sum(any(s.derivation for s in c.claims) for c in certificates) > 0.5 * len(certificates)


@pytest.mark.long
@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_what_check_proves_verify_establishes(path: Path) -> None:
    result = checked(f"{path.parent.name}/{path.stem}")
    found = verify(from_text(result.certificate()))
    assert not found.problems
    assert [c.established for c in found.claims] == [v.derivation is not None for v in result.verdicts]
