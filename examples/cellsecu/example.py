"""Chiang et al. 2001: the most specific answer with bins of two and no certain test result.

python examples/cellsecu/example.py [FOLDER]
"""

import sys
from pathlib import Path
from tempfile import mkdtemp

import sfumato
from sfumato.datasets import write_paper

folder = write_paper("cellsecu", Path(*sys.argv[1:] or [mkdtemp()]))
made = sfumato.release(
    folder / "table1.csv", folder / "cellsecu.toml", to=folder / "release", replace=True
)
print(f"{made.rows} rows, levels {made.manifest['recoding']['levels']}; printed in Table 2: all 1")
