"""Fields whose content is the person: genomes and pictures are refused, traces and metadata warned
of (Garfinkel 2016, sections 4.2 and 4.3.5).

Nobody knows how to take the person out of a sequence of bases or out of a picture, and no
requirement looks inside a cell. Some rows are read. A field is of a kind when at least half of its
values are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sfumato.engines import Database, Engine, FieldKind, TableView
from sfumato.errors import Bug, PolicyError, Problem
from sfumato.policy import Policy, Role
from sfumato.wording import some_of

from .manifest import ONE_TABLE

ROWS = 200
MOST_NAMED = 3
MANY_VARIANTS = 20
"""As a rule, a combination of so many variants is unique to one person."""
_IN_CLEAR = (Role.SENSITIVE, Role.INSENSITIVE, Role.QUASI)
_SEQUENCE = re.compile(r"(?:[>@][^\n]*\n)?[ACGTUN\s-]{20,}(?:\n\+[^\n]*\n\S+\s*)?", re.I)
_VARIANTS = re.compile(r"\brs\d{3,}\b", re.I)
_VARIANT_NAME = re.compile(r"(?:snp_?)?rs\d{3,}(?:_\w+)?|snp_?\d+|chr[\dxy]+[_:]\d+\w*", re.I)
_GENOTYPE = re.compile(r"[ACGT][/|]?[ACGT]|[012]|[01][/|][01]|--|00", re.I)
_PICTURE_NAME = re.compile(r"\S.*\.(jpe?g|png|gif|tiff?|bmp|dcm|heic|webp|nii)", re.I)
_PICTURE = re.compile(
    r"data:image/|/9j/[0-9A-Za-z]|iVBORw0KGgo|R0lGOD|UklGR|\\x(?:FF\\xD8|89PNG)|SUkqA|Qk[0-9A-Za-z]{40}"
    r"|(?:0x|\\x)?(?:(?i:ffd8ff|89504e47|47494638|49492a00|4d4d002a))[0-9A-Fa-f]{8}"
)
_POINT = re.compile(r"-?\d{1,3}\.\d+\s*[,; ]\s*-?\d{1,3}\.\d+")
_PLACE_NAME = re.compile(
    r"(?:\w*_|gps|geo)?(?:lat(?:itude)?|lon(?:gitude)?|lng|coord(?:inate)?s?|location|position)(?:_\w*|\d*)",
    re.I,
)
_COORDINATE = re.compile(r"-?\d{1,3}\.\d{2,}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_METADATA = re.compile(
    r"exif|gps(?:latitude|longitude)|user-?agent|mozilla/\d|x-forwarded-for|device_?(?:id|model)"
    r"|patientname|patientid|studyinstanceuid|\"(?:make|model|software)\"",
    re.I,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Content:
    """A kind of values, and how to recognise it."""

    is_one: Callable[[str], bool]
    what: str
    why: str


REFUSED = (
    _Content(
        is_one=lambda text: (
            _SEQUENCE.fullmatch(text) is not None or len(_VARIANTS.findall(text)) >= 5
        ),
        what="genomic sequences or variants",
        why="no way is known to remove the person, or their relatives, from them",
    ),
    _Content(
        is_one=lambda text: (
            _PICTURE.match(text) is not None or _PICTURE_NAME.fullmatch(text) is not None
        ),
        what="pictures, or names of picture files",
        why="a picture shows the person, in what is seen and in its metadata",
    ),
)
WARNED = (
    _Content(
        is_one=lambda text: len(_POINT.findall(text)) >= 3 or len(_MOMENT.findall(text)) >= 3,
        what="traces, several places or moments in one cell",
        why="a few points of a trace identify most people",
    ),
    _Content(
        is_one=lambda text: _METADATA.search(text) is not None,
        what="metadata of devices, programs or files",
        why="they recur wherever the person goes",
    ),
)


def check_content(
    policy: Policy, *, table: Engine | None = None, database: Database | None = None
) -> tuple[str, ...]:
    """Refuse fields that are released in clear and hold genomes or pictures; warnings about traces
    and metadata. A policy of several tables has a database, any other a table."""
    problems: list[Problem] = []
    warnings: list[str] = []
    for name in tuple(policy.tables) or (ONE_TABLE,):
        own = policy.of_table(name) if policy.tables else policy
        engine = table if database is None else database.view(TableView(table=name))
        if engine is None:
            raise Bug("the content of a source was to be checked without the source.")
        where = f"tables.{name}.fields" if policy.tables else "fields"
        found = _Looked.at(engine, own)
        problems += found.problems(where)
        warnings += found.warnings()
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}, compared with the source,")
    return tuple(warnings)


@dataclass(frozen=True, slots=True)
class _Looked:
    """Some values of each field in clear."""

    values: dict[str, tuple[str, ...]]
    treated: frozenset[str]
    """Those that bins or steps make coarser."""

    @classmethod
    def at(cls, engine: Engine, policy: Policy) -> _Looked:
        kinds = {info.name: info.kind for info in engine.fields()}
        names = [
            name
            for name, field in policy.fields.items()
            if field.role in _IN_CLEAR
            and name in kinds
            and (
                kinds[name] in (FieldKind.TEXT, FieldKind.OTHER)
                or _VARIANT_NAME.fullmatch(name)
                or _PLACE_NAME.fullmatch(name)
            )
            and name != policy.entity
        ]
        if policy.channels is not None:
            names = [name for name in names if name not in policy.channels.confidential_names]
        treated = {name for step in policy.steps for name in step.fields}
        known = {name for name in names if policy.fields[name].role is Role.QUASI}
        return cls(_some_values(engine, names) if names else {}, frozenset(treated | known))

    def of(self, content: _Content) -> list[str]:
        return [
            name
            for name, values in self.values.items()
            if values and 2 * sum(map(content.is_one, values)) >= len(values)
        ]

    def problems(self, where: str) -> Iterator[Problem]:
        for content in REFUSED:
            for name in self.of(content):
                yield Problem(
                    where=f"{where}.{name}",
                    found=f"Its values are {content.what}: {content.why}.",
                    attempt='role = "direct" with replace = "remove", or a field of findings that '
                    "a person read from them.",
                )
        variants = self._variants()
        if len(variants) >= MANY_VARIANTS:
            yield Problem(
                where=where,
                found=f"{len(variants)} fields are genetic variants: {some_of(variants, MOST_NAMED)}"
                ". So many together are as a rule one person's alone.",
                attempt='role = "direct" for all but those that matter.',
            )

    def _variants(self) -> list[str]:
        return [
            name
            for name, values in self.values.items()
            if _VARIANT_NAME.fullmatch(name)
            and all(_GENOTYPE.fullmatch(value) is not None for value in values)
        ]

    def _places(self) -> list[str]:
        """Fields of coordinates that are released as they are, one number or a point in a cell."""
        return [
            name
            for name, values in self.values.items()
            if name not in self.treated and _are_places(name, values)
        ]

    def warnings(self) -> Iterator[str]:
        for content in WARNED:
            names: Sequence[str] = self.of(content)
            if names:
                yield (
                    f"Values of {some_of(list(names), MOST_NAMED)} look like {content.what}: "
                    f"{content.why}. No requirement looks inside a cell."
                )
        if places := self._places():
            yield (
                f"{some_of(places, MOST_NAMED)} {'is a place' if len(places) == 1 else 'are places'} by "
                "coordinates, released as read. Rows of one person are then a trace, and a few "
                "points of a trace identify most people. As quasi fields they are made coarser."
            )


def _are_places(name: str, values: Sequence[str]) -> bool:
    """Whether most values are points, or most are coordinates and the field is called so."""
    points = sum(_POINT.fullmatch(value) is not None for value in values)
    numbers = sum(_COORDINATE.fullmatch(value) is not None for value in values)
    is_called = _PLACE_NAME.fullmatch(name) is not None
    return bool(values) and 2 * max(points, numbers * is_called) >= len(values)


def _some_values(engine: Engine, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Values of rows that are spread over the table."""
    found: dict[str, list[str]] = {name: [] for name in names}
    for batch in engine.spread_rows(names, step=max(1, engine.count_rows() // ROWS)):
        for name, values in found.items():
            values += [text for text in batch[f"cell:{name}"].tolist() if text is not None]
    return {name: tuple(values) for name, values in found.items()}
