"""Lets the tests of techniques import what they share by name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
