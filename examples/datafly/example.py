"""Sweeney 1997: Datafly from Table 4 to Table 6, step by step.

python examples/datafly/example.py [FOLDER]
"""

import sys
from pathlib import Path
from tempfile import mkdtemp

import sfumato
from sfumato.datasets import write_paper

folder = write_paper("datafly", Path(*sys.argv[1:] or [mkdtemp()]))
made = sfumato.release(
    folder / "table4.csv", folder / "datafly.toml", to=folder / "release", replace=True
)
print(f"{made.rows} of 10 rows are released; the Caucasian woman of 1965 is not")
for warning in made.manifest["warnings"]:
    print(f"! {warning}")
