"""A made-up village, a release that keeps everything, and one that keeps little; nobody in it
lives."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from functools import cache

from sfumato.assessment.attacks import set_scene
from sfumato.engines.reference.engine import ReferenceEngine
from sfumato.hierarchies import Dates, Hierarchy, Prefix, Suppression
from sfumato.measures.subject import Subject

Row = dict[str, str | None]

KNOWN = ("zip", "birth", "sex")
SENSITIVE = ("problem",)
PROBLEMS = ("asthma", "cancer", "diabetes", "flu", "gout", "migraine")
COARSE = {"zip": 2, "birth": 2, "sex": 0}


@cache
def everyone(many: int = 1_000) -> tuple[Row, ...]:
    """Half are in the release, half are the control group. What ails people has nothing to do with
    who they are."""
    draw = random.Random(1790)
    return tuple(
        {
            "name": f"person {number}",
            "zip": f"02{draw.randrange(4)}{draw.randrange(30):02}",
            "birth": f"{draw.randrange(1930, 2000)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}",
            "sex": draw.choice("fm"),
            "problem": draw.choice(PROBLEMS),
        }
        for number in range(many)
    )


def inside() -> list[Row]:
    return list(everyone()[:500])


def outside() -> list[Row]:
    return list(everyone()[500:])


@cache
def hierarchies() -> dict[str, Hierarchy]:
    def values(name: str) -> list[str | None]:
        return sorted({row[name] for row in everyone()})

    return {
        "zip": Prefix((4, 3)).bind(values("zip")),
        "birth": Dates(("year", "20 years")).bind(values("birth")),
        "sex": Suppression().bind(values("sex")),
    }


def raised(rows: list[Row], levels: dict[str, int], *, k: int = 5, l_values: int = 2) -> list[Row]:
    """Every row at these levels, without the bins of fewer than `k` rows or `l_values` problems."""
    up = {}
    for name, level in levels.items():
        hierarchy = hierarchies()[name]
        labels = (hierarchy.labels[level][code] for code in hierarchy.up[level])
        up[name] = dict(zip(hierarchy.labels[0], labels, strict=True))
    coarse = [
        {name: up[name][row[name]] for name in KNOWN} | {"problem": row["problem"]} for row in rows
    ]
    sizes = Counter(tuple(row[name] for name in KNOWN) for row in coarse)
    problems = defaultdict(set)
    for row in coarse:
        problems[tuple(row[name] for name in KNOWN)].add(row["problem"])
    kept = {key for key, size in sizes.items() if size >= k and len(problems[key]) >= l_values}
    return [row for row in coarse if tuple(row[name] for name in KNOWN) in kept]


def copied(rows: list[Row]) -> list[Row]:
    return [{name: row[name] for name in (*KNOWN, *SENSITIVE)} for row in rows]


def protected() -> list[Row]:
    return raised(inside(), COARSE)


def table(rows: list[Row]) -> ReferenceEngine:
    return ReferenceEngine([dict(row) for row in rows], fields=tuple(rows[0]) if rows else KNOWN)


def subject(release: list[Row], *, control: bool = False, **given) -> Subject:
    given = {
        "source": table(inside()),
        "known": KNOWN,
        "sensitive": SENSITIVE,
        "hierarchies": hierarchies(),
    } | given
    return Subject(release=table(release), control=table(outside()) if control else None, **given)


def scene(release: list[Row], *, control: bool = False, **given):
    return set_scene(subject(release, control=control, **given))
