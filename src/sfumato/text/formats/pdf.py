"""PDF: the text of its pages, forms and comments, written as plain text; no byte of the old file is
copied.

A PDF has the places of letters, not words or lines. A new text of another length cannot replace the
old one without drawing the page anew. Text that is taken out of a PDF often stays in the file.
Recipients of scrubbed letters read or count their words. So a PDF is written as text in UTF-8,
which has every script. A file with a page that is only a picture is a scan (`scan.py`), where the
extra `ocr` is installed."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.errors import MissingExtra, SourceError

from ..replacement import ReplacedDocument
from .optical_reading import can_read
from .part_assembly import checked, counted
from .parts import FilePart, FileReading
from .scan import OpenedScan, opened_pages

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_HYPHEN = re.compile(
    r"[\ufffe\x02]\n?"
)  # How PDFium marks a hyphen that only the end of a line needed.
_WIDGET, _LINK, _FILE = 20, 2, 17
PAGE_END = "\f\n"
_SCANNED = "page that is only a picture|pages that are only pictures"


class Pdf:
    """A PDF file; every page is a part, and so are the filled-in fields and the comments of a
    page."""

    name = "PDF"
    suffixes = (".pdf",)

    def open(self, content: bytes, reading: FileReading) -> OpenedPdf | OpenedScan:
        if b"%PDF-" not in content[:1024]:
            raise SourceError(
                "This file is not a PDF.",
                found="It does not begin as one.",
                attempt="the right suffix.",
            )
        file = _PdfFile(content)
        try:
            pages = [list(file.page(number)) for number in range(file.pages)]
            left_out = file.left_out()
        finally:
            file.close()
        if file.gone[_SCANNED] and can_read():
            return opened_pages(content)
        if not any(pages):
            raise SourceError(
                "This PDF has no text that can be read.",
                found=f"{counted(len(pages), 'page')}, {counted(file.gone['picture'], 'picture')}.",
                attempt="the extra ocr and the program tesseract, which read scans.",
            )
        return OpenedPdf(pages=pages, left_out=left_out)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedPdf:
    """A PDF that was read: the parts of each page."""

    pages: Sequence[Sequence[FilePart]] = field(repr=False)
    left_out: Sequence[str]
    notes: Sequence[str] = ("written as plain text",)
    suffix: str = ".txt"

    @property
    def parts(self) -> Sequence[FilePart]:
        return [part for page in self.pages for part in page]

    def written(self, replaced: Sequence[ReplacedDocument]) -> bytes:
        checked(len(self.parts), replaced)
        texts = iter(replaced)
        pages = ["\n".join(next(texts).text.rstrip("\n") for _ in page) for page in self.pages]
        return ("\n" + PAGE_END).join(pages).rstrip("\f\n").encode("utf-8", "replace") + b"\n"


class _PdfFile:
    """A file as PDFium reads it."""

    def __init__(self, content: bytes) -> None:
        try:
            import pypdfium2
            import pypdfium2.raw
        except ImportError:
            raise MissingExtra("Reading PDF files", extra="text") from None
        self._raw: Any = pypdfium2.raw
        self.gone: Counter[str] = Counter()
        try:
            self._file = pypdfium2.PdfDocument(content)
            self.pages = len(self._file)
            self._file.init_forms()
        except pypdfium2.PdfiumError:
            raise SourceError(
                "This PDF cannot be opened.",
                found="It is broken, or encrypted with a password.",
                attempt="saving it once without a password.",
            ) from None
        self._error = pypdfium2.PdfiumError

    def close(self) -> None:
        self._file.close()

    def page(self, number: int) -> Iterator[FilePart]:
        """The parts of a page that have a text."""
        try:
            page = self._file[number]
            words = page.get_textpage().get_text_range()
        except self._error:
            raise SourceError(
                "This PDF has a page that cannot be read.", found=f"It is page {number + 1:,}."
            ) from None
        pictures = sum(1 for _ in page.get_objects(filter=[self._raw.FPDF_PAGEOBJ_IMAGE]))
        self.gone["picture"] += pictures
        fields, comments = self._annotations(page)
        text = _clean(words)
        if not text.strip() and pictures:
            self.gone[_SCANNED] += 1
        for place, words in (
            ("page", text),
            ("form fields of page", fields),
            ("comments on page", comments),
        ):
            if words.strip():
                yield FilePart(place=f"{place} {number + 1:,}", text=words)

    def left_out(self) -> tuple[str, ...]:
        self.gone["attachment"] += self._file.count_attachments()
        self.gone["outline entry|outline entries"] += sum(1 for _ in self._file.get_toc())
        told = [
            counted(number, *what.split("|"))
            for what, number in sorted(self.gone.items())
            if number
        ]
        return (*told, "properties, fonts and layout")

    def _annotations(self, page: Any) -> tuple[str, str]:
        """The fields that are filled in, and the comments, a line for each."""
        raw = self._raw
        fields: list[str] = []
        comments: list[str] = []
        for place in range(raw.FPDFPage_GetAnnotCount(page)):
            annotation = raw.FPDFPage_GetAnnot(page, place)
            if not annotation:
                continue
            kind = raw.FPDFAnnot_GetSubtype(annotation)
            if kind == _WIDGET:
                fields += self._field(annotation)
            elif kind in (_LINK, _FILE):
                self.gone["link's target|links' targets" if kind == _LINK else "attachment"] += 1
            elif text := _string(
                lambda *to, of=annotation: raw.FPDFAnnot_GetStringValue(of, b"Contents", *to)
            ):
                comments.append(text)
                self.gone["author of a comment|authors of comments"] += 1
            raw.FPDFPage_CloseAnnot(annotation)
        return "\n".join(fields), "\n".join(comments)

    def _field(self, annotation: Any) -> Iterator[str]:
        raw, form = self._raw, self._file.formenv
        if form is None:
            value = _string(lambda *to: raw.FPDFAnnot_GetStringValue(annotation, b"V", *to))
            name = _string(lambda *to: raw.FPDFAnnot_GetStringValue(annotation, b"T", *to))
        else:
            value = _string(lambda *to: raw.FPDFAnnot_GetFormFieldValue(form, annotation, *to))
            name = _string(lambda *to: raw.FPDFAnnot_GetFormFieldName(form, annotation, *to))
        if value.strip():
            yield f"{name}: {value}" if name else value


def _string(ask: Callable[..., int]) -> str:
    """The string that a function of PDFium writes into a buffer: called once for the length, once
    for the words."""
    length = ask(None, 0)
    if length <= 2:
        return ""
    buffer = ctypes.create_string_buffer(length)
    ask(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), length)
    return _clean(buffer.raw[: length - 2].decode("utf-16-le", "replace"))


def _clean(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", _HYPHEN.sub("", lines))
