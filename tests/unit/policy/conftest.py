"""Lets the tests of the policy room import `policies` by name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
