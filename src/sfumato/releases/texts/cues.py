"""The fields that are looked for in texts, and their kinds: identifiers, and values that the
release generalises."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from sfumato.engines import Engine
from sfumato.policy import Field, Role, ScrubPolicy, scrubbed_fields
from sfumato.surveys import LooksLike, gather
from sfumato.surveys.detectors import likenesses
from sfumato.text import OwnDetector, own_detectors
from sfumato.text.detectors import Detectors, usual_set

from .messages import Look
from .person_texts import KnownField

OTHER = "other"
_KINDS = {
    LooksLike.NAME: "name",
    LooksLike.ADDRESS: "street",
    LooksLike.PHONE: "phone",
    LooksLike.FAX: "phone",
    LooksLike.EMAIL: "e-mail",
    LooksLike.URL: "url",
    LooksLike.IP_ADDRESS: "ip",
    LooksLike.SSN: "national number",
    LooksLike.NATIONAL_NUMBER: "national number",
    LooksLike.MEDICAL_RECORD: "record number",
    LooksLike.HEALTH_PLAN: "account",
    LooksLike.ACCOUNT: "account",
    LooksLike.LICENCE: "licence",
    LooksLike.VEHICLE: "plate",
    LooksLike.DEVICE: "device",
    LooksLike.PERSON_KEY: "record number",
    LooksLike.KEY: "record number",
    LooksLike.BIRTH_DATE: "date",
    LooksLike.DATE: "date",
    LooksLike.YEAR: "date",
    LooksLike.AGE: "age",
    LooksLike.ZIP: "postcode",
    LooksLike.PLACE: "town",
    LooksLike.COORDINATE: "coordinates",
    LooksLike.STATE: "region",
    LooksLike.COUNTRY: "country",
    LooksLike.SEX: "demographic",
    LooksLike.ETHNICITY: "demographic",
    LooksLike.MARITAL_STATUS: "demographic",
    LooksLike.FAMILY: "demographic",
    LooksLike.LANGUAGE: "demographic",
    LooksLike.BELIEF: "demographic",
    LooksLike.OCCUPATION: "profession",
}
"""The survey's kind of a field, as the kind of a reference."""
_REPLACED = {
    "name": "name",
    "first-name": "name",
    "last-name": "name",
    "city": "town",
    "street": "street",
    "company": "organisation",
    "email": "e-mail",
    "phone": "phone",
}
"""The policy's replacement of a field, as the kind of a reference: then nobody need guess it from
the values."""
_PLACES = frozenset({"street", "town", "region", "postcode", "country", "coordinates"})
_WIDENED = {
    **dict.fromkeys(_PLACES, frozenset({"street", "town", "postcode", "coordinates"})),
    "profession": frozenset({"profession"}),
    "demographic": frozenset({"demographic"}),
}
"""Where the release generalises a field of a kind, references of these kinds are masked whatever
the purpose."""


def kind_of_field(engine: Engine, decided: Field, *, table: str = "") -> str:
    """The kind of a field's values: by the policy's kind of surrogates, else by a survey."""
    if decided.replace is not None and decided.replace.kind in _REPLACED:
        return _REPLACED[decided.replace.kind]
    name = decided.name
    likeness, *_ = likenesses(gather(engine, name, table=table))
    return _KINDS.get(likeness.looks_like, OTHER)


class TextCues:
    """The values to look for, by person. A look is a way of scrubbing that some of the text fields
    share.

    `fields` are the policy's, by table; a single table is called "". `coarser` are those that the
    release generalises or removes though they name nobody, as (table, field). `folder` is where the
    names of word lists start."""

    def __init__(
        self,
        fields: Mapping[str, Mapping[str, Field]],
        coarser: Collection[tuple[str, str]],
        *,
        folder: Path = Path(),
    ) -> None:
        self._fields, self._coarser = fields, frozenset(coarser)
        self._scrubs: list[ScrubPolicy] = []
        self._wanted: list[tuple[str, ScrubPolicy]] = []
        for table, named in fields.items():
            for name in scrubbed_fields(named):
                self._wanted.append((table, named[name].scrub or ScrubPolicy()))
        for _, scrub in self._wanted:
            if scrub not in self._scrubs:
                self._scrubs.append(scrub)
        self._kinds: set[str] = set()
        self._own = [_own(scrub, folder) for scrub in self._scrubs]

    def look_of(self, field: Field) -> int:
        return self._scrubs.index(field.scrub or ScrubPolicy())

    def known(self, engine: Engine, table: str) -> tuple[KnownField, ...]:
        """The fields of a table that are looked for; `engine` has them as they were collected."""
        have = {info.name for info in engine.fields()}
        out = []
        for name in self._fields[table]:
            is_coarser = (table, name) in self._coarser
            looks, told = self._looks(table, name)
            if name not in have or not (looks or is_coarser):
                continue
            kind = told or kind_of_field(engine, self._fields[table][name], table=table)
            of = f"{table}.{name}" if table else name
            if is_coarser:
                self._kinds.add(kind)
                looks = frozenset(range(len(self._scrubs)))
            out.append(KnownField(field=name, of=of, kind=kind, looks=looks, is_coarser=is_coarser))
        return tuple(out)

    def looks(self) -> tuple[Look, ...]:
        """The looks, once every table was asked for its known fields."""
        widened = frozenset(kind for known in self._kinds for kind in _WIDENED.get(known, ()))
        ages = not self._kinds.isdisjoint({"age", "date"})
        pairs = zip(self._scrubs, self._own, strict=True)
        return tuple(
            Look(
                scrub=scrub,
                detectors=Detectors(scrub.detectors.value) if scrub.detectors else usual_set(),
                widened=widened,
                ages=ages,
                own=own,
            )
            for scrub, own in pairs
        )

    def _looks(self, table: str, name: str) -> tuple[frozenset[int], str]:
        """The looks that take a field as a cue, and its kind for them."""
        looks, told = set[int](), ""
        for of, scrub in self._wanted:
            called = next(self._called(of, table, name, scrub.cues), None)
            if scrub.cues is None and self._fields[table][name].role is Role.DIRECT:
                looks.add(self._scrubs.index(scrub))
            elif scrub.cues is not None and called is not None:
                looks.add(self._scrubs.index(scrub))
                told = told or scrub.cues[called]
        return frozenset(looks), told

    @staticmethod
    def _called(of: str, table: str, name: str, cues: Mapping[str, str] | None) -> Iterator[str]:
        names: Sequence[str] = (f"{table}.{name}", *([name] if of == table else []))
        yield from (called for called in names if called in (cues or {}))


def _own(scrub: ScrubPolicy, folder: Path) -> tuple[OwnDetector, ...]:
    return own_detectors(
        patterns={name: (each.kind, each.pattern) for name, each in scrub.patterns.items()},
        words={name: (each.kind, folder / each.file) for name, each in scrub.words.items()},
    )
