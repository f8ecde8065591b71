"""Whether a release, its source and the others fit together, before anything is measured. Names and
counts only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sfumato.bins import Bins, population_counts
from sfumato.engines import Engine, FieldKind
from sfumato.errors import Mistake, SourceError
from sfumato.measures import as_days, as_number
from sfumato.parts import did_you_mean
from sfumato.report import listed
from sfumato.wording import counted

from .case_hierarchies import values_of

SAME = 0.9
"""From this share on, people of a control group who are in the source are there not by chance."""
MOST_NAMED = 8
MANY_VALUES = 5_000
"""A sensitive field with more values than this, or with a value for every other row, is a
measurement. Nobody can guess a person's value, and few rows share one by chance."""


def check_fields(engine: Engine, wanted: Sequence[str], *, what: str) -> None:
    """Every wanted field is there; all that are not are named at once."""
    have = [info.name for info in engine.fields()]
    missing = [name for name in wanted if name not in have]
    if not missing:
        return
    asked = f"{what[0].upper()}{what[1:]} has no field {' and no field '.join(missing)}."
    questions = [did_you_mean(name, have) for name in missing]
    raise SourceError(
        " ".join([asked, *(question for question in questions if question)]),
        found=f"It has {counted(len(have), 'field')}: "
        f"{', '.join(have[:20])}{', …' if len(have) > 20 else ''}.",
        attempt="a table with these fields, or other fields with --known and --sensitive.",
    )


def check_rows(engine: Engine, *, what: str) -> int:
    """How many rows there are; none is a mistake."""
    rows = engine.count_rows()
    if not rows:
        raise SourceError(
            f"{what[0].upper()}{what[1:]} holds no row, so there is nobody in it to be found.",
            attempt="a table with at least one row.",
        )
    return rows


def check_same_fields(release: Engine, source: Engine) -> None:
    """A release of Sfumato has fields of its source and no others."""
    have = {info.name for info in source.fields()}
    strange = [info.name for info in release.fields() if info.name not in have]
    if strange:
        raise SourceError(
            "The release and the source have different fields: the source has no "
            f"{', '.join(strange[:10])}.",
            found=f"{len(strange)} of the release's {len(release.fields())} fields are not in "
            f"{source.title}.",
            attempt="the source that the release was made from.",
        )


def check_written_alike(
    release: Engine, other: Engine, fields: Sequence[str], *, what: str
) -> None:
    """The same values must be the same text: 39 is not 39.0, nor a day a moment at midnight, nor
    true 1.

    The same number, day or truth value may be written differently in all rows of the other table.
    Nobody of one table would then be found in the other, and every measure would be green."""
    mine, theirs = (
        {info.name: info.kind for info in engine.fields()} for engine in (release, other)
    )
    for name in fields:
        if name not in theirs or (mine[name] == theirs[name] and mine[name] is not FieldKind.REAL):
            continue
        ours, others = (
            {value for value in values_of(engine, name) if value is not None}
            for engine in (release, other)
        )
        if ours.isdisjoint(others) and any(
            _meant(ours, by) & _meant(others, by) for by in (as_number, as_days, _truth)
        ):
            raise SourceError(
                f"{name} is written in different ways in the release ({mine[name]}) and in "
                f"{what} ({theirs[name]}).",
                found="The same values are in both, and none as the same text, so nobody of one "
                "would be found in the "
                "other: 39 is not 39.0, 2001-02-03 not 2001-02-03 00:00:00, true not 1.",
                attempt="the field with the same type in both tables.",
            )


def _meant(values: set[str], by: Callable[[str], float | None]) -> set[float]:
    return {meant for value in values if (meant := by(value)) is not None}


def _truth(value: str) -> float | None:
    """Ways to write yes and no, those of numbers among them."""
    words = {
        "true": 1.0,
        "t": 1.0,
        "yes": 1.0,
        "1": 1.0,
        "false": 0.0,
        "f": 0.0,
        "no": 0.0,
        "0": 0.0,
    }
    return words.get(value.strip().lower())


