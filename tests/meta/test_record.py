"""`seqlang.record` behaves as the frozen dataclass that type checkers take it for."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sys
import types

import pytest

from seqlang.record import field, field_names, mutable_record, record, replace


@record
class Point:
    """Two numbers, a remark that does not count, and something derived."""

    x: int
    y: int = 2
    remark: str = field(default="", compare=False)
    total: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", self.x + self.y)


@record
class Other:
    x: int
    y: int = 2


@mutable_record
class State:
    seen: list[int] = field(default_factory=list)


def test_values() -> None:
    assert Point(1) == Point(1, 2, remark="elsewhere")
    assert hash(Point(1)) == hash(Point(x=1, y=2, remark="elsewhere"))
    assert Point(1) != Point(2)
    assert Point(1) != Other(1)
    assert Point(1, 3).total == 4
    assert repr(Point(1)) == "Point(x=1, y=2, remark='')"


def test_immutable_and_slotted() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match="immutable"):
        point.x = 3
    with pytest.raises(AttributeError):
        del point.x
    with pytest.raises(AttributeError):
        object.__setattr__(point, "z", 1)


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError):
        Point()
    with pytest.raises(TypeError):
        Point(1, 2, "", 4)


def test_matching_replacing_copying() -> None:
    match Point(1, 5):
        case Point(x, y):
            assert (x, y) == (1, 5)
    assert replace(Point(1, 5, "r"), x=7) == dataclasses.replace(Point(1, 5), x=7) == Point(7, 5)
    assert pickle.loads(pickle.dumps(Point(1, 5))) == copy.deepcopy(Point(1, 5)) == Point(1, 5)


def test_dataclass_protocol() -> None:
    assert dataclasses.is_dataclass(Point)
    assert field_names(Point) == tuple(f.name for f in dataclasses.fields(Point)) == ("x", "y", "remark", "total")
    assert dataclasses.asdict(Point(1)) == {"x": 1, "y": 2, "remark": "", "total": 3}


def test_mutable() -> None:
    first, second = State(), State()
    first.seen.append(1)
    assert second.seen == []
    assert first != second
    second.seen = [2]
    assert second.seen == [2]


def test_annotations_that_are_values() -> None:
    """A class body without the future import: since Python 3.14 it keeps a function that computes its annotations."""
    scope: dict[str, object] = {"record": record}
    text = "@record\nclass Pair:\n    first: int\n    second: int = 2\n\n@record\nclass Empty:\n    pass\n"
    exec(compile(text, "pair", "exec", dont_inherit=True), scope)
    pair = scope["Pair"]
    assert repr(pair(1)) == "Pair(first=1, second=2)"
    assert [f.type for f in dataclasses.fields(pair)] == [int, int]
    assert repr(scope["Empty"]()) == "Empty()"


def test_annotations_kept_as_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `record` asks of Python 3.14, answered by a stand-in where an older Python runs the tests."""

    class Later:
        def __annotate_func__(self) -> None: ...

    stand_in = types.ModuleType("annotationlib")
    stand_in.Format = types.SimpleNamespace(FORWARDREF=3)
    stand_in.get_annotations = lambda cls, format: {"x": int} if cls is Later else {}
    monkeypatch.setitem(sys.modules, "annotationlib", stand_in)
    monkeypatch.setattr(sys, "version_info", (3, 14))
    made = record(Later)
    assert field_names(made) == ("x",)
    assert made(3) == made(3) != made(4)
