"""Checking a folder of scrubbed files against its manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from sfumato.text import DE_IDENTIFIED
from sfumato.text.languages import unread

from .checks import ORIGINALS, Check, same_as_said
from .inventory import file_checks


def needs_review(scrubbed: Mapping[str, Any]) -> bool:
    """Whether a person must read the files before they are released. That is so where the detectors
    found something once more, or a page of a scan could not be read, or a text is in a language that
    they do not read, unless a named person has read it.

    Example:
        >>> needs_review({"found_again": 0, "languages": {"English": 4}})
        False
        >>> needs_review({"found_again": 0, "languages": {"English": 4, "German": 1}})
        True
    """
    checked = scrubbed.get("checked_by_a_person")
    was_read = isinstance(checked, Mapping) and bool(checked.get("reviewers"))
    others = unread(scrubbed.get("languages", {}))
    again = scrubbed["found_again"] or scrubbed.get("unreadable_pages", 0)
    return bool(again) or (bool(others) and not was_read)


def scrub_checks(folder: Path, facts: dict[str, Any]) -> Iterator[Check]:
    """Whether the files are those that were written, all of them and no others; and what cannot be
    seen from them."""
    scrubbed = facts["scrubbed"]
    listed = {str(each["file"]): each for each in scrubbed["files"]}
    if len(listed) != len(scrubbed["files"]):
        raise ValueError("a file is listed twice")
    tops = {PurePosixPath(name).parts[0] for name in listed}
    yield from file_checks(folder, listed, expected=tops, whole={})
    kinds = sum(number for became in scrubbed["findings"].values() for number in became.values())
    yield same_as_said(
        "findings by file and by kind", sum(each["findings"] for each in scrubbed["files"]), kinds
    )
    yield same_as_said("the statement on what scrubbing is", facts["statement"], DE_IDENTIFIED)
    again = "review" if needs_review(scrubbed) else "pass"
    yield same_as_said(
        "the outcome follows from what was found again and from the languages",
        facts["outcome"],
        again,
    )
    yield Check(
        claim=ORIGINALS,
        outcome="review",
        found=(
            "only the holder of the sources can check this; it held when the files were written"
        ),
    )
    yield Check(
        claim=str(facts["statement"]), outcome="review", found="no check can see what was missed"
    )
