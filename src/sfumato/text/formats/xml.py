"""XML, such as clinical documents (CDA) and FHIR as XML: names, addresses and numbers by their
elements, all other text by detectors.

The content of an element is inferred from its name and from the names around it (HL7 CDA release 2;
the names of `known_fields`). Attributes that define the structure of the file stay; every other one
is read."""

from __future__ import annotations

import re

from ..kinds import ReferenceKind
from .encodings import decoded
from .known_fields import kind_of_cell
from .parts import FileReading
from .patchwork import Patchwork
from .xml_markup import KEEP, READ, Path, XmlReading, sewn_xml

_ELEMENTS = {
    "given": ReferenceKind.NAME,
    "family": ReferenceKind.NAME,
    "streetAddressLine": ReferenceKind.STREET,
    "line": ReferenceKind.STREET,
    "houseNumber": ReferenceKind.STREET,
    "streetName": ReferenceKind.STREET,
    "additionalLocator": ReferenceKind.STREET,
    "city": ReferenceKind.TOWN,
    "county": ReferenceKind.REGION,
    "district": ReferenceKind.REGION,
    "state": ReferenceKind.REGION,
    "postalCode": ReferenceKind.POSTCODE,
    "birthDate": ReferenceKind.DATE,
}
_PEOPLE = re.compile(r"(?i)patient|person|guardian|subject|author|contact|informant|custodian")
_BODIES = re.compile(r"(?i)organi[sz]ation|provider|custodian|facility|location|place")
_STRUCTURE = re.compile(
    r"(?:xmlns(?::\w+)?|xsi:\w+|xml:\w+|\w*[cC]ode|codeSystem(?:Name|Version)?|root|unit|nullFlavor|ID|IDREF|"
    r"idref|version|encoding|use|operator|inversionInd|styleCode|colspan|rowspan|border|width|align|"
    r"valign|mediaType|language|typeId|negationInd|contextConductionInd|contextControlCode|"
    r"independentInd|determinerCode|institutionSpecified|url|system|type|schemaLocation)"
)
_STAMP = re.compile(
    r"\d{4}(?:\d{2}){1,5}(?:\.\d+)?(?:[+-]\d{4})?|\d{4}-\d{2}-\d{2}(?:T[\d:.+Z-]{4,30})?"
)
_INLINE = frozenset("content sub sup b i em strong span linkHtml a u small footnoteRef".split())


def _text_kind(path: Path, text: str) -> ReferenceKind | None:
    if not path:
        return None
    own = path[-1]
    if own in _ELEMENTS:
        return _ELEMENTS[own]
    if own == "name":
        around = "/".join(path[:-1])
        if _BODIES.search(path[-2] if len(path) > 1 else ""):
            return ReferenceKind.ORGANISATION
        return ReferenceKind.NAME if _PEOPLE.search(around) else None
    return kind_of_cell(own, text)


def _attribute_use(path: Path, name: str, value: str) -> ReferenceKind | str:
    own = path[-1] if path else ""
    if own == "id" and name == "extension":
        return ReferenceKind.RECORD_NUMBER
    if own == "telecom" and name == "value":
        return _telecom(value)
    if name in ("value", "low", "high") and _STAMP.fullmatch(value.strip()):
        return ReferenceKind.DATE
    if name == "value":
        return _ELEMENTS.get(own) or kind_of_cell(own, value) or READ
    return KEEP if _STRUCTURE.fullmatch(name) else READ


def _telecom(value: str) -> ReferenceKind:
    scheme = value.partition(":")[0].lower()
    if scheme == "mailto" or "@" in value:
        return ReferenceKind.EMAIL
    return ReferenceKind.URL if scheme in ("http", "https", "ftp") else ReferenceKind.PHONE


_READING = XmlReading(text_kind=_text_kind, attribute_use=_attribute_use, inline=_INLINE)
_DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_.:-]{2,30})")


class Xml:
    """An XML file.

    Example:
        >>> source = b"<patient><given>Ann</given><note>Seen by Dr. <b>L</b>ang.</note></patient>"
        >>> [(part.place, part.text, str(part.kind)) for part in Xml().open(source, FileReading()).parts]
        [('element given', 'Ann', 'name'), ('text', 'Seen by Dr. Lang.\\n', 'None')]
    """

    name = "XML"
    suffixes = (".xml", ".cda", ".ccda")

    def open(self, content: bytes, reading: FileReading) -> Patchwork:
        found = _DECLARED.search(content[:400])
        declared = found.group(1).decode("ascii") if found else ""
        return sewn_xml(
            decoded(content, declared=declared, asked=reading.encoding), _READING, name="XML"
        )
