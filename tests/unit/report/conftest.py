"""Lets the tests of the page import `report_example` by name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
