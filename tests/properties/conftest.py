"""Lets the property tests, and the contracts that need random tables, import `random_tables`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
