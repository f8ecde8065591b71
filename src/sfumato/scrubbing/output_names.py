"""What the written files are called. Names of files name people ("Smith_John.docx"), so numbers
take their place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from sfumato.text.surrogates import KeyedDraws

from .file_inspection import InspectedFile
from .request import Names

FEWEST_DIGITS = 4


def written_names(
    batches: Sequence[Sequence[InspectedFile]], *, names: Names, drawing: KeyedDraws
) -> dict[str, str]:
    """The path of each file below the target, by its place.

    Numbers follow an order that only the key tells: the order of the alphabet would tell names.
    Files of one person stand in one folder, and so do those of several people where a file has
    texts of both."""
    if names is Names.KEPT:
        return {
            each.source.place: each.source.place + each.suffix
            for batch in batches
            for each in batch
        }
    by_name = {batch[0].source.place: batch for batch in batches}
    width = max(FEWEST_DIGITS, len(str(max(len(by_name), *(len(batch) for batch in batches)))))
    out: dict[str, str] = {}
    for number, first in enumerate(drawing.ordered(list(by_name), "folders"), start=1):
        batch = {each.source.place: each for each in by_name[first]}
        for place_number, place in enumerate(drawing.ordered(list(batch), "files"), start=1):
            ending = _ending(batch[place])
            if len(batch) == 1:
                out[place] = f"document-{number:0{width}}{ending}"
            else:
                out[place] = f"person-{number:0{width}}/document-{place_number:0{width}}{ending}"
    return out


def _ending(seen: InspectedFile) -> str:
    """The ending by which the format is known, in small letters, and what the format adds to it."""
    return (PurePosixPath(seen.source.place).suffix + seen.suffix).lower()
