"""Singling out: is there exactly one person like that? (Giomi et al. 2022, section 4.1; Cohen and
Nissim 2020.)

The attacker makes predicates from the release, such as "age is 90 or more and the sex is f". Those
that exactly one released row meets are kept. A predicate is right where exactly one person of the
source meets it.

Univariate predicates are about one field: each label, and the lowest and highest number.
Multivariate ones are about several, taken from a released row: its labels, and for numbers "at
least" above the field's median and "at most" below.

There are two departures from anonymeter. Equal rows are counted each, since a release of coarse
rows has many and each is a person. A label of the release holds for all values that it covers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

import numpy as np

from sfumato.bins import Bins

from .attack_run import AttackRun, Story, judged, unsaid
from .attack_setup import Scene
from .predicates import AT_LEAST, AT_MOST, EVERY, IS, IS_NOT, Fields, PredicateTable
from .rates import Rate

FIELDS_AT_ONCE = 3
TRIES = 400
"""How many predicates are tried for each that is wanted before the attacker gives up."""
BATCH = 1_000
STALE, GIVE_UP = 0.01, 5
"""They also give up after so many batches in a row in which hardly any predicate was new."""

Predicate = tuple[int, int, int]
Query = tuple[Predicate, ...]


def story(scene: Scene, many: int) -> Story:
    about = "one field" if many == 1 else f"{many} fields at once"
    return Story(
        attacker="Somebody who wants to prove that exactly one such person exists, without "
        "knowing who.",
        knows="Nothing but the release.",
        tries=f"They make predicates about {about} of {scene.known_words} that exactly one "
        "released row meets.",
        guess=f"Predicates about {about} put together at random.",
    )


def singling_out(scene: Scene, *, wanted: int = 500, at_once: int = FIELDS_AT_ONCE) -> AttackRun:
    """Predicates about `at_once` fields that single out a released row, judged on the source.

    For one field every predicate that there is is tried, up to `wanted` of them. For several, rows
    are drawn until `wanted` predicates are found or the attacker gives up. A predicate that was not
    found counts as a failure."""
    many = min(at_once, len(scene.known))
    several = many > 1
    name = "singling out:several fields" if at_once > 1 else "singling out:one field"
    title = (
        f"Singling out by {'several fields' if at_once > 1 else 'one field'}: is there exactly "
        "one such person?"
    )
    if at_once > 1 and not several:
        return unsaid(
            name, title, story(scene, 1), reason="several fields are needed, and one is known"
        )
    if scene.people is None:
        return unsaid(
            name,
            title,
            story(scene, many),
            reason="without the source, the people whom a predicate fits are unknown",
        )
    chance = scene.chance(name)
    fields = Fields.of(scene)
    tables = _Tables.of(scene, fields)
    if several:
        found, attempts = (
            _several(scene, fields, tables.release, many=many, wanted=wanted, chance=chance),
            wanted,
        )
    else:
        found, attempts = _one(scene, fields, tables.release, wanted=wanted, chance=chance)
    blind = _blind(scene, fields, many=many, wanted=attempts, chance=chance)
    control = tables.right(tables.control, found)
    return judged(
        name,
        title,
        story(scene, many),
        claims=len(found),
        rate=Rate(successes=tables.right(tables.source, found) or 0, attempts=attempts),
        baseline=Rate(successes=tables.right(tables.source, blind) or 0, attempts=attempts),
        control=None if control is None else Rate(successes=control, attempts=attempts),
        what="about exactly one person",
    )


@dataclass(frozen=True, eq=False)
class _Tables:
    release: PredicateTable
    source: PredicateTable
    control: PredicateTable | None

    @classmethod
    def of(cls, scene: Scene, fields: Fields) -> _Tables:
        assert scene.people is not None
        people = PredicateTable(scene.people, fields, scene.known, scene, released=False)
        return cls(
            PredicateTable(scene.released, fields, scene.known, scene, released=True),
            people,
            cls._outside(scene, fields),
        )

    @staticmethod
    def _outside(scene: Scene, fields: Fields) -> PredicateTable | None:
        """The people of the control group; None where there is none."""
        if scene.subject.control is None:
            return None
        bins = Bins.count(scene.subject.control, scene.known)
        return PredicateTable(bins, fields, scene.known, scene, released=False)

    def right(self, table: PredicateTable | None, queries: list[Query]) -> int | None:
        return None if table is None else int((table.counted(queries) == 1).sum())


def _one(
    scene: Scene,
    fields: Fields,
    release: PredicateTable,
    *,
    wanted: int,
    chance: np.random.Generator,
) -> tuple[list[Query], int]:
    """Every predicate about one field, or `wanted` of them by chance: those that one row meets, of
    how many."""
    queries: list[Query] = []
    for at in range(len(scene.known)):
        queries += [((at, IS, code),) for code in range(len(fields.labels[at]))]
        numbers = fields.numbers[at]
        if numbers is not None and not np.isnan(numbers).all():
            queries += [
                ((at, AT_MOST, int(np.nanargmin(numbers))),),
                ((at, AT_LEAST, int(np.nanargmax(numbers))),),
            ]
    tried = [queries[number] for number in chance.permutation(len(queries))[:wanted]]
    met = release.counted(tried)
    return [query for query, rows in zip(tried, met.tolist(), strict=True) if rows == 1], len(tried)


def _several(
    scene: Scene,
    fields: Fields,
    release: PredicateTable,
    *,
    many: int,
    wanted: int,
    chance: np.random.Generator,
) -> list[Query]:
    bins = scene.released
    shares = bins.counts / bins.counts.sum()
    found: dict[Query, None] = {}
    seen: set[Query] = set()
    stale = 0
    for _ in range(max(TRIES * wanted // BATCH, 1)):
        rows = bins.codes[chance.choice(len(bins), BATCH, p=shares)].tolist()
        chosen = chance.random((BATCH, len(scene.known))).argsort(axis=1)[:, :many]
        tried = [
            _from_row(fields, row, sorted(columns))
            for row, columns in zip(rows, chosen.tolist(), strict=True)
        ]
        tried = [query for query in dict.fromkeys(tried) if query not in seen]
        seen.update(tried)
        stale = 0 if len(tried) > BATCH * STALE else stale + 1
        met = release.counted(tried)
        found.update(
            {query: None for query, rows in zip(tried, met.tolist(), strict=True) if rows == 1}
        )
        if len(found) >= wanted or stale == GIVE_UP:
            break
    return list(found)[:wanted]


def _from_row(fields: Fields, row: list[int], columns: list[int]) -> Query:
    """Towards the extremes, where fewer people are."""
    query: list[Predicate] = []
    for at in columns:
        number = fields.number(at, row[at])
        what = IS if isnan(number) else AT_LEAST if number > fields.medians[at] else AT_MOST
        query.append((at, what, row[at]))
    return tuple(query)


def _blind(
    scene: Scene, fields: Fields, *, many: int, wanted: int, chance: np.random.Generator
) -> list[Query]:
    """Any fields, any labels, any comparison that the label allows."""
    out: list[Query] = []
    for _ in range(wanted):
        query: list[Predicate] = []
        for at in sorted(chance.permutation(len(scene.known))[:many].tolist()):
            code = int(chance.integers(len(fields.labels[at])))
            whats = (IS, IS_NOT) if isnan(fields.number(at, code)) else EVERY
            query.append((at, whats[int(chance.integers(len(whats)))], code))
        out.append(tuple(query))
    return out
