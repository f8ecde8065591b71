"""The policy of a text field: how it is scrubbed. Frozen records, no behaviour.

The words are those of the text room, which this one may not import; a test holds them together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

TEXT_KINDS = (
    "name", "relative", "user name", "street", "town", "region", "postcode", "country", "coordinates", "phone",
    "e-mail", "url", "ip", "date", "time", "age", "national number", "financial number", "record number", "licence",
    "plate", "device", "account", "hospital", "organisation", "team", "profession", "demographic", "quantity", "other",
)  # fmt: skip
"""The kinds of personal references."""


class TextPurpose(StrEnum):
    """The masked findings: all, those that name somebody, or also those that single somebody
    out."""

    EVERYTHING = "everything"
    DIRECT = "direct"
    SINGLING_OUT = "singling out"


class TextMethod(StrEnum):
    """The replacement of a reference."""

    SURROGATE = "surrogate"
    TAG = "tag"
    MASK = "mask"
    SUPPRESS = "suppress"


class TextTrait(StrEnum):
    """The traits of a name that its surrogate keeps."""

    GENDER = "gender"
    INITIALS = "initials"
    ORIGIN = "origin"


class TextDates(StrEnum):
    """The treatment of dates: moved by as many days as the person's dates in the tables, cut, or
    removed."""

    SHIFT = "shift"
    MONTH = "month"
    YEAR = "year"
    SUPPRESS = "suppress"


class TextPlaces(StrEnum):
    """The treatment of places: another of like size, or the region that they are in."""

    LIKE = "like"
    REGION = "region"


class TextUnsure(StrEnum):
    """The treatment of a name, place or number that is masked and not certain."""

    TAG = "tag"
    SURROGATE = "surrogate"


class TextDetectors(StrEnum):
    """The detectors: rules, with the conditional random field, or with the transformer too."""

    RULES = "rules"
    CRF = "crf"
    TRANSFORMER = "transformer"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPattern:
    """A pattern of the holder's own: all that it matches is a reference of `kind`."""

    pattern: str
    kind: str = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWords:
    """A word list of the holder's own: each line of `file`, as whole words, is a reference of
    `kind`."""

    file: str
    kind: str = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrubPolicy:
    """How one text field is scrubbed.

    `methods` and `thresholds` are exceptions by kind. `cues` are the fields whose values are known
    to be about the person and are looked for in the text. Each has its kind, or "" where the
    field's values show it; None is every direct identifier of the person. Values that the release
    generalises are looked for in any case. `patterns` and `words` are detectors of the holder's
    own, by name; what they find is masked whatever the purpose. Where no `detectors` are named, they
    are those of `sfumato scrub`: with the transformer if its extra is installed."""

    purpose: TextPurpose = TextPurpose.SINGLING_OUT
    method: TextMethod = TextMethod.SURROGATE
    methods: Mapping[str, TextMethod] = field(default_factory=dict)
    keep: tuple[TextTrait, ...] = (TextTrait.GENDER,)
    dates: TextDates = TextDates.SHIFT
    places: TextPlaces = TextPlaces.LIKE
    unsure: TextUnsure = TextUnsure.TAG
    thresholds: Mapping[str, float] = field(default_factory=dict)
    detectors: TextDetectors | None = None
    cues: Mapping[str, str] | None = None
    patterns: Mapping[str, TextPattern] = field(default_factory=dict)
    words: Mapping[str, TextWords] = field(default_factory=dict)
