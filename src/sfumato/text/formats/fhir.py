"""FHIR resources as JSON: one resource, a Bundle, or one on each line.

Every string is a part. FHIR's knowledge of a string becomes the part's kind: a family name is a
name for sure. The parts of a resource belong to its patient. The ids of resources are parts of
their own, one for each id whatever the number of references to it, and all belong together (`IDS`).
References therefore lead to the same resources afterwards, also from one file into another."""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sfumato.errors import SourceError

from ..kinds import ReferenceKind
from ..replacement import ReplacedDocument
from .encodings import DecodedText, decoded
from .fhir_elements import dated, is_code, is_human_name, kind_of
from .html import HtmlFormat, opened_html
from .json_lines import rewritten, values
from .json_trees import Array, Leaf, Member, Node, Object, edited, json_string
from .part_assembly import checked, counted
from .parts import FilePart, FileReading
from .patchwork import Patchwork
from .plain import PlainText

IDS = "ids of resources"
"""The `person` of all ids, and of the bodies that several resources name."""
_BODIES = frozenset({ReferenceKind.ORGANISATION, ReferenceKind.HOSPITAL})
_REFERENCE = re.compile(
    r"(?P<before>(?:.*/)?[A-Z][A-Za-z]+/|urn:uuid:|#)(?P<id>[A-Za-z0-9.-]{1,64})(?P<after>/_history/.*)?"
)
_SHORT = 8
_NOT_AN_ID = re.compile(r"[^A-Za-z0-9.-]+")

Edit = Callable[[Sequence[ReplacedDocument]], str]


