"""Benchmarks: the product beside peers that do the same work, in one run. ``python -m bench``."""

import sys
from pathlib import Path

# The portal that is crawled here is the one that tests use.
sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))