def check_others(source: Engine, control: Engine, release: Engine, known: Sequence[str]) -> None:
    """A control group is of people who are not in the source. With the same people no attack does
    better on those in the release, and every verdict is green. They are compared by their known
    values and by unreleased fields, such as names and numbers, where these distinguish people."""
    held, released = ({info.name for info in engine.fields()} for engine in (control, release))
    beside = [
        info.name for info in source.fields() if info.name in held and info.name not in released
    ]
    fields = tuple(dict.fromkeys((*known, *beside)))
    people, others = Bins.count(source, fields), Bins.count(control, fields)
    told_apart = (people.counts == 1).sum() > SAME / 2 * people.rows
    same = int(others.counts[population_counts(others, people, fields, {}) > 0].sum())
    if told_apart and same > SAME * others.rows:
        raise SourceError(
            f"{control.title}, the control group, has people of the source.",
            found=f"{same:,} of its {others.rows:,} are there, by {', '.join(fields)}.",
            attempt="people of the same kind whose rows were kept out of the release and of its "
            "source.",
        )


def check_fewer_rows(released: int, of: int, *, title: str) -> None:
    if released > of:
        raise SourceError(
            f"The release has {counted(released, 'row')} and the source only {of:,}.",
            found=f"A release leaves rows out and adds none, so it was not made from {title} as "
            "it is now.",
            attempt="the source that the release was made from.",
        )


def check_numbers(size: int | None, *, people: int) -> None:
    """A population holds at least those who are in the release."""
    if size is not None and size < people:
        raise Mistake(
            f"A population of {size:,} people was given, and the release has {people:,}.",
            attempt="the number of people from whom the release was drawn.",
        )


def check_everyone(population: Engine, people: int) -> None:
    """A table of everyone has at least those who are in the release."""
    rows = population.count_rows()
    if rows < people:
        raise SourceError(
            f"{population.title}, the population, has {rows:,} people, and the release {people:,}.",
            found="The people of the release are some of the population.",
            attempt="a table of everyone whom a row could be about.",
        )


def looked_at(engine: Engine, sensitive: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sensitive fields that are released and have few enough values to be guessed, and words
    about the others."""
    have = {info.name for info in engine.fields()}
    released = [name for name in sensitive if name in have]
    many = [name for name in released if _is_measured(engine, name)]
    notes = []
    if len(released) < len(sensitive):
        notes.append(
            f"Sensitive and not released: {', '.join(n for n in sensitive if n not in have)}."
        )
    if many:
        notes.append(
            "Inference was not measured for measurements that few rows share: "
            f"{', '.join(many)}. Name them as sensitive to measure it."
        )
    return tuple(name for name in released if name not in many), tuple(notes)


def _is_measured(engine: Engine, name: str) -> bool:
    found = engine.profile(name)
    numeric = found.numbers == found.rows - found.nulls
    return found.distinct > MANY_VALUES or (
        numeric and 2 * found.distinct > found.rows - found.nulls
    )


def telling_nothing(released: Bins) -> Iterator[str]:
    """Known fields that distinguish nobody in the release, because they have one value or none."""
    empty: list[str] = []
    same: list[str] = []
    for name, labels in zip(released.fields, released.labels, strict=True):
        if len(labels) == 1:
            (empty if labels[0] is None else same).append(name)
    for names, one, several in (
        (empty, "is null", "are null"),
        (same, "has the same value", "have the same value"),
    ):
        if names:
            what, who = (
                (one, "it distinguishes") if len(names) == 1 else (several, "they distinguish")
            )
            named = listed(names, most=MOST_NAMED)
            yield f"{named} {what} in every released row: {who} nobody."


def telling_much(engine: Engine, fields: Sequence[str]) -> Iterator[str]:
    """Fields that are counted as unknown and that would find a row for somebody who knows them:
    most rows have a value of their own. Amounts, exact times and numbers of cases are such fields,
    and are in other people's files too."""
    have = {info.name for info in engine.fields()}
    told = []
    for name in fields:
        if name in have:
            found = engine.profile(name)
            if 2 * found.unique > found.rows:
                told.append(name)
    if told:
        yield (
            "Not counted as known, and most released rows have a value of their own: "
            f"{', '.join(told)}. Such a value, if known of a person, identifies the row."
        )
