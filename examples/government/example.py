"""Garfinkel 2016, section 4.3.6: a school publishes counts in ranges twice, one student apart.

python examples/government/example.py [FOLDER]
"""

import sys
from pathlib import Path
from tempfile import mkdtemp

import sfumato
from sfumato.datasets import write_paper

folder = write_paper("government", Path(*sys.argv[1:] or [mkdtemp()]))
for second in ("may.csv", "june.csv"):
    found = sfumato.intrude(folder / "may.csv", second=folder / second, counts="students")
    print(f"may.csv and {second}: {found.attacks.runs[0].got}")
