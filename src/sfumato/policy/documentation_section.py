"""`[documentation]`: a person's answers to what an agency documents of each data set (Garfinkel
2016, section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass

from .table_cursor import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentedQuestion:
    """A question, or a statement that is to be shown. Where it `is_counted`, the policy and the
    verdicts of a release answer it; otherwise a person does, under `key`."""

    key: str
    question: str
    is_counted: bool = False


QUESTIONS = (
    DocumentedQuestion(
        key="techniques",
        question="Are the techniques theoretically sound and generally accepted?",
        is_counted=True,
    ),
    DocumentedQuestion(
        key="software", question="Is the software reliable for the task?", is_counted=True
    ),
    DocumentedQuestion(
        key="qualified", question="Are the people who de-identified the data suitably qualified?"
    ),
    DocumentedQuestion(
        key="tests",
        question="Which tests evaluated the effectiveness of the de-identification?",
        is_counted=True,
    ),
    DocumentedQuestion(
        key="monitoring", question="Which monitoring assures that it stays effective?"
    ),
    DocumentedQuestion(
        key="direct_identifiers",
        question="Are direct identifiers collected with the data set?",
        is_counted=True,
    ),
    DocumentedQuestion(
        key="quasi_identifiers",
        question="Can people still be identified through quasi-identifiers?",
        is_counted=True,
    ),
    DocumentedQuestion(
        key="life_cycle",
        question="Where in the life cycle of the data is de-identification performed: in one place "
        "or in several?",
    ),
    DocumentedQuestion(
        key="original", question="Is the original data set retained after de-identification?"
    ),
    DocumentedQuestion(
        key="map",
        question="Is there a key or map with which data can be re-identified later?",
        is_counted=True,
    ),
    DocumentedQuestion(
        key="decisions",
        question="How are decisions made about de-identification and re-identification?",
    ),
    DocumentedQuestion(
        key="other_data",
        question="Which data sets can re-identify the data, and which controls prevent it?",
    ),
    DocumentedQuestion(key="harm", question="Is it a problem if the data set is re-identified?"),
    DocumentedQuestion(
        key="notice",
        question="How does the agency learn of attempts to re-identify the data, and of their "
        "success?",
    ),
)


def read_documentation(top: Reader) -> dict[str, str]:
    """The answers by key; a question that the release answers itself is refused here."""
    section = top.table("documentation")
    if section is None:
        return {}
    keys = {each.key: each for each in QUESTIONS}
    out = {}
    for key in section.raw:
        if key in keys and keys[key].is_counted:
            section.text(key)
            section.report(
                key, "The release answers this by counting.", attempt="leaving the line out."
            )
        elif key in keys:
            out[key] = section.text(key)
    section.close()
    return {key: text for key, text in out.items() if text}
