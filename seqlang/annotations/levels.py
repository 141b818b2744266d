"""Who may know the value of a name."""

from __future__ import annotations

from typing import Literal

from seqlang.annotations.names import Meaning
from seqlang.annotations.reading import Reading
from seqlang.model.program import Define, Draw, Level, Noise, Program
from seqlang.record import record


@record
class Known:
    """`level`: `public` (constants and what is seen decide it), `hidden` (it depends on noise that nobody is shown) or
    `private` (it depends on private data). `noises` are added wherever the name is read."""

    level: Literal["public", "hidden", "private"]
    noises: tuple[Noise, ...] = ()

    @property
    def noised(self) -> bool:
        return bool(self.noises)


_WORDS: dict[Level, Literal["public", "hidden", "private"]] = {
    Level.PUBLIC: "public", Level.HIDDEN: "hidden", Level.PRIVATE: "private",
}  # fmt: skip


def level_of(reading: Reading, meaning: Meaning) -> Known | None:
    """None for what has no value of its own, and where the file has errors."""
    program = reading.program
    if program is None or meaning.declared is None:
        return None
    noises = noises_of(program, meaning.name)
    match meaning.kind:
        case "param" | "memory" | "public" | "report" | "label" | "let":
            return Known("public", noises)
        case "stream" | "dataset":
            return Known("private", noises)
        case "statistic" | "draw":
            made = (s for s in program.body if isinstance(s, Define | Draw) and s.name == meaning.name)
            return Known(_WORDS[next((s.level for s in made), Level.HIDDEN)], noises)
        case _:
            return None


def noises_of(program: Program, name: str) -> tuple[Noise, ...]:
    """The draws that are attached to a name."""
    return tuple(noise for noise in program.noises if noise.target == name)
