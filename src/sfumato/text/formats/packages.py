"""Office packages: a zip of XML files, read with limits and without entities, and written the same
way every time."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from sfumato.errors import SourceError

MOST_FILES = 20_000
MOST_BYTES = 256 * 1024 * 1024
"""Of all files together that are read from a package, unpacked."""
_DEEPEST = 200
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_TIME = (1980, 1, 1, 0, 0, 0)


class Package:
    """The files of a package. Only what is asked for is unpacked, so that pictures and what is
    hidden are not."""

    def __init__(self, content: bytes, *, name: str) -> None:
        self._name = name
        self._left = MOST_BYTES
        if content.startswith(_OLE):
            raise SourceError(
                f"This file is not a {name} file of 2007 or later.",
                found="It is an older one, or one that is encrypted with a password.",
                attempt=f"saving it as {name} without a password.",
            )
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            self.names = tuple(self._zip.namelist())
        except (
            zipfile.BadZipFile,
            ValueError,
            OSError,
            EOFError,
            NotImplementedError,
            UnicodeDecodeError,
        ):
            raise self._broken() from None
        if len(self.names) > MOST_FILES or len(set(self.names)) < len(self.names):
            raise self._broken(f"It has {len(self.names):,} files inside, or two of one name.")

    def read(self, name: str) -> bytes:
        """One file, unpacked; refused past the limit, whatever size the package states."""
        try:
            with self._zip.open(name) as file:
                content = file.read(self._left + 1)
        except (
            zipfile.BadZipFile,
            zlib.error,
            KeyError,
            RuntimeError,
            OSError,
            EOFError,
            NotImplementedError,
            ValueError,
        ):
            raise self._broken() from None
        self._left -= len(content)
        if self._left < 0:
            raise SourceError(
                "This file unpacks to more than can be read.",
                found=f"More than {MOST_BYTES // 1024 // 1024:,} MB.",
            )
        return content

    def xml(self, name: str) -> Element:
        return parsed_xml(self.read(name), name=self._name)

    def _broken(self, found: str = "It is not a whole zip file.") -> SourceError:
        return SourceError(
            f"This {self._name} file is broken.", found=found, attempt="opening and saving it once."
        )


def parsed_xml(content: bytes, *, name: str) -> Element:
    """An XML tree. A document type is refused, and with it every entity: office files have none,
    bombs have.

    Example:
        >>> parsed_xml(b"<a xmlns='u'><b c='1'/>x</a>", name="DOCX").tag
        '{u}a'
    """
    parser = expat.ParserCreate(namespace_separator="}")
    builder = TreeBuilder()
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise SourceError(f"This {name} file is nested more than {_DEEPEST} deep.")
        builder.start(
            _qualified(tag), {_qualified(key): value for key, value in attributes.items()}
        )

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_qualified(tag))

    def refuse(*_: object) -> None:
        raise SourceError(
            f"This {name} file has a document type, which such files never have.",
            attempt="another file.",
        )

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse  # type: ignore[assignment]
    parser.buffer_text = True
    try:
        parser.Parse(content, True)  # noqa: FBT003
        root: Element = builder.close()
    except (expat.ExpatError, AssertionError, ValueError):
        raise SourceError(
            f"This {name} file is broken.", found="The XML in it cannot be read."
        ) from None
    return root


def packed(files: Mapping[str, bytes]) -> bytes:
    """A package with these files, in this order; the same bytes for the same files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, date_time=_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 0
            package.writestr(entry, content)
    return out.getvalue()


def _qualified(name: str) -> str:
    return f"{{{name}" if "}" in name else name
