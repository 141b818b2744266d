"""The product of a step's parts on one panel, with fewer parts."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.analyses.witnesses.enclosure.bundle import Bundle
from seqlang.analyses.witnesses.enclosure.factors import FAR, MISSING, Almost, Exponential, Part, Piece
from seqlang.analyses.witnesses.enclosure.tails import LOG_HALF


def simplified(pieces: Sequence[Part | Bundle], low: float, high: float) -> list[Part | Bundle]:
    """The same product on the panel: Laplace noise's upper tails put together, tails near 1 left out."""
    constant = slope = size = error = 0.0
    count = 0
    kept: list[Part | Bundle] = []
    for piece in pieces:
        if isinstance(piece, Bundle):
            rest, missing = piece.without_certain(low, high)
            kept += [rest] if len(rest) else []
            error += missing
            continue
        if not isinstance(piece, Piece):
            kept.append(piece)
            continue
        if piece.tail is None:
            continue
        unit, times = piece.tail.unit, piece.times
        if len(piece.lines) == 2:
            two = piece
            piece = _one_sided(piece, low, high)
            if piece is two:
                kept.append(piece)
                continue
            error += times * MISSING
        ((a, s),) = piece.lines
        if piece.side > 0 and piece.tail is not None and piece.tail.family == "laplace":
            constant += times * (LOG_HALF - a / unit)
            slope += times * s / unit
            size += times * (1 + (abs(a) + abs(s)) / unit)
            count += 1
        elif max(a + s * low if s else a, a + s * high if s else a) < -FAR * unit:
            error += times * MISSING
        else:
            kept.append(piece)
    if count:
        kept.append(Exponential(constant, slope, size * (1 + count), count))
    if error:
        kept.append(Almost(error))
    return kept


def _one_sided(piece: Piece, low: float, high: float) -> Piece:
    """A piece between two lines without the one that is far away on the whole panel; itself if neither is."""
    if piece.side or piece.tail is None:
        return piece
    (a, s), (b, r) = piece.lines
    far = FAR * piece.tail.unit
    if max(a + s * low, a + s * high) < -far:
        return Piece(piece.tail, ((-b, -r),), piece.times, -1)
    if min(b + r * low, b + r * high) > far:
        return Piece(piece.tail, ((a, s),), piece.times, -1)
    return piece
