"""`python -m seqlang` is the command `seqlang`."""

import sys

from seqlang.cli.__main__ import main

sys.exit(main())
