"""Sweeney 2000: the table of Figure 28 by Datafly II, mu-Argus and k-Similar; then as a wrong map.

python examples/foundations/example.py [FOLDER]
"""

import sys
from pathlib import Path
from tempfile import mkdtemp

import sfumato
from sfumato.datasets import write_paper
from sfumato.policy import policy_from_table

folder = write_paper("foundations", Path(*sys.argv[1:] or [mkdtemp()]))
for solver in ("datafly2", "mu_argus", "k_similar"):
    made = sfumato.release(
        folder / "figure28.csv", folder / f"{solver}.toml", to=folder / solver, replace=True
    )
    print(f"{solver}: {made.rows} of 12 rows, {made.outcome}")

# Wrong-map: everybody's birth, sex and ZIP code go to somebody with another problem.
unit = ["birth", "sex", "zip"]
policy = policy_from_table(
    {
        "fields": {"ssn": "direct", "ethnicity": "insensitive", "problem": "sensitive"}
        | dict.fromkeys(unit, "quasi"),
        "steps": [{"technique": "wrong_map", "fields": unit, "outside": ["problem"]}],
        "require": {"wrong_map": {"outside": ["problem"]}},
    }
)
made = sfumato.release(folder / "figure28.csv", policy, to=folder / "wrong-map", replace=True)
print(f"wrong map: {made.rows} of 12 rows; {made.verdicts[0].reason}")
