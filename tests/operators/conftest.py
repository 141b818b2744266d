"""Makes the runs on given rows of the property tests importable here."""

import sys
from pathlib import Path

for folder in ("operators", "kernels", "properties"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / folder))
