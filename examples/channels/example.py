"""Garfinkel, Gopal and Thompson 2007: Table 1 with names, twice, and what both tell together.

python examples/channels/example.py [FOLDER]
"""

import sys
from pathlib import Path
from tempfile import mkdtemp

import sfumato
from sfumato.assessment import assess
from sfumato.datasets import write_paper

folder = write_paper("channels", Path(*sys.argv[1:] or [mkdtemp()]))
source, policy = folder / "table1.csv", folder / "channels.toml"
for name in ("first", "second"):
    made = sfumato.release(source, policy, to=folder / name, replace=True)
    print(f"{name}: cost {made.manifest['channels']['cost']}; printed in Figure 5: 65")
found = assess(folder / "first", second=folder / "second")
for judgement in found.judgements:
    print(f"{judgement.outcome}: {judgement.question} {judgement.answer}")
swept = sfumato.sweep(source, policy, over="channels.risk_tolerance=1,1.5,2")
print([round(point.loss, 3) for point in swept.trade_off.points])
