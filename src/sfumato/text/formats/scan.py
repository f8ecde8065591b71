"""Scans: pictures of pages, and PDF files of such pages, redacted point by point.

A page is drawn anew on white. Of the old page only words that were read surely, and that nobody
masked, are copied; masked ones become black boxes. Everything else is gone: signatures, stamps,
handwriting, photographs, words of little confidence, and whatever the old file held besides. So
nothing is beneath a box, and nothing is kept that no detector has read."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from sfumato.errors import MissingExtra, SourceError

from ..replacement import How, ReplacedDocument
from .optical_reading import Box, ReadPage, needs_reader, read_page
from .part_assembly import checked, counted
from .parts import FilePart, FileReading

if TYPE_CHECKING:
    from PIL.Image import Image

_PER_INCH: Final = 300
_WHITE, _BLACK, _GREY = 255, 0, "L"
_AROUND: Final = 0.15
"""A box is higher than its word, above and below, by this share of its height."""
_BESIDE: Final = 2
"""It is wider by so many points on each side: the next word must stay readable."""
_KINDS: Final = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".tif": "TIFF", ".tiff": "TIFF"}


class Scan:
    """A picture of one page, or of several in a TIFF file."""

    name = "scan"
    suffixes = tuple(_KINDS)

    def open(self, content: bytes, reading: FileReading) -> OpenedScan:
        needs_reader()
        from PIL import Image, ImageSequence, UnidentifiedImageError

        try:
            with Image.open(BytesIO(content), formats=sorted(set(_KINDS.values()))) as picture:
                kind = str(picture.format)
                pages = [_on_white(page) for page in ImageSequence.Iterator(picture)]
        except (OSError, ValueError, SyntaxError, EOFError, UnidentifiedImageError):
            raise _broken("It is broken, or of another kind.") from None
        except Image.DecompressionBombError:
            raise _broken("It has more points than a page.") from None
        return OpenedScan(pages=pages, kind=kind)


def opened_pages(content: bytes) -> OpenedScan:
    """A PDF file as pictures of its pages."""
    needs_reader()
    try:
        import pypdfium2
    except ImportError:
        raise MissingExtra("Reading PDF files", extra="text") from None
    file = pypdfium2.PdfDocument(content)
    try:
        pages = [
            _on_white(page.render(scale=_PER_INCH / 72, grayscale=True).to_pil()) for page in file
        ]
    except pypdfium2.PdfiumError:
        raise _broken("It has a page that cannot be drawn.") from None
    finally:
        file.close()
    return OpenedScan(pages=pages, kind="PDF")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedScan:
    """A scan that was read: the picture of each page, in shades of grey."""

    pages: Sequence[Image] = field(repr=False)
    kind: str
    suffix: str = ""

    @property
    def read(self) -> list[ReadPage]:
        return [read_page(page) for page in self.pages]

    @property
    def parts(self) -> Sequence[FilePart]:
        return [
            FilePart(place=f"page {number:,}", text=page.text)
            for number, page in enumerate(self.read, start=1)
        ]

    @property
    def unreadable(self) -> int:
        """Pages with ink that are not read: they are written without anything on them."""
        return sum(page.is_unreadable for page in self.read)

    @property
    def left_out(self) -> Sequence[str]:
        unsure = sum(page.unsure for page in self.read)
        told = [
            counted(number, *what)
            for number, what in (
                (self.unreadable, ("page that cannot be read", "pages that cannot be read")),
                (unsure, ("word that is not sure", "words that are not sure")),
            )
            if number
        ]
        return (*told, "all that is no printed word, and properties")

    @property
    def notes(self) -> Sequence[str]:
        return ("read by Tesseract, and drawn anew",)

    def written(self, replaced: Sequence[ReplacedDocument]) -> bytes:
        checked(len(self.pages), replaced)
        drawn = [
            _drawn(picture, page, new)
            for picture, page, new in zip(self.pages, self.read, replaced, strict=True)
        ]
        out = BytesIO()
        drawn[0].save(out, self.kind, **self._settings(drawn[1:]))
        return out.getvalue()

    def _settings(self, others: Sequence[Image]) -> dict[str, Any]:
        if self.kind == "PDF":
            never = time.gmtime(0)
            dates = {"creationDate": never, "modDate": never, "producer": "", "creator": ""}
            return {
                "save_all": True,
                "append_images": others,
                "resolution": _PER_INCH,
                "quality": 90,
                **dates,
            }
        if self.kind == "TIFF":
            return {"save_all": True, "append_images": others, "compression": "tiff_lzw"}
        return {"quality": 90} if self.kind == "JPEG" else {}


def _drawn(picture: Image, page: ReadPage, replaced: ReplacedDocument) -> Image:
    """A new page: kept words copied first, boxes last, so that no part of a masked word stays."""
    from PIL import Image, ImageDraw

    out = Image.new(_GREY, picture.size, _WHITE)
    if page.is_unreadable:
        return out
    gone = [
        (change.start, change.end) for change in replaced.replacements if change.how is not How.KEPT
    ]
    boxes: list[Box] = []
    for word in page.words:
        if any(word.start < end and start < word.end for start, end in gone):
            boxes.append(word.box)
        elif word.is_sure:
            out.paste(picture.crop(word.box), word.box[:2])
    pen = ImageDraw.Draw(out)
    for box in _larger(boxes):
        pen.rectangle(box, fill=_BLACK)
    return out


def _larger(boxes: Sequence[Box]) -> Iterator[Box]:
    for left, top, right, bottom in boxes:
        more = _BESIDE + int(_AROUND * (bottom - top))
        yield max(0, left - _BESIDE), max(0, top - more), right + _BESIDE, bottom + more


def _on_white(picture: Image) -> Image:
    """A page in shades of grey; what is transparent is white."""
    from PIL import Image

    if "A" in picture.getbands() or "transparency" in picture.info:
        seen = picture.convert("RGBA")
        white = Image.new("RGBA", seen.size, (_WHITE, _WHITE, _WHITE, _WHITE))
        return Image.alpha_composite(white, seen).convert(_GREY)
    return picture.convert(_GREY)


def _broken(found: str) -> SourceError:
    return SourceError(
        "This scan cannot be opened.", found=found, attempt="scanning or saving it once more."
    )
