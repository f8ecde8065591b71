"""Files inside a FHIR resource: text in base64 is read and written, everything else is masked as
FHIR masks."""

from __future__ import annotations

import base64
import binascii
import re

from sfumato.errors import SourceError

from .html import HtmlFormat
from .json_trees import Member, Object
from .parts import FileReading
from .patchwork import Patchwork
from .plain import PlainText

MASKED = (
    '{"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", '
    '"valueCode": "masked"}]}'
)
FILE_KEYS = frozenset({"data", "valueBase64Binary", "hash", "size"})
_SAMPLES = re.compile(
    r"[-+0-9.eEUL\s]*"
)  # SampledData: decimals, and E, U or L where there is none.


def is_file(member: Member, holder: Object) -> bool:
    """Whether a member belongs to a file (Attachment, Binary, Signature), not to numbers of the
    same name."""
    if member.key in ("hash", "size"):
        return holder.get("contentType") is not None or holder.get("data") is not None
    if member.key == "data" and holder.get("contentType") is None:
        return not _SAMPLES.fullmatch(holder.string("data"))
    return member.key in FILE_KEYS


def opened_file(member: Member, holder: Object) -> Patchwork | None:
    """The text of a file, None where it is no text and must be left out."""
    kind = holder.string("contentType").partition(";")[0].strip().lower()
    if member.key != "data" or not kind.startswith(("text/", "application/xhtml")):
        return None
    charset = re.search(r"charset=\"?([A-Za-z0-9_-]+)", holder.string("contentType"))
    reading = FileReading(encoding=charset.group(1) if charset else "")
    try:
        content = base64.b64decode(re.sub(r"\s", "", holder.string("data")), validate=True)
        return (HtmlFormat() if "html" in kind else PlainText()).open(content, reading)
    except (binascii.Error, ValueError, SourceError):
        return None


def encoded_file(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def masked(member: Member, holder: Object) -> str:
    """What stands in place of a member that is left out: an extension that says so."""
    if holder.get(f"_{member.key}") is not None:
        return f'"{member.key}": {"0" if member.key == "size" else chr(34) * 2}'
    return f'"_{member.key}": {MASKED}'
