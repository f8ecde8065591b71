"""A report as a hospital would get it of six linked tables, and one of twelve with forty fields
each."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import report_example

from sfumato.bins import Bins
from sfumato.policy import RowCountMerging
from sfumato.protection import KPeople, Verdict, overall
from sfumato.protection.row_counts import RowCounts
from sfumato.report import RowCountFacts, SetFacts, TableFacts, TablesFacts
from sfumato.solvers import merge_row_counts

PEOPLE = 292
REPLACED = "replaced by a number, the same in every table"
SHIFTED = "shifted by days of the person's own, up to 30"


def row_counts(people: int, *, seed: int, bin_size: int = 5, spread: float = 1.3) -> RowCountFacts:
    """Numbers of rows with the skew of the paper's visits (Sweeney 1997, section 3.8), merged as a
    release merges them."""
    draw = random.Random(seed)
    counted = Counter(max(0, round(draw.lognormvariate(2.4, spread)) - 1) for _ in range(people))
    rows, having = np.array(sorted(counted)), np.array([counted[n] for n in sorted(counted)])
    kept = merge_row_counts(
        np.zeros(len(rows), int),
        rows,
        having,
        bin_size=bin_size,
        merging=RowCountMerging.FEWEST_ROWS,
    )
    after: Counter[int] = Counter()
    for keep, count in zip(kept.tolist(), having.tolist(), strict=True):
        after[keep] += count
    return RowCountFacts(
        bin_size=bin_size,
        with_quasi=False,
        before=tuple(zip(rows.tolist(), having.tolist(), strict=True)),
        after=tuple(sorted(after.items())),
        rows_dropped=int(((rows - kept) * having).sum()),
    )


def table(
    name: str, *, links: tuple[tuple[str, str], ...] = (), key: str = "", seed: int = 0
) -> TableFacts:
    """A table that hangs on others, with rows as its numbers of rows say; without a link, a table
    of nobody."""
    fields = tuple(
        (own, "direct", REPLACED)
        for own in dict.fromkeys((*([key] if key else []), *(o for o, _ in links)))
    )
    base = TableFacts(
        name=name,
        file=f"{name}.csv",
        key=key,
        links=links,
        rows_source=40,
        rows_released=40,
        orphans=0,
        followed=0,
        by_bins=0,
        by_count=0,
        fields=fields,
    )
    if not links:
        return base
    counts = row_counts(PEOPLE, seed=seed)
    linked = sum(rows * people for rows, people in counts.before)
    followed, orphans = linked // 30, seed % 3 * 4
    return replace(
        base,
        rows_source=linked + followed + orphans,
        rows_released=linked - counts.rows_dropped,
        orphans=orphans,
        followed=followed,
        by_count=counts.rows_dropped,
        row_counts=counts,
    )


def verdicts(tables: tuple[TableFacts, ...]) -> tuple[Verdict, ...]:
    people = Bins.of(
        ("birth", "sex", "zip"),
        {("1950–1969", "F", "021**"): 112, ("1970–1989", "M", "021**"): 180},
    )
    km = Verdict(
        outcome="pass",
        model="k^m-anonymity",
        requirement="k = 5, m = 2 for code in diagnoses",
        fields=("code",),
        bins=118,
        rows=PEOPLE,
        smallest=5,
        bins_below=0,
        rows_below=0,
        reason="all 118 combinations of up to 2 values of code are held by 5 people or more; the "
        "smallest count is 5",
    )
    numbers = [
        RowCounts(table=one.name, bin_size=found.bin_size).judge(
            Bins.of(("rows",), {(str(n),): p for n, p in found.after})
        )
        for one in tables
        if (found := one.row_counts) is not None
    ]
    return (
        KPeople(k=5, fields=("birth", "sex", "zip"), table="patients").judge(people),
        *numbers,
        km,
    )


@cache
def facts() -> TablesFacts:
    """Six tables in the shape of the paper's database, of which two have set-valued fields."""
    patients = replace(
        table("patients", key="patient_id"),
        rows_source=300,
        rows_released=PEOPLE,
        by_bins=300 - PEOPLE,
        fields=(
            ("patient_id", "direct", REPLACED),
            ("name", "direct", "removed"),
            ("birth", "quasi", "generalised to 20 years"),
            ("sex", "quasi", "kept as it is"),
            ("zip", "quasi", "generalised to 3 digits"),
            ("registered", "insensitive", SHIFTED),
        ),
    )
    physicians = replace(
        table("physicians", key="physician_id"),
        fields=(("specialty", "insensitive", "kept as it is"),),
    )
    visits = table("visits", key="visit_id", seed=1, links=(
        ("patient_id", "patients.patient_id"), ("physician_id", "physicians.physician_id")))  # fmt: skip
    visits = replace(
        visits,
        fields=(
            *visits.fields,
            ("admitted", "insensitive", SHIFTED),
            ("charges", "sensitive", "kept"),
        ),
    )
    below = (("visit_id", "visits.visit_id"),)
    codes = SetFacts(
        field="code",
        k=5,
        m=2,
        within_bins=False,
        values_before=212,
        labels_after=14,
        loss=0.341,
        counts=6,
        notes=(
            "taking back what was generalised needlessly brought the loss from 41.0 % to 34.1 %",
        ),
    )
    diagnoses = replace(table("diagnoses", links=below, seed=2), sets=(codes,))
    others = (table("procedures", links=below, seed=3), table("medications", links=below, seed=4))
    tables = (patients, physicians, visits, diagnoses, *others)
    judged, people = verdicts(tables), report_example.stays(300)
    alike = Bins.of(
        ("birth",), {(str(at),): size for at, size in enumerate((5, 6, 6, 9, 14, 22, 31, 57, 142))}
    )
    return TablesFacts(
        title="Hospital database 2024",
        created="2025-03-14 10:22 UTC",
        version="0.1.0",
        outcome=overall(judged),
        proposed=False,
        recipient="research",
        recipient_description="A hospital's research group, under a contract that forbids linking.",
        engine="postgresql 16.4",
        snapshot={"kind": "transaction", "snapshot": "00000003-0000001B-1", "server": "16.4"},
        solver="datafly2",
        verdicts=judged,
        warnings=("visits.charges is kept as it is, and 212 of its values are those of one row.",),
        notes=("Rows are in random order.",),
        tables=tables,
        people=PEOPLE,
        levels=(
            ("patients.birth", "20 years"),
            ("patients.sex", "sex"),
            ("patients.zip", "3 digits"),
        ),
        before=report_example.bin_facts(people),
        after=report_example.bin_facts(alike),
        policy_toml='release_to = "research"\nentity = "patients.patient_id"\n',
        files={one.file: f"{at}9f2c" * 12 + "0000" for at, one in enumerate(tables)},
        person="patients",
    )


