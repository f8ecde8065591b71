"""Lets the tests of usefulness import `side_tables` by name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
