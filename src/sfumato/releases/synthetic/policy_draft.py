"""A draft of `[synthesis]` for a source: which fields to select, to leave out, and to give a range.

It is for the data holder and is never released. It holds names and no value of the source: the ends
of a range are for a person to fill in, from the form or the code book. Fields that name a person,
and free texts, are left out, whatever they share: the survey finds them. A repeated key of people
is proposed as `entity`, so that epsilon is a person's and not a row's.

A policy is in the manifest of a release, and so the draft must not follow one person's cell: it is
decided by shares of all cells, and never by whether all of them, or none, are of a kind."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np

from sfumato.engines import Engine, FieldKind, FieldProfile
from sfumato.errors import as_caller_writes
from sfumato.policy import Role
from sfumato.surveys import survey_table

FEW_VALUES: Final = 20
"""Numbers of which so many values are nearly all cells are selected like words."""
FEWEST_ROWS: Final = 4
"""Rows that share a value on average, in a field that is worth selecting."""
NEARLY: Final = 0.95
"""The share of cells that stands for all of them."""
NUMERIC: Final = 0.995
"""The share of numbers, or days, in a field of them: one cell in fifty with letters is a code book."""
HARDLY: Final = 0.01
LEAST_ROWS_EACH, MOST_ROWS_EACH = 1.02, 50
"""How many rows a value of a repeated key of people has, on average."""
_PEOPLE: Final = "person|people|patient|subject|respondent|participant|client|customer|member|user"
_KEY: Final = "id|nr|no|num|number|key|code"
_NAMES_A_PERSON: Final = re.compile(
    rf"(id|nr|uid|pid|key|idnr|personnr|({_PEOPLE})s?([ _.-]?({_KEY}))?)", re.IGNORECASE
)
"""Names of fields that are keys of people where their values repeat, as in a panel."""


def draft_policy(engine: Engine) -> str:
    """The draft as TOML. A range that is not filled in is refused with its name."""
    select, leave_out, ranges = [], [], []
    surveyed = survey_table(engine, max_combination=1)
    named = {
        item.name for item in surveyed.fields if item.proposal.role in (Role.DIRECT, Role.TEXT)
    }
    entity = surveyed.entity or _repeated_key(engine)
    words = {item.name: item.null_words for item in surveyed.fields}
    meant: set[str] = set()
    for info in engine.fields():
        if info.name == entity:
            continue
        profile = engine.profile(info.name)
        missing = sum(words[info.name].values())
        known = profile.rows - profile.nulls - missing
        differs = known > FEW_VALUES and profile.distinct >= NEARLY * known
        is_key = differs and not _is_real(profile)
        if known <= HARDLY * profile.rows or info.name in named or is_key:
            leave_out.append(info.name)
        elif profile.distinct * FEWEST_ROWS <= known and _has_few(engine, profile):
            select.append(info.name)
        elif profile.dates >= NUMERIC * known:
            ranges.append(f'# {_text(info.name)} = {{ least = "YYYY-MM-DD", most = "YYYY-MM-DD" }}')
            meant |= _frequent(words[info.name], profile)
        elif profile.numbers >= NUMERIC * known:
            ranges.append(f"# {_text(info.name)} = {{ least = ?, most = ?, step = ? }}")
            meant |= _frequent(words[info.name], profile)
        elif profile.distinct * FEWEST_ROWS <= known or profile.distinct <= FEW_VALUES:
            select.append(info.name)
        else:
            leave_out.append(info.name)
    return "\n".join(
        [
            "# A draft. Read every line: nobody has decided anything yet.",
            "[synthesis]",
            "epsilon = 1.0",
            *_entity(entity),
            "# people = ?            # about how many there are, where that is public: an epsilon that",
            "#                       # is too small for them is refused before anything is charged",
            '# account = "people.account"  # adds up what several releases cost',
            "# Values that many people share are selected with noise; a list in domains costs nothing.",
            f"select = {_list(select)}",
            "# Empty, naming people, free text, or a value for nearly each row.",
            f"leave_out = {_list(leave_out)}",
            "",
            "[synthesis.domains]",
            "# The least and the most that can be, from the form or the code book, not from the rows.",
            "# step is how finely numbers are recorded: 1 for whole ones, 0.01 for cents.",
            *_missing(meant),
            *ranges,
            "",
        ]
    )


def _entity(found: str | None) -> list[str]:
    if found is None:
        return [
            '# entity = "FIELD"       # whose a row is; without it each row is taken for a person'
        ]
    return [
        f"entity = {_text(found)}  # whose a row is: this key repeats",
        "rows_per_person = 1  # how many rows of a person are counted; more need more noise",
    ]


def _repeated_key(engine: Engine) -> str | None:
    """A field that is named like a key of people and repeats, where the survey saw nothing else that
    belongs to a person."""
    for info in engine.fields():
        if info.kind is FieldKind.REAL or not _NAMES_A_PERSON.fullmatch(info.name):
            continue
        profile = engine.profile(info.name)
        each = (profile.rows - profile.nulls) / max(profile.distinct, 1)
        if profile.distinct > FEW_VALUES and LEAST_ROWS_EACH <= each <= MOST_ROWS_EACH:
            return info.name
    return None


def _frequent(words: Mapping[str, int], profile: FieldProfile) -> set[str]:
    """Words for missing values that more than a few cells are."""
    return {word for word, cells in words.items() if cells > HARDLY * profile.rows}


def _missing(words: Collection[str]) -> list[str]:
    """How the source is read where such words are among numbers."""
    if not words:
        return []
    option = as_caller_writes(f"--null-words {','.join(sorted(words))}")
    return [f"# Some numbers are missing: add {option}, also when you assess the rows."]


def _is_real(profile: FieldProfile) -> bool:
    """Numbers with decimals are seldom keys, however different they are."""
    known = profile.rows - profile.nulls
    return profile.numbers >= NUMERIC * known and profile.integers <= NEARLY * known


def _has_few(engine: Engine, profile: FieldProfile) -> bool:
    """Whether a few values are nearly all cells."""
    if profile.distinct <= FEW_VALUES:
        return True
    found = engine.frequencies((profile.info.name,))
    there = np.array([value is not None for value in found.values[0]], bool)
    counts = np.sort(found.counts[there[found.codes[:, 0]]])
    return bool(counts[-FEW_VALUES:].sum() >= NEARLY * counts.sum())


def _text(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _list(names: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, names))}]"
