"""The results of one command under several models, or of a spec and its twin."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, SupportsIndex, TypeVar, overload

from seqlang.shown import Drawn, Shown, by_report, draw


class OneOfSeveral(Shown):
    """What a command finds under one model, `command` by name; `named_by` is the attribute that tells the model."""

    __slots__ = ()
    algorithm: str
    command: ClassVar[str]
    named_by: ClassVar[str] = "model"
    together: ClassVar[str | None] = None
    """The function of `seqlang.report` that makes one report of several, where there is one."""

    @property
    def summary(self) -> str:
        return f"{self.algorithm} under {getattr(self, self.named_by)}"


R = TypeVar("R", bound=OneOfSeveral)


class Results(tuple[R, ...], Generic[R]):
    """One result a model, in the order of the file: a tuple, of which `results["null"]` is the result under that model
    (of a training `results["without noise"]`, its variant).

        >>> import seqlang
        >>> laws = seqlang.solve("@wald1945/sprt")
        >>> laws
        <Results of solve, sprt: null, alternative, truth>
        >>> laws["null"] is laws[0]
        True
        >>> round(laws["alternative"].returns["reject"], 3)
        0.967
    """

    __slots__ = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The models, or variants."""
        return tuple(str(getattr(result, result.named_by)) for result in self)

    @overload
    def __getitem__(self, place: SupportsIndex | str, /) -> R: ...

    @overload
    def __getitem__(self, place: slice[Any, Any, Any], /) -> Results[R]: ...

    def __getitem__(self, place: SupportsIndex | slice[Any, Any, Any] | str, /) -> R | Results[R]:
        if isinstance(place, slice):
            return Results(tuple.__getitem__(self, place))
        if not isinstance(place, str):
            return tuple.__getitem__(self, place)
        if place not in self.names:
            raise KeyError(f"{place}: there are {', '.join(self.names)}")
        return tuple.__getitem__(self, self.names.index(place))

    def frame(self) -> list[dict[str, Any]]:
        """The rows of all results, with a column that tells which."""
        return [
            {result.named_by: name, **row}
            for name, result in zip(self.names, self, strict=True)
            for row in result.frame()
        ]

    def to_pandas(self) -> Any:
        """`frame()` as a `pandas.DataFrame`. Raises SpecError E0605 without pandas."""
        return by_report("table_file:data_frame", self.frame())

    def to_latex(self) -> str:
        """The tables of all reports, for papers."""
        return "\n".join(by_report("document.latex:render_latex", found) for found in self.documents())

    def plot(
        self, file: str | None = None, *, style: str | None = None, size: tuple[float, float] | None = None
    ) -> Any:
        """One picture of all results, as `plot` of one of them. Raises SpecError E0605 where there is no picture."""
        if not all(isinstance(result, Drawn) for result in self) or not self:
            raise by_report("pictures.look:no_picture", self)
        drawn: tuple[Any, ...] = tuple(self)
        return draw(drawn, file, style, size)

    def __repr__(self) -> str:
        if not self:
            return "<Results: none>"
        first = self[0]
        return f"<Results of {first.command}, {first.algorithm}: {', '.join(self.names)}>"

    def documents(self) -> tuple[Any, ...]:
        """The reports: one a result, or one of them all."""
        together = self[0].together if self else None
        return tuple(r.document() for r in self) if together is None else (by_report(together, self),)

    def __str__(self) -> str:
        return "\n".join(by_report("document.plain_text:render_plain", found) for found in self.documents())

    def _repr_html_(self) -> str:
        return "\n".join(by_report("document.rich_text:as_html", found) for found in self.documents())
