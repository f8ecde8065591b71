"""E-mail: the lines that a reader sees, the bodies, and the attachments that can be read.

The message is written anew: sender, recipients, subject and date, the text and HTML bodies, and the
attachments under numbered names. All other header lines are left out, since servers, programs and
routes name people; so is every attachment of a format that is not read."""

from __future__ import annotations

import email
import re
from collections.abc import Sequence
from dataclasses import dataclass
from email import policy
from email.header import Header
from email.message import EmailMessage, Message
from pathlib import PurePosixPath

from sfumato.errors import SfumatoError, SourceError
from sfumato.wording import counted

from ..replacement import ReplacedDocument
from .compound import Compound
from .encodings import DecodedText
from .html import opened_html
from .parts import FilePart, FileReading, OpenedFile
from .patchwork import Quilt

_SHOWN = ("From", "Reply-To", "To", "Cc", "Bcc", "Subject", "Date")
_LINE = re.compile(r"[\r\n]+[ \t]*")
_DAY = re.compile(r"(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4}")
_DEEPEST = 5


class Eml:
    """A message as mail programs save it."""

    name = "EML"
    suffixes = (".eml",)

    def open(self, content: bytes, reading: FileReading) -> OpenedMessage:
        return _opened(content, reading, depth=0)


def _opened(content: bytes, reading: FileReading, *, depth: int) -> OpenedMessage:
    try:
        message = email.message_from_bytes(content, policy=policy.default)
        shown = [(name, _line(message, name)) for name in _SHOWN if message[name] is not None]
        leaves = [part for part in message.walk() if not part.is_multipart()]
        nested = [part for part in message.walk() if part.get_content_type() == "message/rfc822"]
    except (ValueError, TypeError, LookupError, AttributeError, IndexError, KeyError):
        raise SourceError("This e-mail is broken.", found="Its header cannot be read.") from None
    if not shown:
        raise SourceError(
            "This file is no e-mail.", found="It has no sender, recipient, subject or date."
        )
    inside = {id(leaf) for one in nested for leaf in one.walk() if leaf is not one}
    pieces: list[_Piece] = []
    gone = 0
    for leaf in leaves:
        if id(leaf) not in inside:
            piece = _piece(leaf, reading, number=len(pieces) + 1)
            pieces += [piece] if piece is not None else []
            gone += piece is None
    for one in nested if depth < _DEEPEST else ():
        if id(one) in inside:
            continue
        inner = one.get_payload(0)
        if not isinstance(inner, Message):
            gone += 1
            continue
        file = _opened(inner.as_bytes(), reading, depth=depth + 1)
        pieces.append(_Piece(file=file, name=f"message-{len(pieces) + 1}.eml", kind="message"))
    gone += len(nested) if depth >= _DEEPEST else 0
    others = len({name.lower() for name in message} - {name.lower() for name in _SHOWN})
    return OpenedMessage(header=_header(shown), pieces=tuple(pieces), gone=gone, others=others)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A body or an attachment that was read. `kind` is plain, html, attachment or message."""

    file: OpenedFile
    name: str
    kind: str


def _line(message: Message, name: str) -> str:
    """The value of a header line; of a date only the day, since its minutes identify the
    message."""
    if name == "Date":
        found = _DAY.search(str(message[name]))
        return found.group() if found else str(message[name])
    return _LINE.sub(" ", ", ".join(map(str, message.get_all(name, []))))


def _header(shown: Sequence[tuple[str, str]]) -> OpenedFile:
    """The lines that a reader sees, as one text: a sender's name explains the address beside it."""
    quilt = Quilt()
    part = quilt.part("header")
    for name, line in shown:
        quilt.keep(f"{name}: ")
        quilt.weave(part).between(f"{name}: ")
        quilt.add(part, line or " ", encode=lambda new: _LINE.sub(" ", new))
        quilt.weave(part).between("\n")
        quilt.keep("\n")
    text = "".join(f"{name}: {line}\n" for name, line in shown)
    return quilt.sewn(DecodedText(text=text, encoding="utf-8"))