class Fhir:
    """FHIR as JSON; `FileReading.columns` and `person` are not needed, the resources have them.

    Example:
        >>> content = b'{"resourceType": "Patient", "id": "p7", "name": [{"family": "Lee"}], "birthDate": "1950-02-03"}'
        >>> opened = Fhir().open(content, FileReading())
        >>> [(part.place, part.text, str(part.kind)) for part in opened.parts]  # doctest: +NORMALIZE_WHITESPACE
        [('id 1 of a resource', '02000000p7', 'record number'), ('Patient 1, name.family', 'Lee', 'name'),
         ('Patient 1, birthDate', '1950-02-03', 'date')]
    """

    name = "FHIR"
    suffixes = (".json", ".ndjson", ".jsonl", ".fhir")

    def open(self, content: bytes, reading: FileReading) -> OpenedFhir:
        text = decoded(content, asked=reading.encoding)
        trees = [tree for _, tree in values(text.text)]
        if not trees or not all(
            isinstance(tree, Object) and tree.string("resourceType") for tree in trees
        ):
            raise SourceError(
                "This file does not hold FHIR resources as JSON.",
                found="A value in it is no object with a `resourceType`.",
                attempt="one resource, a Bundle, or a resource on each line.",
            )
        walk = _Walk(text.text, FhirPeople.of(trees))
        for tree in trees:
            walk.resource(tree, "")
        return OpenedFhir(
            source=text,
            edits=tuple(walk.edits),
            parts=tuple(walk.parts),
            left_out=tuple(walk.left_out()),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedFhir:
    """FHIR that was read, with what is to be written where."""

    source: DecodedText
    edits: Sequence[tuple[int, int, Edit]] = field(repr=False)
    parts: Sequence[FilePart]
    left_out: Sequence[str] = ()
    suffix: str = ""

    @property
    def notes(self) -> Sequence[str]:
        return self.source.notes

    def written(self, replaced: Sequence[ReplacedDocument]) -> bytes:
        checked(len(self.parts), replaced)
        edits = [(start, end, edit(replaced)) for start, end, edit in self.edits]
        return self.source.encoded(edited(self.source.text, edits))


class _Walk:
    """Goes through resources and gathers parts and what is to be written where."""

    def __init__(self, source: str, people: FhirPeople) -> None:
        self.parts: list[FilePart] = []
        self.edits: list[tuple[int, int, Edit]] = []
        self._source, self._people = source, people
        self._ids: dict[str, int] = {}
        self._gone: Counter[str] = Counter()
        self._numbers: Counter[str] = Counter()
        self._person = self._resource = ""
        self._cues: Mapping[str, tuple[str, ...]] = {}

    def left_out(self) -> Iterator[str]:
        for what, number in sorted(self._gone.items()):
            yield counted(number, *what.split("|"))

    def resource(self, node: Node, person: str) -> None:
        """A resource; one inside another has its own patient or the outer one's."""
        assert isinstance(node, Object)
        before = self._person, self._resource, self._cues
        kind = node.string("resourceType")
        kind = kind if re.fullmatch(r"[A-Z][A-Za-z]{2,40}", kind) else "resource"
        self._numbers[kind] += 1
        self._person = self._people.person(node) or person
        self._resource = kind
        names = self._people.names.get(self._person, ())
        self._cues = {str(ReferenceKind.NAME): names} if names else {}
        self._object(node, "", ())
        self._person, self._resource, self._cues = before

    def _object(self, holder: Object, held_by: str, path: tuple[str, ...]) -> None:
        for member in holder.members:
            if is_file(member, holder):
                self._file(member, holder)
            else:
                self._node(
                    member.value,
                    member.key,
                    holder=holder,
                    held_by=held_by,
                    path=(*path, member.key),
                )

    def _node(
        self, node: Node, key: str, *, holder: Object, held_by: str, path: tuple[str, ...]
    ) -> None:
        if isinstance(node, Array):
            for item in node.items:
                self._node(item, key, holder=holder, held_by=held_by, path=path)
        elif isinstance(node, Object) and node.string("resourceType"):
            self.resource(node, self._person)
        elif isinstance(node, Object):
            self._object(node, key, path)
        else:
            self._leaf(node, key, holder=holder, held_by=held_by, path=path)

    def _leaf(
        self, leaf: Leaf, key: str, *, holder: Object, held_by: str, path: tuple[str, ...]
    ) -> None:
        kind = kind_of(key, leaf, holder=holder, held_by=held_by, resource=self._resource)
        if leaf.kind == "word" or (leaf.kind == "number" and kind is None) or not leaf.text.strip():
            return
        place = self._place(path)
        if leaf.kind == "number":
            self._whole(leaf, place, kind)
        elif key == "div":
            self._narrative(leaf, place)
        elif key == "id" and not held_by:
            self._id(leaf, "", leaf.text, "")
        elif key in ("reference", "fullUrl") and (found := _REFERENCE.fullmatch(leaf.text)):
            self._id(leaf, found["before"], found["id"], found["after"] or "")
        elif parts := dated(key, leaf.text):
            self._date(leaf, *parts, place=place)
        elif not is_code(key, leaf.text):
            self._whole(leaf, place, kind)

    def _place(self, path: tuple[str, ...]) -> str:
        keys = [key if re.fullmatch(r"_?[A-Za-z][A-Za-z0-9]{0,40}", key) else "…" for key in path]
        return f"{self._resource} {self._numbers[self._resource]:,}, {'.'.join(keys)}"

    def _part(self, place: str, text: str, kind: ReferenceKind | None) -> int:
        self.parts.append(
            FilePart(place=place, text=text, person=self._person, cues=self._cues, kind=kind)
        )
        return len(self.parts) - 1

    def _whole(self, leaf: Leaf, place: str, kind: ReferenceKind | None) -> None:
        number = (
            self._of_all(place, leaf.text, kind)
            if kind in _BODIES
            else self._part(place, leaf.text, kind)
        )
        raw = self._source[leaf.start : leaf.end]

        def edit(replaced: Sequence[ReplacedDocument]) -> str:
            new = replaced[number].text
            return raw if new == leaf.text else rewritten(leaf, new, source=self._source)

        self.edits.append((leaf.start, leaf.end, edit))

    def _date(self, leaf: Leaf, day: str, time: str, *, place: str) -> None:
        """The day is the part; the time stays where a whole day is written, and is dropped where
        the day is coarser."""
        number = self._part(place, day, ReferenceKind.DATE)

        def edit(replaced: Sequence[ReplacedDocument]) -> str:
            new = replaced[number].text
            whole = len(new) == len("2020-02-03")
            return json_string(new + (time if whole else ""))

        self.edits.append((leaf.start, leaf.end, edit))

    def _of_all(self, place: str, text: str, kind: ReferenceKind | None) -> int:
        """A part that is no one person's: ids, and bodies, whose name must fit where others refer
        to them."""
        person, self._person = self._person, IDS
        cues, self._cues = self._cues, {}
        number = self._part(place, text, kind)
        self._person, self._cues = person, cues
        return number

    def _id(self, leaf: Leaf, before: str, given: str, after: str) -> None:
        if given not in self._ids:
            place = f"id {len(self._ids) + 1:,} of a resource"
            self._ids[given] = self._of_all(place, padded(given), ReferenceKind.RECORD_NUMBER)
        number = self._ids[given]
        at = before
        if "://" in before:  # The server's address tells whose it is; its end is enough to refer.
            at = "/".join(before.split("/")[-2:])
            self._gone["address of a server|addresses of servers"] += 1

        def edit(replaced: Sequence[ReplacedDocument]) -> str:
            new = replaced[number].text
            written = (
                given
                if new == padded(given)
                else _NOT_AN_ID.sub("-", new).strip("-")[:64] or "masked"
            )
            return json_string(f"{at}{written}{after}")

        self.edits.append((leaf.start, leaf.end, edit))

    def _narrative(self, leaf: Leaf, place: str) -> None:
        page = opened_html(DecodedText(text=leaf.text, encoding="utf-8"))
        if page.left_out:
            self._gone[
                "narrative's comments, styles and other hidden things|narratives' "
                "comments, styles and such"
            ] += 1
        places = self._nested(page.parts, place)

        def edit(replaced: Sequence[ReplacedDocument]) -> str:
            return json_string(
                page.text([replaced[number] for number in places]), like=self._source
            )

        self.edits.append((leaf.start, leaf.end, edit))

    def _file(self, member: Member, holder: Object) -> None:
        value = member.value
        if not isinstance(value, Leaf):
            return
        opened = opened_file(member, holder)
        if opened is None:
            new = masked(member, holder)
            self._gone["file that is not text|files that are not text"] += member.key not in (
                "hash",
                "size",
            )
            self.edits.append((member.start, value.end, lambda _: new))
            return
        places = self._nested(
            opened.parts, f"{self._resource} {self._numbers[self._resource]:,}, file"
        )

        def edit(replaced: Sequence[ReplacedDocument]) -> str:
            return json_string(
                encoded_file(opened.written([replaced[number] for number in places]))
            )

        self.edits.append((value.start, value.end, edit))

    def _nested(self, parts: Sequence[FilePart], place: str) -> list[int]:
        first = len(self.parts)
        for part in parts:
            self.parts.append(
                replace(part, place=f"{place}, {part.place}", person=self._person, cues=self._cues)
            )
        return list(range(first, len(self.parts)))


def padded(given: str) -> str:
    """An id with so many digits that there are others of its shape: a file may have each of the ids
    1 to 9."""
    return given if len(given) >= _SHORT else f"{len(given):02}{given.rjust(_SHORT, '0')}"


# Whose a FHIR resource is, and what the file's patients are called.

_SUBJECTS = ("subject", "patient", "beneficiary", "individual", "for")


@dataclass(frozen=True, slots=True)
class FhirPeople:
    """The file's knowledge of patients: who is meant by an address, and their names."""

    addresses: Mapping[str, str] = field(repr=False)
    names: Mapping[str, tuple[str, ...]] = field(repr=False)

    @classmethod
    def of(cls, trees: Sequence[Node]) -> FhirPeople:
        addresses: dict[str, str] = {}
        names: dict[str, tuple[str, ...]] = {}
        for full_url, resource in _resources(trees):
            whose = f"{resource.string('resourceType')}/{resource.string('id')}"
            if full_url:
                addresses[full_url] = whose
            if whose.startswith("Patient/"):
                names[whose] = tuple(dict.fromkeys(_names(resource)))
        return cls(addresses, names)

    def person(self, resource: Object) -> str:
        if resource.string("resourceType") == "Patient":
            return f"Patient/{resource.string('id')}" if resource.string("id") else ""
        for key in _SUBJECTS:
            holder = resource.get(key)
            reference = holder.string("reference") if isinstance(holder, Object) else ""
            if reference:
                whose = self.addresses.get(
                    reference, "/".join(reference.partition("/_history")[0].split("/")[-2:])
                )
                if whose.startswith("Patient/"):
                    return whose
        return ""


def _resources(nodes: Sequence[Node]) -> Iterator[tuple[str, Object]]:
    """The resources of a file with the addresses that a Bundle gives them."""
    for node in nodes:
        if isinstance(node, Object):
            yield "", node
            entries = node.get("entry")
            for entry in entries.items if isinstance(entries, Array) else ():
                if isinstance(entry, Object) and isinstance(inner := entry.get("resource"), Object):
                    yield entry.string("fullUrl"), inner


def _names(patient: Object) -> Iterator[str]:
    names = patient.get("name")
    for name in names.items if isinstance(names, Array) else ():
        if isinstance(name, Object) and is_human_name(name, "name"):
            given = name.get("given")
            words = (
                [item.text for item in given.items if isinstance(item, Leaf)]
                if isinstance(given, Array)
                else []
            )
            yield from filter(None, (*words, name.string("family"), name.string("text")))


# Files inside a FHIR resource: text in base64 is read and written, everything else is masked as
# FHIR masks.

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
    """The replacement of a member that is removed: an extension that marks it."""
    if holder.get(f"_{member.key}") is not None:
        return f'"{member.key}": {"0" if member.key == "size" else chr(34) * 2}'
    return f'"_{member.key}": {MASKED}'
