"""A report as a hospital would get it: 10,000 made-up stays, solved by Datafly II, recounted and
measured."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import numpy as np

from sfumato.bins import Bins, Recoding
from sfumato.hierarchies import Hierarchy
from sfumato.measures import check_ads0, utility
from sfumato.protection import KAnonymity, overall
from sfumato.report import BinFacts, FieldFacts, ReportFacts, StepFacts
from sfumato.solvers import Datafly2

KNOWN = ("age", "zip", "sex")
EDGES = (1, 2, 5, 10, 20, 50, 100)

POLICY = """\
release_to = "contracted-researcher"

[fields.age]
role = "quasi"
hierarchy = { ranges = [5, 10, 20] }

[fields.zip]
role = "quasi"
hierarchy = { prefix = [4, 3, 2] }

[fields.sex]
role = "quasi"

[fields.diagnosis]
role = "sensitive"

[require]
k = 5
max_suppression = 0.02
"""


def stays(rows: int = 10_000) -> Bins:
    draw = random.Random(1997)
    sizes: Counter[tuple[str, ...]] = Counter()
    for _ in range(rows):
        age = min(99, max(0, int(draw.gauss(58, 21))))
        place = (
            draw.choice(("021", "021", "021", "022", "024"))
            + f"{int(draw.triangular(0, 60, 12)):02d}"
        )
        sizes[(str(age), place, draw.choice("FM"))] += 1
    return Bins.of(KNOWN, dict(sizes))


def hierarchies(bins: Bins) -> dict[str, Hierarchy]:
    ages, zips, sexes = ([label for label in labels if label is not None] for labels in bins.labels)
    return {
        "age": Hierarchy.from_rows(
            [(age, *(_range(int(age), width) for width in (5, 10, 20)), "*") for age in ages],
            level_names=("years", "5 years", "10 years", "20 years", "nothing"),
        ),
        "zip": Hierarchy.from_rows(
            [(zip_, *(zip_[:kept] + "*" * (5 - kept) for kept in (4, 3, 2)), "*") for zip_ in zips],
            level_names=("5 digits", "4 digits", "3 digits", "2 digits", "nothing"),
        ),
        "sex": Hierarchy.from_rows([(sex, "*") for sex in sexes], level_names=("sex", "nothing")),
    }


def _range(age: int, width: int) -> str:
    first = age // width * width
    return f"{first}–{first + width - 1}"


@cache
def facts() -> ReportFacts:
    bins = stays()
    ladders = hierarchies(bins)
    model = KAnonymity(k=5, fields=KNOWN)
    solver = Datafly2(models=(model,), max_suppression=0.02, distortion={"sex": 0.1})
    solved = solver.solve(bins, ladders)
    after = solved.recoding.apply(bins, ladders)
    verdicts = (model.judge(after), KAnonymity(k=5, fields=("zip", "sex")).judge(after))
    return ReportFacts(
        title="Hospital stays 2024",
        created="2025-03-14 10:22 UTC",
        version="0.1.0",
        outcome=overall(verdicts),
        proposed=False,
        recipient="contracted-researcher",
        recipient_description="A researcher whose contract forbids linking; could, but may not, link.",
        engine="duckdb 1.4",
        solver=solved.solver,
        seed=0,
        rows_source=bins.rows,
        rows_released=after.rows,
        verdicts=verdicts,
        ads0=check_ads0(after, bins, KNOWN, ladders),
        utility=utility(bins, ladders, solved.recoding),
        before=bin_facts(bins),
        after=bin_facts(after),
        fields=(*_recoded(bins, after, ladders, solved.recoding), *_others()),
        steps=tuple(
            StepFacts(what=s.what, bins=s.bins, rows_failing=s.rows_failing) for s in solved.steps
        ),
        notes=("The rows are in random order, so their place in the source is not told.",),
        warnings=("diagnosis is released as it is: two of its values occur in one bin only.",),
        policy_toml=POLICY,
        files={"stays.csv": "9f2c" * 16, "manifest.json": "41d7" * 16},
        hierarchies=ladders,
    )


def bin_facts(bins: Bins) -> BinFacts:
    place = np.searchsorted(EDGES, bins.counts, side="right") - 1
    return BinFacts(
        count=len(bins),
        smallest=bins.smallest,
        average=bins.rows / len(bins) if len(bins) else 0.0,
        edges=EDGES,
        bins=tuple(int((place == at).sum()) for at in range(len(EDGES))),
        rows=tuple(int(bins.counts[place == at].sum()) for at in range(len(EDGES))),
        unique_rows=int((bins.counts == 1).sum()),
    )


def _recoded(
    bins: Bins, after: Bins, ladders: dict[str, Hierarchy], recoding: Recoding
) -> list[FieldFacts]:
    levels, rows = recoding.cell_levels(bins)
    kept = utility(bins, ladders, recoding).per_field
    return [
        FieldFacts(
            name=name,
            role="quasi",
            treatment=f"generalised to {ladder.level_name(int(levels[0, at]))}"
            if levels[0, at]
            else "kept as it is",
            known=True,
            level_names=ladder.level_names,
            labels_per_level=tuple(map(len, ladder.labels)),
            rows_at_level=tuple(
                int(rows[levels[:, at] == level].sum()) for level in range(ladder.height + 1)
            ),
            distinct_before=bins.distinct(name),
            distinct_after=after.distinct(name),
            precision=kept[name],
        )
        for at, (name, ladder) in enumerate(ladders.items())
    ]


def _others() -> list[FieldFacts]:
    return [
        FieldFacts(name="name", role="direct", treatment="removed"),
        FieldFacts(
            name="patient_id", role="direct", treatment="replaced by a keyed hash of 16 letters"
        ),
        FieldFacts(
            name="diagnosis",
            role="sensitive",
            treatment="kept as it is",
            distinct_before=212,
            distinct_after=209,
        ),
        FieldFacts(name="length_of_stay", role="insensitive", treatment="kept as it is"),
        FieldFacts(
            name="letter",
            role="text",
            treatment="removed: free text is not released before it is scrubbed",
        ),
    ]
