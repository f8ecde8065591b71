"""HL7 version 2 messages: fields of people by their place, free text by detectors, codes as they are.

Segments, fields and components are those of HL7 2.5, chapters 2, 3, 4, 6 and 7. A field whose place
defines its content (PID-5 is the patient's name) is certain to hold it. Every other component is
read as text, so that a name in a field that nobody expects is found as well. Delimiters, codes of
the message (MSH-9 to MSH-12) and types (OBX-2) stay."""

from __future__ import annotations

import re

from sfumato.errors import SourceError

from ..kinds import ReferenceKind
from .encodings import DecodedText, decoded
from .parts import FileReading
from .patchwork import Patchwork, Quilt
from .timestamps import day_and_time

_NAME, _PHONE, _NUMBER = ReferenceKind.NAME, ReferenceKind.PHONE, ReferenceKind.RECORD_NUMBER
_DATE, _BODY, _ACCOUNT = ReferenceKind.DATE, ReferenceKind.ORGANISATION, ReferenceKind.ACCOUNT
_ADDRESS = (
    ReferenceKind.STREET,
    ReferenceKind.STREET,
    ReferenceKind.TOWN,
    ReferenceKind.REGION,
    ReferenceKind.POSTCODE,
    None,
)
"""Components of an address (XAD): street, other designation, city, state, zip, country."""
_PERSON = (_NUMBER, _NAME, _NAME, _NAME)
"""Components of a person with an identifier (XCN): id, family, given, further given names."""
_FIELDS: dict[str, dict[int, ReferenceKind | tuple[ReferenceKind | None, ...]]] = {
    "MSH": {4: _BODY, 6: _BODY, 7: _DATE, 10: _NUMBER},
    "EVN": {2: _DATE, 3: _DATE, 5: _PERSON, 6: _DATE},
    "PID": {
        2: (_NUMBER,), 3: (_NUMBER,), 4: (_NUMBER,), 5: _NAME, 6: _NAME, 7: _DATE, 9: _NAME, 11: _ADDRESS,
        12: ReferenceKind.REGION, 13: _PHONE, 14: _PHONE, 18: (_ACCOUNT,),
        19: ReferenceKind.NATIONAL_NUMBER, 20: (ReferenceKind.LICENCE,), 21: (_NUMBER,), 23: ReferenceKind.TOWN,
        29: _DATE,
    },
    "NK1": {2: _NAME, 4: _ADDRESS, 5: _PHONE, 6: _PHONE, 13: _BODY, 16: _DATE, 30: _NAME, 31: _PHONE, 32: _ADDRESS,
            33: (_NUMBER,), 37: ReferenceKind.NATIONAL_NUMBER},
    "PV1": {7: _PERSON, 8: _PERSON, 9: _PERSON, 17: _PERSON, 19: (_NUMBER,), 44: _DATE, 45: _DATE, 52: _PERSON},
    "PV2": {8: _DATE, 9: _DATE},
    "GT1": {2: (_NUMBER,), 3: _NAME, 4: _NAME, 5: _ADDRESS, 6: _PHONE, 7: _PHONE, 8: _DATE,
            12: ReferenceKind.NATIONAL_NUMBER, 16: _BODY},
    "IN1": {4: _BODY, 5: _ADDRESS, 6: _NAME, 7: _PHONE, 8: (_NUMBER,), 11: _BODY, 16: _NAME, 18: _DATE, 19: _ADDRESS,
            36: _ACCOUNT, 49: (_NUMBER,)},
    "ORC": {2: (_NUMBER,), 3: (_NUMBER,), 9: _DATE, 10: _PERSON, 11: _PERSON, 12: _PERSON, 14: _PHONE, 15: _DATE,
            19: _PERSON, 21: _BODY, 22: _ADDRESS, 23: _PHONE, 24: _ADDRESS},
    "OBR": {2: (_NUMBER,), 3: (_NUMBER,), 6: _DATE, 7: _DATE, 8: _DATE, 10: _PERSON, 14: _DATE, 16: _PERSON,
            17: _PHONE, 22: _DATE, 28: _PERSON, 32: _PERSON, 33: _PERSON, 34: _PERSON, 35: _PERSON},
    "OBX": {14: _DATE, 16: _PERSON, 23: _BODY, 24: _ADDRESS, 25: _PERSON},
    "TXA": {4: _DATE, 5: _PERSON, 6: _DATE, 7: _DATE, 9: _PERSON, 10: _PERSON, 11: _PERSON, 12: (_NUMBER,)},
    "DG1": {5: _DATE, 16: _PERSON},
    "PR1": {5: _DATE, 8: _PERSON, 11: _PERSON, 12: _PERSON},
    "AL1": {6: _DATE},
    "SCH": {1: (_NUMBER,), 2: (_NUMBER,), 12: _PERSON, 16: _PERSON, 20: _PERSON},
    "STF": {3: _NAME, 6: _DATE, 10: _PHONE, 11: _ADDRESS, 15: ReferenceKind.EMAIL},
}  # fmt: skip
_KEPT = {
    "MSH": {0, 1, 2, 3, 5, 9, 11, 12, 17, 18, 19},
    "OBX": {1, 2, 3, 6, 8, 11},
    "PID": {1, 8, 10, 15, 16, 17, 22},
    "PV1": {1, 2, 4, 10, 14, 18, 36},
    "EVN": {1},
    "OBR": {1, 4, 25},
    "ORC": {1, 5},
    "DG1": {1, 2, 3, 6},
    "AL1": {1, 2, 3, 4},
    "NK1": {1, 3, 7},
    "NTE": {1, 2},
}
"""Fields of codes: their content belongs to nobody."""
_SEGMENT = re.compile(r"[A-Z][A-Z0-9]{2}(?=[^A-Za-z0-9\s]|\Z)")
_STAMP = re.compile(r"(?:19|20)\d{2}(?:\d{2}){1,5}(?:\.\d{1,4})?(?:[+-]\d{4})?")
_ESCAPES = {
    "F": "|",
    "S": "^",
    "T": "&",
    "R": "~",
    "E": "\\",
    ".br": "\n",
    ".BR": "\n",
    "X0A": "\n",
    "X0D": "\n",
}


