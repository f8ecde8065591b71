"""The fields beside a field answer what its name does not: a flag between diseases is one of them,
and four scales in a row are the questions of one form.

Such an answer is a guess. The field stays an open question, so that a person decides before any
release passes; only what is proposed until then changes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from sfumato.engines import FieldKind
from sfumato.policy import Role

from .name_words import plain_word, words_of
from .records import FieldLikeness, FieldSurvey, LooksLike, Proposal
from .roles import RULES

GUESSED, SURE = 0.4, 0.5
FLAG_WORDS = frozenset(
    """yes no y n true false t f ja nein oui non si sim nao present absent 0 1 2 9""".split()
)
_CODE = re.compile(r"^\d{1,2}[_.:=) -]+(?=[a-z])")
"""The code before the word of an answer, as in `1_yes`."""
MOST_FLAG_VALUES = 3
LEAST_SCALE, MOST_SCALE = 4, 11
KNOWN_FLAGS, SHARE = 3, 1 / 3
"""A run of flags is about one subject where so many of them, and so large a share, are known."""
FEWEST_ITEMS, WITH_KNOWN, LONG_SCALE = 4, 3, 10
"""Fields in a row with one scale that are questions of a form, and so many where one is known or
where the scale has so many steps."""
MANY, FURTHEST = 20, 3
"""Different values of a measured number, and the longest row of unknown ones between known ones."""
NUMBERS = (FieldKind.INTEGER, FieldKind.REAL)
CONFIDENTIAL = frozenset(kind for kind, rule in RULES.items() if rule.role is Role.SENSITIVE)
PANELS = (LooksLike.MEASUREMENT, LooksLike.ASSESSMENT)
COUNTED = frozenset(
    "year years yr yrs age day days month months hour hours week weeks time number count n no".split()
)
"""Words for how long or how often, which others may know and which no laboratory measures."""


@dataclass(frozen=True, slots=True)
class AnswerScale:
    """The answers that a field may have: a flag, or a scale with its ends or its words."""

    flag: bool = False
    ends: tuple[int, int] | None = None
    words: frozenset[str] = frozenset()


def read_neighbours(
    fields: Sequence[FieldSurvey], values: Mapping[str, Sequence[str]]
) -> tuple[FieldSurvey, ...]:
    """The fields; open ones whose neighbours say what they are about are proposed as these."""
    scales = [answer_scale(values.get(item.name, ())) for item in fields]
    out: list[FieldSurvey] = []
    for scale, group in groupby(zip(scales, fields, strict=True), key=lambda each: each[0]):
        run = [item for _, item in group]
        if scale is None:
            out.extend(run)
        elif scale.flag:
            out.extend(part for piece in _pieces(run) for part in _enclosed_flags(piece))
        else:
            out.extend(part for piece in _pieces(run) for part in _form(piece, scale))
    return _panels(out)


def answer_scale(values: Sequence[str]) -> AnswerScale | None:
    """The scale of a field with these different values; None where they are no answers.

    Example:
        >>> answer_scale(("0", "1")), answer_scale(("1", "2", "3", "4", "5.0")).ends
        (AnswerScale(flag=True, ends=None, words=frozenset()), (1, 5))
        >>> answer_scale(("12", "57", "99", "4")) is None
        True
    """
    plain = {
        _CODE.sub("", plain_word(value.strip()).removesuffix(".0")) or value for value in values
    }
    if not 2 <= len(plain) <= MOST_SCALE:
        return None
    if len(plain) <= MOST_FLAG_VALUES and plain <= FLAG_WORDS:
        return AnswerScale(flag=True)
    if len(plain) < LEAST_SCALE:
        return None
    if all(text.isdecimal() and len(text) <= 2 for text in plain):
        low, *_, high = sorted(map(int, plain))
        return AnswerScale(ends=(low, high)) if low <= 1 and high <= MOST_SCALE else None
    if any(character.isdigit() for text in plain for character in text):
        return None
    return AnswerScale(words=frozenset(plain))


def _pieces(run: Sequence[FieldSurvey]) -> list[list[FieldSurvey]]:
    """A run cut at every field that is known and not confidential."""
    pieces: list[list[FieldSurvey]] = [[]]
    for item in run:
        pieces[-1].append(item)
        if not item.proposal.open and not _is_known(item):
            pieces.append([])
    return pieces


def _is_known(item: FieldSurvey) -> bool:
    return item.looks_like in CONFIDENTIAL and item.confidence >= SURE and not item.proposal.open


def _enclosed_flags(run: Sequence[FieldSurvey]) -> list[FieldSurvey]:
    """Flags between flags of which a third and more are known to be confidential."""
    known = [place for place, item in enumerate(run) if _is_known(item)]
    if len(known) < max(KNOWN_FLAGS, SHARE * (known[-1] - known[0] + 1 if known else 0)):
        return list(run)
    kind = _commonest(run)
    why = f"it stands among yes-or-no fields such as {_first_known(run)}"
    return [
        _guessed(item, kind, why) if known[0] < place < known[-1] else item
        for place, item in enumerate(run)
    ]


def _form(run: Sequence[FieldSurvey], scale: AnswerScale) -> list[FieldSurvey]:
    """Questions of one form: several fields in a row with one scale. Words that repeat may be any
    code, so there one of the fields must be known."""
    any_known = any(map(_is_known, run))
    if scale.words and not any_known:
        return list(run)
    asked = [item for item in run if item.proposal.open or _is_known(item)]
    long = scale.ends is not None and scale.ends[1] - scale.ends[0] >= LONG_SCALE - 1
    if len(asked) < (WITH_KNOWN if any_known or long else FEWEST_ITEMS):
        return list(run)
    kind = _commonest(run) if any_known else LooksLike.OPINION
    why = (
        f"it is one of {len(asked)} fields in a row with one scale, as the questions of a form are"
    )
    return [_guessed(item, kind, why) for item in run]


def _panels(fields: Sequence[FieldSurvey]) -> tuple[FieldSurvey, ...]:
    """Numbers between measurements or between marks, as a laboratory or a school lists them."""
    out = list(fields)
    settled = [place for place, item in enumerate(fields) if not item.proposal.open]
    for before, after in pairwise(settled):
        ends = (fields[before], fields[after])
        kind = ends[0].looks_like
        alike = kind in PANELS and ends[1].looks_like is kind and all(map(_is_known, ends))
        if not alike or not 1 < after - before <= FURTHEST + 1:
            continue
        why = f"it stands between {ends[0].name} and {ends[1].name}"
        for place in range(before + 1, after):
            item = fields[place]
            measured = item.kind in NUMBERS and item.distinct >= MANY
            if measured and not COUNTED & {*words_of(item.name)}:
                out[place] = _guessed(item, kind, why)
    return tuple(out)


def _commonest(run: Sequence[FieldSurvey]) -> LooksLike:
    return Counter(item.looks_like for item in run if _is_known(item)).most_common(1)[0][0]


def _first_known(run: Sequence[FieldSurvey]) -> str:
    return next(item.name for item in run if _is_known(item))


def _guessed(item: FieldSurvey, kind: LooksLike, why: str) -> FieldSurvey:
    """The field, if it is open, proposed as its neighbours are; it stays a question."""
    if not item.proposal.open or item.proposal.role is not Role.QUASI:
        return item
    rule = RULES[kind]
    return replace(
        item,
        likeness=FieldLikeness(kind, GUESSED, (why,)),
        others=(item.likeness, *item.others),
        proposal=Proposal(role=rule.role, reasons=(rule.reason,), open=True),
    )
