"""The pages of a name, and all pages."""

from __future__ import annotations

from functools import cache

from seqlang.diagnostics.explain import codes
from seqlang.diagnostics.suggest import did_you_mean
from seqlang.manual.catalogues import diagnostic, diagnostics, options, rule, rules, terms
from seqlang.manual.generated import completed
from seqlang.manual.page import KINDS, Page
from seqlang.manual.written import written

FIRST = ("first test", "ten minutes", "for statisticians")
"""Guides to begin with."""


def find(name: str) -> tuple[Page, ...]:
    """The pages of a name; a name of several kinds has several, an unknown one none. Capitals and the dashes before
    an option matter only where another page has them otherwise."""
    name = " ".join(name.split())
    if (code := diagnostic(name)) is not None:
        return (code,)
    if "/" in name and (found := rule(name)) is not None:
        return (found,)
    names = _index()
    return names.get(name) or names.get(name.lower()) or names.get(f"--{name.lower()}") or ()


def pages() -> tuple[Page, ...]:
    """All pages by kind, in the order of KINDS. Imports every proof rule."""
    every = (*map(completed, written()), *options(), *terms(), *diagnostics(), *rules())
    return tuple(sorted(every, key=lambda page: (KINDS.index(page.kind), _place(page), page.name)))


def _place(page: Page) -> int:
    return FIRST.index(page.name) if page.kind == "guide" and page.name in FIRST else len(FIRST)


def near(name: str) -> str | None:
    """The known name that was probably meant. Imports every proof rule."""
    from seqlang.rules import names

    return did_you_mean(name, [*_index(), *codes(), *names()])


@cache
def _index() -> dict[str, tuple[Page, ...]]:
    found: dict[str, tuple[Page, ...]] = {}
    for page in (*map(completed, written()), *options(), *terms()):
        for name in page.names:
            found[name] = (*found.get(name, ()), page)
    return found