def _piece(leaf: Message, reading: FileReading, *, number: int) -> _Piece | None:
    """The readable content of a leaf of the message; None where there is none."""
    name, kind = leaf.get_filename() or "", leaf.get_content_type()
    content = leaf.get_payload(decode=True)
    if not isinstance(content, bytes):
        return None
    if not name and kind in ("text/plain", "text/html"):
        text = _decoded(content, leaf.get_content_charset() or "utf-8")
        if kind == "text/html":
            return _Piece(file=opened_html(text), name="", kind="html")
        quilt = Quilt()
        quilt.add(quilt.part("text"), text.text)
        return _Piece(file=quilt.sewn(text), name="", kind="plain")
    from .format_choice import format_of

    suffix = PurePosixPath(name.replace("\\", "/")).suffix.lower()
    try:
        file = format_of(f"attachment{suffix}", content).open(content, reading)
    except SfumatoError:
        return None
    return _Piece(file=file, name=f"attachment-{number}{suffix}{file.suffix}", kind="attachment")


def _decoded(content: bytes, charset: str) -> DecodedText:
    try:
        text = content.decode(charset)
    except (LookupError, UnicodeDecodeError):
        text = content.decode("utf-8", "replace")
    return DecodedText(text=text.replace("\r\n", "\n"), encoding="utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedMessage:
    """An e-mail that was read."""

    header: OpenedFile
    pieces: tuple[_Piece, ...]
    gone: int
    others: int
    suffix: str = ""

    @property
    def _compound(self) -> Compound:
        files = [("", self.header)]
        for number, piece in enumerate(self.pieces, start=1):
            label = "" if piece.kind in ("plain", "html") else f"{piece.kind} {number}"
            files.append((label, piece.file))
        return Compound(files=tuple(files))

    @property
    def parts(self) -> Sequence[FilePart]:
        return self._compound.parts

    @property
    def unreadable(self) -> int:
        return self._compound.unreadable

    @property
    def left_out(self) -> Sequence[str]:
        more = []
        if self.gone:
            more.append(
                counted(self.gone, "attachment of another format", "attachments of other formats")
            )
        if self.others:
            more.append(counted(self.others, "header line of a server", "header lines of servers"))
        return (*self._compound.left_out, *more)

    @property
    def notes(self) -> Sequence[str]:
        return self._compound.notes

    def written(self, replaced: Sequence[ReplacedDocument]) -> bytes:
        header, *contents = self._compound.written_each(replaced)
        message = EmailMessage(policy=policy.SMTP)
        _fill(message, list(zip(self.pieces, contents, strict=True)))
        _set_boundaries(message)
        lines = (line.partition(": ") for line in header.decode("utf-8").split("\n") if line)
        head = "".join(f"{name}: {_encoded(name, value)}\r\n" for name, _, value in lines)
        return head.encode("ascii") + message.as_bytes()


def _encoded(name: str, value: str) -> str:
    """A header line as mail programs write it; libraries would drop a date that they cannot read."""
    charset = "us-ascii" if value.isascii() else "utf-8"
    return Header(value, charset, header_name=name).encode(linesep="\r\n")


def _fill(message: EmailMessage, pieces: Sequence[tuple[_Piece, bytes]]) -> None:
    bodies = [(piece, content) for piece, content in pieces if piece.kind in ("plain", "html")]
    first = True
    for piece, content in bodies:
        text, subtype = content.decode("utf-8", "replace"), piece.kind
        if first:
            message.set_content(text, subtype=subtype, cte="base64")
        else:
            message.add_alternative(text, subtype=subtype, cte="base64")
        first = False
    for piece, content in pieces:
        if piece.kind in ("attachment", "message"):
            message.add_attachment(
                content, maintype="application", subtype="octet-stream", filename=piece.name
            )


def _set_boundaries(message: EmailMessage) -> None:
    """The same bytes for the same message: libraries draw boundaries by chance."""
    for number, part in enumerate(message.walk()):
        if part.is_multipart():
            part.set_boundary(f"=====scrubbed-{number:04d}=====")
