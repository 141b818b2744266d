"""Makes the oracles importable beside their tests, and the kernels that are run on given rows."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "kernels"))
