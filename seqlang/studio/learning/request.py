"""What is asked for, checked: a spec with the sizes that the rows decide, the rows, and how they are gone through."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from seqlang.backends.interpret.data.columns import width_of
from seqlang.backends.interpret.data.reading import Reading
from seqlang.backends.train import Passes, Rows
from seqlang.backends.train.split import WAYS, Split, split
from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded, load
from seqlang.driver.given import whole
from seqlang.driver.training import rows as rows_of
from seqlang.record import record
from seqlang.studio.jobs.texts import settings_of, source_of
from seqlang.studio.learning.learner import Learner, learner_of
from seqlang.studio.learning.sources import Opened

MOST_ORDERS, MOST_CHECKPOINTS = 200, 100
LONGEST = 20_000
"""Characters of what is made of the columns."""


@record
class Request:
    """`loaded` has `settings`, and among them the parameters that the rows decide."""

    loaded: Loaded
    learner: Learner
    columns: Mapping[str, str]
    training: Rows
    validation: Rows
    test: Rows
    passes: Passes
    split: Split
    settings: Mapping[str, Fraction]


def request_of(argument: Mapping[str, Any], opened: Opened, tell: Callable[[Any], None], *, released_only: bool,
               seed: int) -> Request:  # fmt: skip
    """Reads the rows. Raises SpecError."""
    asked = _split(argument, seed)
    if released_only and asked.way == "balanced":
        raise SpecError.of("E0603", "a balanced draw looks at the labels, which no noise covers", help="draw any rows")
    settings = settings_of(argument)
    first = load(source_of(argument), settings)
    learner = learner_of(first.program)
    columns = {learner.attributes: _made(argument, "x"), learner.label: _made(argument, "y")}
    found = dict(settings)
    if learner.width is not None:
        found[learner.width] = Fraction(width_of(opened.source.table, columns[learner.attributes]))
    if learner.count is not None and learner.count not in settings:
        found[learner.count] = Fraction(asked.training)
    loaded = load(source_of(argument), found)
    layout = opened.layout
    reading = Reading(columns, (), bool(argument.get("clip")), layout)
    tell({"doing": "reading rows"})
    whole_file = rows_of(loaded, opened.path, reading, tell=lambda rows: tell({"doing": f"read {rows:,} rows"}))
    asked = Split(asked.training, asked.validation, asked.test, asked.way, asked.seed, learner.label)
    return Request(loaded, learner, columns, *split(whole_file, asked), _passes(argument, learner, seed), asked, found)


def _made(argument: Mapping[str, Any], field: str) -> str:
    text = str(argument[field]).strip()
    if not text or len(text) > LONGEST:
        what = "attribute is" if field == "x" else "label is"
        raise SpecError.of("E0602", f"no {what} chosen" if not text else "the columns take too many characters")
    return text


def _split(argument: Mapping[str, Any], seed: int) -> Split:
    training, validation = (whole(str(argument[name]), f"{name} rows") for name in ("training", "validation"))
    first, _, last = str(argument["test"]).partition(":")
    test = whole(first.strip(), "first test row"), whole(last.strip(), "last test row")
    way = next((one for one in WAYS if one == argument.get("way")), WAYS[1])
    return Split(training, validation, test, way, seed)


def _passes(argument: Mapping[str, Any], learner: Learner, seed: int) -> Passes:
    orders, checkpoints = (whole(str(argument[name]), name) for name in ("orders", "checkpoints"))
    if orders > MOST_ORDERS or checkpoints > MOST_CHECKPOINTS:
        message = f"at most {MOST_ORDERS} orders and {MOST_CHECKPOINTS} checkpoints"
        raise SpecError.of("E0603", message)
    return Passes(orders, seed, 1 if "return" in learner.predicted else checkpoints)
