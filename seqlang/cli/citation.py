"""`seqlang --cite`: how this program is cited."""

from __future__ import annotations

from seqlang.version import __version__

_TEXT = """\
To cite seqlang, name its version: verdicts and bounds are those of a version.

  The seqlang authors (2026). seqlang {version}: a language for sequential algorithms on private data.

@software{{seqlang,
  author  = {{{{The seqlang authors}}}},
  title   = {{seqlang: a language for sequential algorithms on private data}},
  version = {{{version}}},
  year    = {{2026}}
}}

Cite the sources of a result too: `seqlang check FILE --explain` names, for each bound, the theorem behind it.
"""


def citation() -> str:
    """A sentence, and an entry for BibTeX."""
    return _TEXT.format(version=__version__)
