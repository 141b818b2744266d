"""A text that is no certificate."""

from __future__ import annotations


class Unreadable(Exception):
    """`where` leads from the top of the file to the part that is wrong."""

    def __init__(self, what: str, where: tuple[str, ...] = ()) -> None:
        super().__init__(what, where)
        self.what = what
        self.where = where

    def inside(self, place: str) -> Unreadable:
        return Unreadable(self.what, (place, *self.where))

    def __str__(self) -> str:
        return f"{' > '.join(self.where)}: {self.what}" if self.where else self.what
