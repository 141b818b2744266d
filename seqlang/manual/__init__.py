"""The manual: one page for each name of the language, of the commands and of what they print. `find(name)` gives the
pages of a name, `pages()` all of them."""

from seqlang.manual.find import find, near, pages
from seqlang.manual.page import KINDS, Kind, Page

__all__ = ["KINDS", "Kind", "Page", "find", "near", "pages"]