@cache
def many() -> TablesFacts:
    """Twelve tables with forty fields, links over several columns, long names, and people with
    thousands of rows."""
    few = facts()
    patient, visit = ("patient_id", "patients.patient_id"), ("visit_id", "visits.visit_id")
    order = ("order_id", "orders.order_id")
    more = (
        table("addresses", links=(patient,), seed=5),
        table(
            "orders",
            key="order_id",
            links=(visit, ("prescriber_id", "physicians.physician_id")),
            seed=6,
        ),
        table("drugs", key="drug_id"),
        table("laboratory_results_of_the_external_laboratories", links=(order, patient), seed=7),
        table("dispensed", links=(order, ("drug_id", "drugs.drug_id")), seed=8),
        table("insurers", key="insurer_id"),
    )
    wide = tuple(
        (f"field_{at:02d}", ("sensitive", "insensitive", "text")[at % 3], "kept as it is")
        for at in range(38)
    )
    tables = tuple(replace(one, fields=(*one.fields, *wide)[:40]) for one in (*few.tables, *more))
    busy = row_counts(40_000, seed=9, bin_size=20, spread=2.0)
    rows = sum(n * people for n, people in busy.before)
    busiest = {
        "row_counts": replace(busy, with_quasi=True),
        "rows_source": rows,
        "rows_released": rows - busy.rows_dropped,
        "by_count": busy.rows_dropped,
        "followed": 0,
        "orphans": 0,
    }
    tables = tuple(replace(one, **busiest) if one.name == "dispensed" else one for one in tables)
    judged = verdicts(tables)
    failed = replace(
        judged[1],
        outcome="fail",
        bins_below=3,
        rows_below=7,
        smallest=2,
        reason="3 of 90 bins break it",
    )
    return replace(
        few,
        outcome="fail",
        proposed=True,
        tables=tables,
        verdicts=(*judged, failed),
        warnings=tuple(
            f"{one.name} has fields that nobody decided about: {8 + at}"
            for at, one in enumerate(tables)
        ),
        files={one.file: f"{at:02d}9f2c" * 10 + "0000" for at, one in enumerate(tables)},
    )
