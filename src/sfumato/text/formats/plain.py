"""Plain text: the whole file is one part."""

from __future__ import annotations

from .encodings import decoded
from .parts import FileReading
from .patchwork import Patchwork, Quilt


class PlainText:
    """A text file in any of the usual encodings; line ends and everything else outside findings
    stay as they are.

    Example:
        >>> opened = PlainText().open("Zoë came.\\r\\n".encode(), FileReading())
        >>> [part.place for part in opened.parts], opened.parts[0].text
        (['text'], 'Zoë came.\\r\\n')
    """

    name = "plain text"
    suffixes = (".txt", ".text", ".log", ".asc")

    def open(self, content: bytes, reading: FileReading) -> Patchwork:
        text = decoded(content, asked=reading.encoding)
        quilt = Quilt()
        quilt.add(quilt.part("text"), text.text)
        return quilt.sewn(text)
