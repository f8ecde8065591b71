"""Writing a review: a folder that only its owner may open, whole or not at all, and never inside a
folder to be released."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from sfumato.errors import TargetError
from sfumato.runs import UNFINISHED, hidden_name, rename_new
from sfumato.text import Document, Purpose, ScrubbedDocument

from .document_blocks import Block, Stretch, cut, paged
from .document_view import DocumentSheet, anchor
from .entries import drawn, entries_of
from .pages import documents_page, in_reading_order, index_page, one_page, page_name
from .review_file import heading, keys_of, pieces

OWNER_ONLY, OWNER_ONLY_FOLDER = 0o600, 0o700
PAGE, FILE = "review.html", "review.json"


def write_review(
    folder: Path,
    documents: Sequence[Document],
    scrubbed: Sequence[ScrubbedDocument],
    *,
    purpose: Purpose | str,
    title: str = "",
    apart_from: Iterable[Path] = (),
) -> Path:
    """Write `review.html` and `review.json` to a new folder, and more pages where one would be too
    long for a browser.

    **The folder holds every original in clear**; it is refused within any folder of `apart_from`,
    those to be released. Returns the page to open."""
    _check(folder, apart_from)
    sheets = [
        DocumentSheet(
            number=number,
            document=document,
            key=key,
            entries=entries_of(document, done),
            unusualness=done.unusualness,
        )
        for number, (document, done, key) in enumerate(
            zip(documents, scrubbed, keys_of(documents), strict=True), 1
        )
    ]
    draft = folder.with_name(hidden_name(folder, UNFINISHED))
    try:
        draft.mkdir(mode=OWNER_ONLY_FOLDER)
        about = (
            (heading(each.key, stands_out=each.unusualness.stands_out), each.entries)
            for each in sheets
        )
        _write(draft / FILE, pieces(str(purpose), about))
        _write_pages(draft, sheets, title=title or folder.name, purpose=str(purpose))
        rename_new(draft, folder)
    except OSError as error:
        why = f"{error.strerror or 'The system refused'}."
        raise TargetError(
            f"{folder} cannot be written.", found=why, attempt="another place."
        ) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return folder / PAGE


def _check(folder: Path, apart_from: Iterable[Path]) -> None:
    if os.path.lexists(folder):
        raise TargetError(
            f"{folder} exists already and is not overwritten.", attempt="another name."
        )
    if not folder.parent.is_dir():
        raise TargetError(
            f"There is no folder {folder.parent}.", attempt="a name in a folder that exists."
        )
    place = folder.resolve()
    if any(place.is_relative_to(other.resolve()) for other in apart_from):
        raise TargetError(
            f"{folder} is within a folder that is shared.",
            found="A review holds originals in clear.",
            attempt="a folder beside it.",
        )


def _write_pages(
    folder: Path, sheets: Sequence[DocumentSheet], *, title: str, purpose: str
) -> None:
    ordered = in_reading_order(sheets)
    by_number = {sheet.number: sheet for sheet in sheets}
    pages = paged((sheet.number, _blocks(sheet)) for sheet in ordered)
    if len(pages) == 1:
        _write(folder / PAGE, [one_page(ordered, pages[0], title=title, purpose=purpose)])
        return
    (folder / "pages").mkdir(mode=OWNER_ONLY_FOLDER)
    links: dict[int, str] = {}
    for number, stretches in enumerate(pages, start=1):
        for stretch in stretches:
            links.setdefault(
                stretch.document, f"pages/{page_name(number)}#{_anchor(by_number, stretch)}"
            )
        page = documents_page(
            by_number, stretches, title=title, purpose=purpose, number=number, count=len(pages)
        )
        _write(folder / "pages" / page_name(number), [page])
    _write(
        folder / PAGE, [index_page(ordered, links, title=title, purpose=purpose, count=len(pages))]
    )


def _blocks(sheet: DocumentSheet) -> tuple[Block, ...]:
    return cut(sheet.document.text, [(entry.start, entry.end) for entry in drawn(sheet.entries)])


def _anchor(sheets: dict[int, DocumentSheet], stretch: Stretch) -> str:
    return anchor(sheets[stretch.document], stretch)


def _write(path: Path, text: Iterable[str]) -> None:
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    with os.fdopen(number, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(text)
        file.flush()
        os.fsync(number)
