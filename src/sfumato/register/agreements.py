"""Agreements: the recipient of data, the terms, the last day, and the fields that the recipient can
link on.

The signed text stays elsewhere; the register has its digest. Classes of access follow Sweeney
(2000), figure 8. Terms of use are codes; those that the Data Use Ontology (GA4GH DUO) knows name
their number there."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Self

from sfumato.errors import Mistake
from sfumato.policy import AccessClass

from .moves import Move
from .release_checks import file_digest


class TermOfUse(StrEnum):
    """The terms that a recipient agreed to."""

    NO_REIDENTIFICATION = "no-reidentification"
    NO_LINKING = "no-linking"
    NO_REDISTRIBUTION = "no-redistribution"
    NO_COMMERCIAL_USE = "no-commercial-use"
    PROJECT_ONLY = "project-only"
    INSTITUTION_ONLY = "institution-only"
    NAMED_USERS_ONLY = "named-users-only"
    ETHICS_APPROVAL = "ethics-approval"
    RESULTS_CHECKED = "results-checked"
    RETURN_RESULTS = "return-results"
    PUBLISH_RESULTS = "publish-results"
    TIME_LIMIT = "time-limit"
    DESTROY_AFTER_USE = "destroy-after-use"
    REPORT_INCIDENTS = "report-incidents"


DUO: Final[Mapping[TermOfUse, str]] = {
    TermOfUse.NO_COMMERCIAL_USE: "DUO_0000046",
    TermOfUse.PROJECT_ONLY: "DUO_0000027",
    TermOfUse.INSTITUTION_ONLY: "DUO_0000028",
    TermOfUse.NAMED_USERS_ONLY: "DUO_0000026",
    TermOfUse.ETHICS_APPROVAL: "DUO_0000021",
    TermOfUse.RETURN_RESULTS: "DUO_0000029",
    TermOfUse.PUBLISH_RESULTS: "DUO_0000019",
    TermOfUse.TIME_LIMIT: "DUO_0000025",
}
"""Terms of the Data Use Ontology, by our codes."""
_EXAMPLE: Final = "the example in docs/register.md."
_DATES: Final = ("valid_from", "until", "destroy_by")
_NAMES: Final = ("also_known_as", "not_the_same_as")
_LISTS: Final = ("link_on", *_NAMES)
_KEYS: Final = {"recipient", "access", "terms", "digest", *_LISTS, *_DATES}


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """One agreement: `link_on` are the fields that its recipient can link on, `digest` is that of
    the signed text. Dates are days, the last one included."""

    recipient: str
    access: AccessClass
    terms: tuple[TermOfUse, ...]
    digest: str
    valid_from: str
    until: str
    destroy_by: str
    link_on: tuple[str, ...] = ()
    also_known_as: tuple[str, ...] = ()
    """Further names of the recipient, by which other agreements or groups know it."""
    not_the_same_as: tuple[str, ...] = ()
    """Names that look like the recipient's and are those of others."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every name of the recipient."""
        return (self.recipient, *self.also_known_as)

    @classmethod
    def read(cls, path: str | Path, *, text: str | Path) -> Self:
        """An agreement from its TOML file, and the file of the signed text."""
        place = Path(path)
        try:
            table = tomllib.loads(place.read_text(encoding="utf-8-sig"))
        except OSError as error:
            raise Mistake(
                f"An agreement was to be read from {place}.", found=f"{error.strerror}."
            ) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError):
            raise Mistake(
                f"An agreement was to be read from {place}.",
                found="It is not TOML in UTF-8.",
                attempt=_EXAMPLE,
            ) from None
        plain = {key: each.isoformat() if isinstance(each, date) else each for key, each in table.items()}  # fmt: skip
        return cls.of({**plain, "digest": file_digest(Path(text))}, name=str(place))

    @classmethod
    def of(cls, facts: Mapping[str, Any], *, name: str = "") -> Self:
        """An agreement from its facts; Mistake with everything that is wrong."""
        facts = {**{key: [] for key in _LISTS}, **facts}
        problems = list(_problems(facts))
        if problems:
            raise Mistake(
                f"The agreement {name} was to be read." if name else "An agreement was made.",
                found=" ".join(problems),
                attempt=_EXAMPLE,
            )
        return cls(
            recipient=facts["recipient"],
            access=AccessClass(facts["access"]),
            terms=tuple(map(TermOfUse, facts["terms"])),
            digest=facts["digest"],
            valid_from=facts["valid_from"],
            until=facts["until"],
            destroy_by=facts["destroy_by"],
            **{key: tuple(facts[key]) for key in _LISTS},
        )

    @classmethod
    def of_move(cls, move: Move) -> Self:
        return cls.of({name: each for name, each in move.facts.items() if name != "application"})

    def as_facts(self) -> dict[str, Any]:
        return {
            "recipient": self.recipient,
            "access": self.access.value,
            "terms": [each.value for each in self.terms],
            "digest": self.digest,
            "valid_from": self.valid_from,
            "until": self.until,
            "destroy_by": self.destroy_by,
            "link_on": list(self.link_on),
            **{key: list(getattr(self, key)) for key in _NAMES if getattr(self, key)},
        }

    def holds_on(self, day: str) -> bool:
        return self.valid_from <= day <= self.until

    def only_renews(self, before: Agreement) -> bool:
        """Whether it gives its recipient nothing but time beyond an earlier one."""
        return (
            self.recipient == before.recipient
            and self.access is before.access
            and set(self.link_on) <= set(before.link_on)
            and set(self.terms) >= set(before.terms)
        )


def _problems(facts: Mapping[str, Any]) -> Iterator[str]:
    if strange := sorted(map(str, set(facts) - _KEYS)):
        yield f"It has keys that no agreement has: {', '.join(strange)}."
    if missing := sorted(_KEYS - set(facts)):
        yield f"It lacks {', '.join(missing)}."
    who = facts.get("recipient", "x")
    if not isinstance(who, str) or not 0 < len(who) <= 200 or not who.isprintable():
        yield "recipient is no name of 1 to 200 printable characters."
    if facts.get("access", "public") not in {each.value for each in AccessClass}:
        yield f"access is one of {', '.join(AccessClass)}."
    terms = facts.get("terms", [])
    if not isinstance(terms, list) or not set(map(str, terms)) <= {t.value for t in TermOfUse}:
        yield f"terms are some of {', '.join(TermOfUse)}."
    for key, what in (("link_on", "fields"), *((each, "names") for each in _NAMES)):
        names = facts[key]
        if not isinstance(names, list) or not all(isinstance(each, str) and each for each in names):
            yield f"{key} is no list of {what}."
    if not _is_digest(facts.get("digest", "0" * 64)):
        yield "digest is no SHA-256 digest."
    days = [facts[key] for key in _DATES if key in facts]
    if not all(map(is_day, days)):
        yield f"{', '.join(_DATES)} are days: 2027-06-30."
    elif len(days) == len(_DATES) and not days[0] <= days[1] <= days[2]:
        yield "It ends before it begins, or is destroyed before it ends."


def is_day(text: object) -> bool:
    """Whether a text is a day in one spelling, such as 2027-06-30."""
    try:
        return isinstance(text, str) and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_digest(text: object) -> bool:
    return isinstance(text, str) and len(text) == 64 and set(text) <= set("0123456789abcdef")
