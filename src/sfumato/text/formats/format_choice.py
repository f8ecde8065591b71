"""The format of a file: by its suffix, and by how its content begins where several share one."""

from __future__ import annotations

import re
from pathlib import PurePath

from sfumato.errors import SourceError

from .csv_tables import CsvTable
from .docx import Docx
from .eml import Eml
from .fhir import Fhir
from .hl7 import Hl7
from .html import HtmlFormat
from .json_lines import JsonLines
from .markdown import Markdown
from .odt import Odt
from .parts import Format
from .pdf import Pdf
from .plain import PlainText
from .rtf import Rtf
from .scan import Scan
from .xlsx import Xlsx
from .xml import Xml

FORMATS: tuple[Format, ...] = (
    PlainText(),
    Markdown(),
    HtmlFormat(),
    Rtf(),
    Docx(),
    Odt(),
    Pdf(),
    Scan(),
    Eml(),
    Xml(),
    Hl7(),
    Xlsx(),
    CsvTable(),
    JsonLines(),
    Fhir(),
)
_BY_SUFFIX: dict[str, Format] = {
    suffix: each for each in reversed(FORMATS) for suffix in each.suffixes
}
_RESOURCE = re.compile(rb'"resourceType"\s*:\s*"[A-Z]')
_SAMPLE = 1 << 20
_BEGINNINGS = (
    (b"%PDF-", "PDF", (".pdf",)),
    (b"{\\rtf", "RTF", (".rtf",)),
    (b"PK\x03\x04", "a zip package, such as DOCX", (".docx", ".odt", ".xlsx")),
    (b"\xd0\xcf\x11\xe0", "an Office file from before 2007, or one with a password", ()),
    (b"\x89PNG", "a picture", (".png",)),
    (b"\xff\xd8\xff", "a picture", (".jpg", ".jpeg")),
    (b"GIF8", "a picture", ()),
    (b"II*\x00", "a picture", (".tif", ".tiff")),
    (b"MM\x00*", "a picture", (".tif", ".tiff")),
    (b"\x1f\x8b", "a gzip archive", ()),
    (b"\x7fELF", "a program", ()),
    (b"MZ\x90", "a program", ()),
    (b"SQLite format 3", "a database", ()),
    (b"PAR1", "a Parquet table", ()),
)


def format_of(path: str | PurePath, content: bytes) -> Format:
    """The format of a file. A kind that is not read, or that its suffix does not fit, is refused.

    Example:
        >>> format_of("letter.MD", b"Dear").name, format_of("p.json", b'{"resourceType": "Patient"}').name
        ('Markdown', 'FHIR')
        >>> format_of("scan.gif", b"")
        Traceback (most recent call last):
        ...
        sfumato.errors.SourceError: A file of this kind is not read.
          Its suffix is '.gif'.
          Try one of: .asc, .ccda, .cda, .csv, .docx, .eml, .fhir, .hl7, .hl7v2, .htm, .html, .jpeg, \
.jpg, .json, .jsonl, .jsonlines, .log, .markdown, .md, .mdown, .mkd, .ndjson, .odt, .pdf, .png, .qmd, .rmd, .rtf, \
.tab, .text, .tif, .tiff, .tsv, .txt, .xhtml, .xlsx, .xml.
    """
    suffix = PurePath(path).suffix.lower()
    found = next((each for each in _BEGINNINGS if content.startswith(each[0])), None)
    if suffix not in _BY_SUFFIX:
        shown = (
            f"Its suffix is '{suffix}'."
            if re.fullmatch(r"\.[a-z0-9]{1,8}", suffix)
            else "It has no known suffix."
        )
        raise _refused(
            "A file of this kind is not read.", shown if found is None else f"It is {found[1]}."
        )
    if found is not None and suffix not in found[2]:
        raise _refused(
            "A file does not have the format of its suffix.",
            f"It is {found[1]}, and its suffix is '{suffix}'.",
        )
    if suffix in Fhir.suffixes and _RESOURCE.search(content[:_SAMPLE].replace(b"\x00", b"")):
        return _FHIR
    return _BY_SUFFIX[suffix]


_FHIR = FORMATS[-1]


def _refused(asked: str, found: str) -> SourceError:
    return SourceError(asked, found=found, attempt=f"one of: {', '.join(sorted(_BY_SUFFIX))}.")
