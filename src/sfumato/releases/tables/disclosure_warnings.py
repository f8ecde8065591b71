"""Warnings to read before a release of several tables is published. Counts and names only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sfumato.bins import CountedPeople
from sfumato.policy import Intervals, Policy, Role, scrubbed_fields
from sfumato.wording import counted, some_of

from ..disclosure_warnings import decision_warnings, kept_warnings
from ..suppression import in_tenths
from .people_models import known_to
from .recoding import TablesRecoding
from .replacements import TableTreatments
from .stages import StagedRows
from .table_view import links_on

MANY = 0.25
MOST_NAMED = 6
MOST_ROWS = 1_000_000
"""Rows of a table of which all pairs of a person and a bin are held in memory."""


def tables_warnings(
    policy: Policy,
    staged: Mapping[str, StagedRows],
    treatments: Mapping[str, TableTreatments],
    solved: TablesRecoding,
) -> tuple[str, ...]:
    return (
        *_about_policy(policy),
        *_about_row_counts(staged),
        *(_about_series(policy, staged) if solved.by_people else ()),
        *_about_dates(policy, staged, treatments),
        *(
            f"{name}: {said}"
            for name, stage in staged.items()
            for said in kept_warnings(
                stage.engine, policy.of_table(name), treatments[name], treatments[name].words
            )
        ),
        *_redrawn(treatments),
    )


def _about_policy(policy: Policy) -> Iterator[str]:
    yield from decision_warnings(policy)
    for table, decided in policy.tables.items():
        quasi = [name for name, item in decided.fields.items() if item.role is Role.QUASI]
        trusted = [f"{table}.{name}" for name in quasi if links_on(policy, table, name) == 0]
        if trusted:
            yield (
                "Not protected, because the profile says this recipient does not link on "
                f"them: {', '.join(trusted)}."
            )
        kept = scrubbed_fields(decided.fields)
        texts = [
            f"{table}.{n}"
            for n, item in decided.fields.items()
            if item.role is Role.TEXT and n not in kept
        ]
        if texts:
            yield f"Free text is removed, not released: {', '.join(texts)}."


def _about_row_counts(staged: Mapping[str, StagedRows]) -> Iterator[str]:
    """The disclosure by the number of rows; once for all tables of which the same holds."""
    counted = {
        name: stage
        for name, stage in staged.items()
        if stage.sight.person is not None and not stage.sight.is_unique and stage.sight.linkable
    }
    alone: dict[int, list[str]] = {}
    for name, stage in counted.items():
        if stage.bin_size is None:
            yield (
                f"The number of rows per person in {name} is not protected: the policy says "
                "that nobody knows it."
            )
        elif stage.bin_size < 2:
            yield (
                f"The number of rows per person in {name} is not protected: for so few "
                "people, anonymity level and linking likelihood ask for a bin size of "
                f"{stage.bin_size}."
            )
        if stage.rows == 0 < stage.rows_source:
            yield f"No row of {name} is left."
        elif stage.by_count > MANY * (stage.rows + stage.by_count):
            most = in_tenths(stage.by_count / (stage.rows + stage.by_count))
            yield (
                f"More than a quarter of the rows of {name} were dropped, up to "
                f"{most:.0%}, so that numbers of rows "
                "are shared; max_suppression binds only people who keep none. A smaller "
                "bin_size in its row_counts, or "
                "a linking below 1, keeps more."
            )
        left_out = stage.left_out
        if left_out is not None and left_out.gone > MANY * left_out.source:
            yield (
                f"{left_out.gone:,} of {left_out.source:,} people with rows in {name} have "
                "none in the release."
                " A smaller bin_size in row_counts keeps more."
            )
        shared = stage.bin_size or 0
        if shared >= 2 and not stage.with_quasi and stage.sight.above is not None:
            alone.setdefault(shared, []).append(name)
    for bin_size, names in alone.items():
        yield (
            f"{bin_size} people or more share each number of rows in {', '.join(names)}, but "
            "not within one bin of quasi-identifiers: both together may identify a person "
            "(linking = 1 counts them together)."
        )
    several = [name for name, stage in staged.items() if stage.bin_size is not None]
    apart = [name for name in several[1:] if not staged[name].sight.policy.row_counts.together]
    if apart:
        yield (
            f"Numbers of rows are protected in each of {', '.join(several)} by itself; several taken "
            f"together may identify a person. together = true in the row_counts of "
            f"{', '.join(apart)} protects them together."
        )


def _about_series(policy: Policy, staged: Mapping[str, StagedRows]) -> Iterator[str]:
    """The joint disclosure by the rows of one person: bins protect each row by itself."""
    for name, stage in staged.items():
        sight = stage.sight
        if (
            not sight.own
            or sight.person is None
            or sight.is_unique
            or not sight.linkable
            or not stage.rows
        ):
            continue
        if stage.rows > MOST_ROWS:
            yield (
                f"The disclosure by several rows of one person in {name} was not counted: "
                f"there are more than {MOST_ROWS:,} rows."
            )
            continue
        k = policy.require.k or 2
        found = CountedPeople.counted(stage.engine, known_to(sight), person=sight.person)
        rare = found.people_with_rare_sets(k)
        if rare:
            yield (
                f"{rare:,} of {found.people:,} people have rows in {name} whose "
                f"{some_of(known_to(sight), MOST_NAMED)}, taken together, fewer than {k} people share: "
                "several known rows may identify a person. Removing the field that links the "
                "rows of a person prevents that."
            )


def _about_dates(
    policy: Policy, staged: Mapping[str, StagedRows], treatments: Mapping[str, TableTreatments]
) -> Iterator[str]:
    kept = [
        f"{name}.{field}"
        for name, stage in staged.items()
        for field, item in policy.tables[name].fields.items()
        if item.shift is not None
        and item.shift.intervals is Intervals.KEEP
        and field in treatments[name].fields
        if stage.sight.linkable
    ]
    several = len(kept) > 1 or not all(
        staged[name].sight.is_unique for name in _tables_of(kept, staged)
    )
    if kept and several:
        yield (
            f"The days between the dates of one person are unchanged ({', '.join(kept)}): "
            "two known dates of a person may identify the rows. Generalising the dates under "
            "k^m-anonymity prevents that."
        )


def _tables_of(fields: list[str], staged: Mapping[str, StagedRows]) -> list[str]:
    return [name for name in staged if any(field.startswith(f"{name}.") for field in fields)]


def _redrawn(treatments: Mapping[str, TableTreatments]) -> Iterator[str]:
    for name, found in treatments.items():
        for field, replacer in found.replacers.items():
            redrawn = getattr(replacer, "redrawn", 0)
            if redrawn:
                yield (
                    f"{counted(redrawn, 'value')} of {name}.{field} drawn again to stay "
                    "one-to-one may differ in "
                    "another release with the same key."
                )
