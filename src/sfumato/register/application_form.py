"""Application forms: the answers of an applicant before any data is made for them.

The questions follow Garfinkel (2016), sections 3.1 to 3.6: purpose and use, origin of the data and
promises to its subjects, law, sharing model, accepted risk, harms and mitigation. They also follow
the Five Safes (Desai, Ritchie and Welpton 2016)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Self

from sfumato.errors import Mistake

LONGEST: Final = 5_000
"""The most characters of an answer."""


class SharingModel(StrEnum):
    """How data is made available outside (Garfinkel 2016, section 3.4)."""

    RELEASE_AND_FORGET = "release-and-forget"
    DATA_USE_AGREEMENT = "data-use-agreement"
    SYNTHETIC_WITH_VERIFICATION = "synthetic-with-verification"
    ENCLAVE = "enclave"


QUESTIONS: Final[Mapping[str, str]] = {
    "purpose": "What is to be found out?",
    "use": "How will the data be used, and by whom?",
    "origin": "Which data is asked for, and from which collection does it come?",
    "promised": "What were its subjects promised, also about remaining privacy risks?",
    "law": "Which law, consent or mandate allows this use?",
    "sharing": "Which sharing model is asked for?",
    "accepted_risk": "Which risk of re-identification is accepted, and why?",
    "harms": "What harm could come to people or groups if somebody is re-identified?",
    "mitigation": "How would re-identification be noticed, and what would be done?",
    "projects": "Safe projects: is this use of the data appropriate?",
    "people": "Safe people: can the recipients be trusted to use it in an appropriate manner?",
    "settings": "Safe settings: does the place where the data is used limit unauthorised use?",
    "data": "Safe data: is there a disclosure risk in the data itself?",
    "outputs": "Safe outputs: are the results non-disclosive?",
}
"""The questions of an application, in this order."""


@dataclass(frozen=True, kw_only=True)
class ApplicationForm:
    """The answers of an application, one text for each of QUESTIONS."""

    purpose: str
    use: str
    origin: str
    promised: str
    law: str
    sharing: SharingModel
    accepted_risk: str
    harms: str
    mitigation: str
    projects: str
    people: str
    settings: str
    data: str
    outputs: str

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """A form from a TOML file, and all that it lacks at once."""
        place = Path(path)
        try:
            return cls.of(tomllib.loads(place.read_text(encoding="utf-8-sig")), name=str(place))
        except OSError as error:
            raise Mistake(
                f"An application was to be read from {place}.", found=f"{error.strerror}."
            ) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError):
            raise Mistake(
                f"An application was to be read from {place}.",
                found="It is not TOML in UTF-8.",
                attempt="sfumato register apply --write-form FILE.",
            ) from None

    @classmethod
    def of(cls, answers: Mapping[str, Any], *, name: str = "") -> Self:
        """A form from its answers; Mistake with everything that is wrong."""
        problems = list(_problems(answers))
        if problems:
            raise Mistake(
                f"The application {name} was to be read." if name else "An application was made.",
                found=" ".join(problems),
                attempt="a form that `sfumato register apply --write-form FILE` wrote, filled in.",
            )
        given = {key: str(answers[key]).strip() for key in QUESTIONS if key != "sharing"}
        return cls(sharing=SharingModel(str(answers["sharing"]).strip()), **given)

    def as_facts(self) -> dict[str, str]:
        return {each.name: str(getattr(self, each.name)) for each in fields(self)}


def blank_form() -> str:
    """The form as a file to fill in."""
    parts = []
    for key, question in QUESTIONS.items():
        choices = f" One of {', '.join(SharingModel)}." if key == "sharing" else ""
        parts.append(f'# {question}{choices}\n{key} = ""\n')
    return "\n".join(parts)


def _problems(answers: Mapping[str, Any]) -> Iterator[str]:
    if strange := sorted(map(str, set(answers) - set(QUESTIONS))):
        yield f"It has keys that no application has: {', '.join(strange)}."
    missing = [key for key in QUESTIONS if not str(answers.get(key, "")).strip()]
    if missing:
        yield f"It does not answer: {', '.join(missing)}."
    for key, text in answers.items():
        if not isinstance(text, str):
            yield f"{key} is no text."
        elif len(text) > LONGEST or not _is_text(text):
            yield f"{key} has over {LONGEST:,} characters, or some that are not printable."
    sharing = answers.get("sharing", "")
    if sharing and sharing not in {each.value for each in SharingModel}:
        yield f"sharing is one of {', '.join(SharingModel)}."


def _is_text(text: str) -> bool:
    return all(each.isprintable() or each in "\n\t" for each in text)
