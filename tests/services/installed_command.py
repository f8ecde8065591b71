"""The installed command `sfumato`, for tests that start it as a process of its own and end it by a
signal.

They do not start `python -m sfumato.cli`. CPython ends such a process by SIGINT, in place of its
exit code, where a KeyboardInterrupt has passed through code that `exec` compiled from text, also
where the interrupt was caught. `dataclasses` compiles so, hence any import may. A shell reports
130 for both."""

from __future__ import annotations

import sys
from pathlib import Path

SFUMATO = str(Path(sys.executable).with_name("sfumato"))
