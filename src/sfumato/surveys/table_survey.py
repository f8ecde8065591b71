"""The survey of one table: look at every field, then at all of them together (Garfinkel 2016, section 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from sfumato.engines import Engine, WritePlan, reading_sentences
from sfumato.errors import SourceError
from sfumato.policy import Order, Role
from sfumato.wording import counted

from .coded_rows import CodedField, all_coded_rows
from .combinations import uniqueness
from .evidence import Evidence, gather, gather_held
from .field_proposal import keep_rows_together, leave_something, person_key, survey_field
from .known_from_others import hide_points_of_addresses, protect_known_differences
from .missing_values import find_null_words, null_words_of, words_in_words
from .neighbouring_fields import read_neighbours
from .person_keys import mark_person_keys, shared_keys
from .records import FieldSurvey, LooksLike, Survey
from .row_references import remove_references, row_references
from .safe_harbor import checklist
from .table_subject import read_in_context
from .twins import NOT_COUNTED, agree, find_twins, read_coded_rows

FEW_ROWS = 50
MOST_BYTES = 2_000_000_000
"""Larger files are not copied into a table before they are surveyed."""


def survey_table(
    engine: Engine,
    *,
    max_combination: int = 3,
    table: str = "",
    progress: Callable[[str, float], None] | None = None,
) -> Survey:
    """Report the likeness of each field, propose a treatment, and count how unique the rows are.

    `max_combination` is the most fields that a counted combination has. `progress` is called with
    the stage and the share of it that is done, from 0 to 1. `table` is the name of the table where
    it is one of several. The name explains the table's codes. Links, not repeated keys, then
    determine the person of each row.

    Words for missing values, such as NA, are found first and taken for null, so that none of them
    turns a field of numbers into text.

    Example:
        >>> from sfumato.engines import open_source
        >>> rows = [{"zip": "02138", "sex": "f"}, {"zip": "02139", "sex": "f"}, {"zip": "02139", "sex": "m"}]
        >>> with open_source(rows, engine="reference") as source:
        ...     found = survey_table(source)
        >>> [(item.name, item.looks_like.value, item.proposal.role.value) for item in found.fields]
        [('zip', 'zip', 'quasi'), ('sex', 'sex', 'quasi')]
    """
    if max_combination < 1:
        raise SourceError(
            "max_combination must be 1 or more.", attempt="3, as in Sweeney 2000's voter list."
        )
    told = progress or _say_nothing
    with _read_once(engine) as stage:
        words = find_null_words(stage)
        if words:
            with _read_once(stage.with_nulls(null_words_of(words))) as rows:
                found = _survey(rows, words, table=table, most=max_combination, told=told)
        else:
            found = _survey(stage, words, table=table, most=max_combination, told=told)
    reading = reading_sentences(engine.snapshot().facts) if not table else ()
    told("done", 1.0)
    return replace(found, reading=reading)


def _with_share(item: FieldSurvey, coded: Mapping[str, CodedField]) -> FieldSurvey:
    """A sensitive field, with the share of rows that have its most frequent value."""
    if item.proposal.role is not Role.SENSITIVE or item.name not in coded:
        return item
    counts = np.bincount(coded[item.name].codes + 1)
    return replace(item, alike=float(counts.max() / counts.sum()) if counts.sum() else None)


@contextmanager
def _read_once(engine: Engine) -> Iterator[Engine]:
    """The rows of a file of text as a table of the engine's own: every field is asked about several
    times, and the file would be read anew for each question."""
    snapshot = engine.snapshot()
    large = snapshot.facts.get("bytes", 0) > MOST_BYTES
    if snapshot.kind != "files" or large or not engine.abilities.larger_than_memory:
        yield engine
        return
    names = tuple(info.name for info in engine.fields())
    stage = engine.staged(WritePlan(fields=names, order=Order.KEEP))
    try:
        yield stage
    finally:
        stage.close()


def _survey(
    engine: Engine,
    words: Mapping[str, Mapping[str, int]],
    *,
    table: str,
    most: int,
    told: Callable[[str, float], None],
) -> Survey:
    """Each field, then all of them together."""
    infos, rows = engine.fields(), engine.count_rows()
    held = all_coded_rows(engine, [info.name for info in infos], rows=rows)
    by_name = {info.name: info for info in infos}

    def evidence_of(name: str) -> Evidence:
        if held is None:
            return gather(engine, name, table=table)
        return gather_held(by_name[name], held[name], table=table)

    fields: list[FieldSurvey] = []
    values: dict[str, Sequence[str]] = {}
    for done, info in enumerate(infos):
        told("fields", done / len(infos))
        evidence = evidence_of(info.name)
        values[info.name] = evidence.values
        fields.append(replace(survey_field(engine, evidence), null_words=words.get(info.name, {})))
    fields = list(read_in_context(hide_points_of_addresses(fields)))
    fields = list(read_neighbours(fields, values))
    coded = read_coded_rows(engine, fields, rows=rows, held=held)
    if coded is not None and not table:
        fields = list(mark_person_keys(fields, coded))
    shared: frozenset[str] = frozenset()
    if coded is not None:
        references = row_references(fields, coded, by_name=not table)
        fields = list(remove_references(fields, references))
        shared = shared_keys(fields, coded) | references.keys()
    key = person_key(tuple(fields), shared=shared) if not table else None
    twins = find_twins(coded, fields, person=key.name if key else "") if coded is not None else ()
    fields = list(agree(fields, twins))
    fields = list(protect_known_differences(engine, fields, twins, evidence_of=evidence_of))
    twins = tuple(found for found in twins if key is None or found.fields[0] != key.name)
    together = leave_something(
        tuple(
            keep_rows_together(item) if key is not None and item.name == key.name else item
            for item in fields
        )
    )
    if coded is not None:
        together = tuple(_with_share(item, coded) for item in together)
    unique = uniqueness(
        engine, together, rows=rows, max_combination=most, progress=told, coded=coded
    )
    engine.snapshot()  # What changed meanwhile is refused: its parts do not belong together.
    return Survey(
        title=engine.title,
        rows=rows,
        fields=together,
        safe_harbor=checklist(together),
        uniqueness=unique,
        entity=key.name if key is not None else None,
        dependences=twins,
        warnings=(
            *warnings_about(together, key=key, rows=rows),
            *(() if coded is not None or rows == 0 else (NOT_COUNTED,)),
        ),
    )


def _say_nothing(what: str, share: float) -> None:
    pass


def warnings_about(
    fields: Sequence[FieldSurvey], *, key: FieldSurvey | None, rows: int
) -> tuple[str, ...]:
    """Warnings to read before the proposals."""
    out: list[str] = []
    out.extend(
        f"{item.name}: {words_in_words(item.null_words)} taken for missing values (null_words)."
        for item in fields
        if item.null_words
    )
    if rows < FEW_ROWS:
        out.append(f"The source has {counted(rows, 'row')}: so few values show little.")
    if key is not None:
        per_value = (key.rows - key.missing) / key.distinct
        out.append(
            f"Rows are not people: the values of {key.name} repeat, {per_value:.1f} rows "
            "each on average. It is proposed as the person key (entity): a bin of several "
            "rows may be one person."
        )
    texts = [item.name for item in fields if item.proposal.role is Role.TEXT]
    if texts:
        out.append(f"{_listed(texts)} free text: it may hold names, dates and places.")
    dates = [
        item.name for item in fields if item.looks_like in (LooksLike.BIRTH_DATE, LooksLike.DATE)
    ]
    if len(dates) > 1:
        out.append(
            f"{_listed(dates)} dates of one row: a value removed from one may be inferred "
            "from another (Garfinkel 2016, 4.2)."
        )
    unsure = [item.name for item in fields if item.proposal.open]
    if unsure:
        question = counted(len(unsure), "field is an open question", "fields are open questions")
        out.append(f"{question}; no release passes until a person decides: {', '.join(unsure)}.")
    return tuple(out)


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"
