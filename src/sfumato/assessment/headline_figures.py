"""The headline figures for a board: how likely a person is found, how much is kept, and the
strongest attack."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.report import counted, number, one_in, percent, share_of

from .case import Case
from .case_measures import CaseMeasures

Card = tuple[str, str, str]


def remembered(case: Case, found: CaseMeasures) -> Iterator[Card]:
    """Number, name and meaning of each, as far as they were measured."""
    highest = found.results["risk"].after.kirp.maximum
    if highest:
        words = (
            "to pick the right row of the person most exposed, for somebody who knows the "
            "fields named above."
        )
        yield one_in(round(1 / highest, 1)), "highest chance", words
    rows = case.subject.release.count_rows()
    if case.subject.source is not None:
        whole = case.subject.source.count_rows()
        yield (
            percent(share_of(rows, whole)),
            "of rows released",
            f"{number(rows)} of {counted(whole, 'row')}.",
        )
    if "usefulness" in found.results:
        useful = found.results["usefulness"]
        if useful.losses is not None:
            words = (
                "in the fields named above: 100 % is every value unchanged, 0 % is every "
                "value suppressed."
            )
            yield percent(1 - useful.losses.loss), "of detail kept", words
        if useful.queries is not None:
            words = "of counts over one to three fields of the release, compared with the source."
            yield percent(useful.queries.whole.median), "usual error of a count", words
    if "attacks" in found.results:
        tried = [run for run in found.results["attacks"] if run.rate is not None]
        beaten = len(found.results["attacks"].beaten)
        if tried:
            yield (
                f"{beaten} of {len(tried)}",
                "attacks succeed",
                "that is, do better than a guess without the release.",
            )
