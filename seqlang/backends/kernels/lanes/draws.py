"""The text that draws what runs take at random. A run takes one word of a stream for a variate, whatever happens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from seqlang.backends.kernels.lanes.columns import Columns, state, variate, word
from seqlang.backends.kernels.lanes.segments import streams_of
from seqlang.backends.kernels.operations import Purpose, Sample, indented

BIT = "_bit = np.uint64(1) << np.uint64(_l)"
"""The lane's bit in a mask."""

Numbered = Mapping[int, Sample]
"""Draws by their number among those of a step, or of the start."""

_SEEDS = ("", " + GOLDEN", " + (GOLDEN + GOLDEN)", " + (GOLDEN + GOLDEN + GOLDEN)")


def for_each(mask: str, lines: Iterable[str], lane: str = "_l") -> Iterator[str]:
    """`lines` for each lane whose bit is set; the mask is used up."""
    yield f"while {mask} != 0:"
    yield f"    {lane} = lowest_bit({mask})"
    yield f"    {mask} &= {mask} - np.uint64(1)"
    yield from indented(lines)


def load_streams(draws: Numbered, columns: Columns) -> Iterator[str]:
    """Reads the states of the streams that these draws use from the lane's columns."""
    for stream in streams_of(tuple(draws.values())):
        yield from (f"_{stream}_{j} = {columns.at(state(stream, j))}" for j in range(4))


def store_streams(streams: Iterable[Purpose], columns: Columns, *, nursery: bool = False) -> Iterator[str]:
    """Those of the streams that have a column: no step reads the others."""
    for stream in streams:
        if state(stream, 0) in columns.place:
            yield from (f"{columns.at(state(stream, j), nursery=nursery)} = _{stream}_{j}" for j in range(4))


def seed_streams(streams: Iterable[Purpose]) -> Iterator[str]:
    """Puts the streams of run `first + _given + _l` at their beginning."""
    for stream in streams:
        yield f"_counter = start_{stream} + np.uint64(first + _given + _l) * FOUR_GOLDEN"
        yield from (f"_{stream}_{j} = splitmix64(_counter{_SEEDS[j]})" for j in range(4))


def draw_word(sample: Sample) -> Iterator[str]:
    """One step of xoshiro256++."""
    s = f"_{sample.purpose}_"
    yield f"_sum = {s}0 + {s}3"
    yield f"_word = ((_sum << np.uint64(23)) | (_sum >> np.uint64(41))) + {s}0"
    yield f"_shifted = {s}1 << np.uint64(17)"
    yield f"{s}2 ^= {s}0"
    yield f"{s}3 ^= {s}1"
    yield f"{s}1 ^= {s}2"
    yield f"{s}0 ^= {s}3"
    yield f"{s}2 ^= _shifted"
    yield f"{s}3 = ({s}3 << np.uint64(45)) | ({s}3 >> np.uint64(19))"


def refusable(draws: Numbered) -> bool:
    """Whether a word may be refused: then the draws of all lanes have to be complete before any is used."""
    return any(s.sampler != "uniform" for s in draws.values())


def open_masks(draws: Numbered) -> Iterator[str]:
    """Sets the masks of refused words to empty, one for each draw whose words may be refused."""
    yield from (f"_again_{i} = np.uint64(0)" for i, s in draws.items() if s.sampler != "uniform")


def draw(draws: Numbered, columns: Columns, *, start: bool = False, used_up: bool = False) -> Iterator[str]:
    """For a lane: words, variates, and its bit in the masks of refused words. What is `used_up` at once needs no
    column."""
    for i, sample in draws.items():
        yield from draw_word(sample)
        target = passing(i) if used_up else columns.at(variate(start, i), nursery=start)
        if sample.sampler == "uniform":
            yield f"{target} = {_uniform(sample)}"
            continue
        yield f"_entry = entry_{sample.sampler}(_word)"  # one load: both the width and the bound are in it
        yield f"_place = place_{sample.sampler}(_word)"
        yield f"{target} = packed_value(_entry, _place)"
        yield f"{columns.at(word(start, i), nursery=start)} = _word"
        yield f"_again_{i} |= _bit if packed_refused(_entry, _place) else np.uint64(0)"


def bounds_of_words(samples: Iterable[Sample]) -> Iterator[str]:
    """For each constant that uniform variates are compared with: how many words are below it."""
    constants = dict.fromkeys(s.below for s in samples if s.below is not None)
    yield from (f"_words_below_{k} = words_below({k})" for k in constants)


def _uniform(sample: Sample) -> str:
    if sample.below is None:
        return "uniform_of_word(_word)"
    return f"1.0 if _word >> np.uint64(11) < _words_below_{sample.below} else 0.0"


def passing(draw: int) -> str:
    """The name of a variate that is used up."""
    return f"_variate_{draw}"


def draw_again(draws: Numbered, columns: Columns, *, start: bool = False) -> Iterator[str]:
    """The variates of the words that were refused."""
    for i, sample in draws.items():
        if sample.sampler != "uniform":
            target, source = (columns.at(column(start, i), nursery=start) for column in (variate, word))
            yield from for_each(f"_again_{i}", [f"{target} = slow_{sample.sampler}({source})"])


def draw_apart(draws: Numbered, columns: Columns) -> Iterator[str]:
    """Draws that only the lanes in the mask `_now_<number>` make."""
    for i, sample in draws.items():
        yield from for_each(
            f"_now_{i}",
            [
                *load_streams({i: sample}, columns),
                *draw_word(sample),
                f"{columns.at(variate(False, i))} = "
                + (_uniform(sample) if sample.sampler == "uniform" else f"{sample.sampler}_of_word(_word)"),
                *store_streams((sample.purpose,), columns),
            ],
        )