class Hl7:
    """A file of HL7 version 2 messages.

    Example:
        >>> message = b"MSH|^~\\\\&|A|B|C|D|20240105||ADT^A01|1|P|2.5\\rPID|1||77^^^H||Lee^Ann||19700101|F\\r"
        >>> [(part.place, str(part.kind)) for part in Hl7().open(message, FileReading()).parts][-3:]
        [('PID-5', 'name'), ('PID-5', 'name'), ('PID-7', 'date')]
    """

    name = "HL7 v2"
    suffixes = (".hl7", ".hl7v2")

    def open(self, content: bytes, reading: FileReading) -> Patchwork:
        text = decoded(content, asked=reading.encoding)
        body = text.text.lstrip("\x0b\ufeff \r\n")
        if not body.startswith(("MSH", "FHS", "BHS")) or len(body) < 8:
            raise SourceError(
                "This file is no HL7 version 2 message.", found="It does not begin with MSH."
            )
        return _Message(body[3:8]).sewn(text)


class _Message:
    """Reads segment by segment, with the delimiters that the message declares."""

    def __init__(self, delimiters: str) -> None:
        self._field, self._component, self._repeat, self._escape, self._sub = list(delimiters)
        self._quilt = Quilt()

    def sewn(self, text: DecodedText) -> Patchwork:
        source = text.text
        for line in re.split(r"([\r\n\x0b\x1c]+)", source):
            if line.strip("\r\n\x0b\x1c \ufeff"):
                self._segment(line)
            else:
                self._quilt.keep(line)
        return self._quilt.sewn(text)

    def _segment(self, line: str) -> None:
        name = line.lstrip("\ufeff")[:3]
        if not _SEGMENT.match(name + self._field):
            self._text(line, "text between segments", None)
            return
        fields = line.split(self._field)
        is_head = name in ("MSH", "FHS", "BHS")
        for place, field in enumerate(fields):
            number = place + 1 if is_head and place else place
            if place:
                self._quilt.keep(self._field)
            if place == 0 or (is_head and place == 1) or number in _KEPT.get(name, ()):
                self._quilt.keep(field)
            else:
                self._of_field(field, f"{name}-{number}", _FIELDS.get(name, {}).get(number))

    def _of_field(
        self, field: str, place: str, kind: ReferenceKind | tuple[ReferenceKind | None, ...] | None
    ) -> None:
        for number, repeat in enumerate(field.split(self._repeat)):
            self._quilt.keep(self._repeat if number else "")
            for which, component in enumerate(repeat.split(self._component)):
                self._quilt.keep(self._component if which else "")
                own = (
                    kind
                    if not isinstance(kind, tuple)
                    else kind[which]
                    if which < len(kind)
                    else None
                )
                if isinstance(kind, ReferenceKind) and which > 4 and kind is _NAME:
                    own = None  # Behind the degree of a name come codes.
                for further, piece in enumerate(component.split(self._sub)):
                    self._quilt.keep(self._sub if further else "")
                    self._text(piece, place, own)

    def _text(self, source: str, place: str, kind: ReferenceKind | None) -> None:
        text = self._read(source)
        if _STAMP.fullmatch(text.strip()) and kind in (None, _DATE):
            kind = _DATE
        if kind is _DATE:
            text, rest = day_and_time(text)
            self._quilt.whole(place, text, text=text, encode=self._written, kind=kind)
            self._quilt.keep(rest)
        else:
            self._quilt.whole(place, source, text=text, encode=self._written, kind=kind)

    def _read(self, source: str) -> str:
        mark = re.escape(self._escape)
        return re.sub(
            rf"{mark}(\.?[A-Za-z][0-9A-Za-z]*){mark}",
            lambda found: _ESCAPES.get(found[1], found[0]),
            source,
        )

    def _written(self, text: str) -> str:
        out = text.replace(self._escape, f"{self._escape}E{self._escape}")
        for mark, letter in (
            (self._field, "F"),
            (self._component, "S"),
            (self._sub, "T"),
            (self._repeat, "R"),
        ):
            out = out.replace(mark, f"{self._escape}{letter}{self._escape}")
        return f"{self._escape}.br{self._escape}".join(re.split(r"[\r\n]+", out))
