"""The treatment of a text field, in the words of a manifest."""

from __future__ import annotations

from sfumato.policy import ScrubPolicy, TextDates, TextMethod

SCRUBBED = "scrubbed-text"
"""The name of the verdict about a text field."""
_METHODS = {
    TextMethod.SURROGATE: "made-up ones",
    TextMethod.TAG: "tags",
    TextMethod.MASK: "asterisks",
    TextMethod.SUPPRESS: "[...]",
}
_DATES = {
    TextDates.SHIFT: "dates are moved, with the person's others",
    TextDates.MONTH: "dates are cut to the month",
    TextDates.YEAR: "dates are cut to the year",
    TextDates.SUPPRESS: "dates are taken out",
}


def scrubbed_words(scrub: ScrubPolicy) -> str:
    """The treatment of a text field."""
    dates = f"; {_DATES[scrub.dates]}" if scrub.method is TextMethod.SURROGATE else ""
    return (
        f"scrubbed ({scrub.purpose.value}): references that were found are replaced by "
        f"{_METHODS[scrub.method]}{dates}"
    )
