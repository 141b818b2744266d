"""`python -m seqlang.manual FOLDER`: the manual as a web site."""

from __future__ import annotations

import argparse
from pathlib import Path

from seqlang.manual.site.build import build


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m seqlang.manual", description="The manual as a folder of HTML files."
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where they are written; it is made if need be")
    parser.add_argument(
        "--pictures", metavar="S", type=float, default=0.0,
        help="draw the exact laws of specs that take at most S seconds of CPU each (0: none)",
    )  # fmt: skip
    options = parser.parse_args()
    print(f"{build(options.folder, pictures=options.pictures)} pages in {options.folder}; begin with index.html")


if __name__ == "__main__":
    main()
