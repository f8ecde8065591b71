"""Reading `[fields.NAME]`: the role of a field and the decisions about it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from sfumato.errors import HierarchyError
from sfumato.hierarchies import (
    CsvHierarchy,
    HierarchySpec,
    LevelBound,
    Suppression,
    hierarchy_from_table,
    is_list,
    is_number,
    is_whole,
)
from sfumato.parts import with_question

from .holidays import read_holidays
from .records import DateShift, Domain, Field, Intervals, Method, NumberSteps, Replacement
from .roles import Role
from .source_section import read_words
from .table_cursor import Reader, kind_of
from .text_section import read_scrubbing

_ROLES = tuple(Role)
LARGEST = 10**15
MOST_LEVELS = 100
MOST_VALUES = 10_000
"""Values that a field may be declared to have."""


def read_fields(
    top: Reader, *, folder: Path, entity: str | None
) -> tuple[dict[str, Field], frozenset[str]]:
    """The fields in the order of the file, and the names of those whose role could not be read."""
    section = top.table("fields")
    fields: dict[str, Field] = {}
    unclear: set[str] = set()
    if section is None:
        return {}, frozenset()
    for name, given in section.raw.items():
        if isinstance(given, str):  # `sex = "quasi"` is short for a table with only a role
            given = {"role": given}
        if not isinstance(given, Mapping):
            section.report(
                name,
                f"It must be a role or a table, and is {kind_of(given)}.",
                attempt='role = "quasi".',
            )
            unclear.add(name)
            continue
        reader = Reader(given, where=section.at(name), problems=top.problems)
        role = _role(reader)
        if role is None:
            unclear.add(name)
        fields[name] = _field(reader, name, role or Role.INSENSITIVE, folder=folder, entity=entity)
        reader.close()
    return fields, frozenset(unclear)


def _role(reader: Reader) -> Role | None:
    value = reader.get("role")
    if isinstance(value, str) and value in _ROLES:
        return Role(value)
    if value is None:
        found = "Every field needs a role."
    elif isinstance(value, str):
        found = with_question(f'There is no role "{value}".', value, _ROLES)
    else:
        found = f"It must be a text, and is {kind_of(value)}."
    reader.report("role", found, attempt=f"one of {', '.join(_ROLES)}.")
    return None


def _field(reader: Reader, name: str, role: Role, *, folder: Path, entity: str | None) -> Field:
    hierarchy = read_hierarchy(reader, folder=folder)
    replace = _replacement(reader)
    rank = reader.whole("rank", least=0, most=3)
    if hierarchy is None and (role is Role.QUASI or "hierarchy" in reader.raw):
        hierarchy = (
            Suppression()
        )  # also for one that could not be read, so that none is said to be missing
    if role is Role.DIRECT and replace is None:
        replace = Replacement()
    return Field(
        name=name,
        role=role,
        hierarchy=hierarchy,
        finest=_level(reader, "finest"),
        coarsest=_level(reader, "coarsest"),
        replace=replace,
        shift=_shift(reader, folder=folder, entity=entity),
        rank=1 if rank is None else rank,
        follows=reader.text("follows"),
        scrub=read_scrubbing(reader),
        null_words=read_words(reader, "null_words"),
        domain=_domain(reader),
        constant_per_person=reader.flag("constant_per_person"),
        public=reader.flag("public"),
        made_of=reader.names("made_of"),
        open=reader.flag("open"),
        may_tell=reader.names("may_tell"),
        value_steps=_value_steps(reader),
    )


def _value_steps(reader: Reader) -> NumberSteps:
    """The width of the steps by which a number is judged, or the least number of each step."""
    given = reader.get("value_steps")
    if given is None:
        return ()
    several = given if isinstance(given, list) else [given]
    numbers = [float(each) for each in several if is_number(each)]
    attempt = "value_steps = 1000, or value_steps = [0, 1000, 5000]."
    if len(numbers) < len(several) or not numbers:
        reader.report("value_steps", "It must be a number, or a list of numbers.", attempt=attempt)
    elif len(numbers) == 1 and (isinstance(given, list) or numbers[0] <= 0):
        found = "A width must be above 0, and a list has two numbers or more."
        reader.report("value_steps", found, attempt=attempt)
    elif any(one >= other for one, other in pairwise(numbers)):
        reader.report("value_steps", "The numbers of a list must rise.", attempt=attempt)
    else:
        return tuple(numbers)
    return ()


def _level(reader: Reader, key: str) -> LevelBound:
    """A level of the field's hierarchy, by number or by name; only the data shows whether it has
    it."""
    value = reader.get(key)
    if value is None or (isinstance(value, str) and value):
        return value
    if is_whole(value):
        return reader.whole(key, least=0, most=MOST_LEVELS)
    reader.report(
        key,
        f"It must be the number or the name of a level, and is {kind_of(value)}.",
        attempt=f"{key} = 1.",
    )
    return None


def _domain(reader: Reader) -> Domain | None:
    """The values that a field may have: a list, or the least and the most of whole numbers."""
    given = reader.get("domain")
    if given is None:
        return None
    if isinstance(given, Mapping):
        inner = Reader(given, where=reader.at("domain"), problems=reader.problems)
        least, most = (inner.whole(key, least=-LARGEST, most=LARGEST) for key in ("least", "most"))
        inner.close()
        if least is not None and most is not None and 0 <= most - least < MOST_VALUES:
            return Domain(least=least, most=most)
    elif is_list(given) and 0 < len(given) <= MOST_VALUES:
        plain = tuple(each for each in given if isinstance(each, str) or is_number(each))
        if len(set(map(str, plain))) == len(given):
            return Domain(values=plain)
    reader.report(
        "domain",
        f"It must be up to {MOST_VALUES:,} different values, or the least and the most of "
        "as many whole numbers.",
        attempt='domain = ["F", "M"] or domain = { least = 0, most = 110 }. Longer ranges of synthetic '
        "rows are under [synthesis.domains].",
    )
    return None


def read_hierarchy(reader: Reader, *, folder: Path) -> HierarchySpec | None:
    """The hierarchy under the key `hierarchy` of a field or a requirement."""
    given = reader.get("hierarchy")
    if given is None:
        return None
    try:
        if isinstance(given, str):
            return CsvHierarchy.read(folder / given, written_as=given)
        if isinstance(given, Mapping):
            return hierarchy_from_table(given)
    except HierarchyError as error:
        reader.report("hierarchy", f"{error.asked} {error.found}".strip(), attempt=error.attempt)
        return None
    reader.report(
        "hierarchy",
        f"It must be the name of a CSV file or a table with a builder, and is {kind_of(given)}.",
        attempt='hierarchy = "zip.csv" or hierarchy = { prefix = [4, 3] }.',
    )
    return None


_WEEK = 7
_NO_WORD = "A keyword is a word in place of every value, and none is given."
_WITH_WORD = 'replace = { method = "keyword", word = "PATIENT" }.'


def _replacement(reader: Reader) -> Replacement | None:
    given = reader.get("replace")
    if given is None:
        return None
    if isinstance(given, str):
        method = reader.choice("replace", Method, Method.REMOVE)
        if method is Method.KEYWORD:
            reader.report("replace", _NO_WORD, attempt=_WITH_WORD)
        return Replacement(method=method)
    inner = reader.table("replace")
    if inner is None:
        return None
    method = inner.choice("method", Method, Method.REMOVE)
    out = Replacement(method=method, kind=inner.text("kind"), word=inner.text("word"))
    if out.kind and out.method is not Method.SURROGATE:
        inner.report("kind", "Only a surrogate has a kind.", attempt='method = "surrogate".')
    if out.word and method is not Method.KEYWORD:
        inner.report("word", "Only a keyword has a word.", attempt='method = "keyword".')
    if not out.word and method is Method.KEYWORD:
        inner.report("word", _NO_WORD, attempt=_WITH_WORD)
    inner.close()
    return out


def _shift(reader: Reader, *, folder: Path, entity: str | None) -> DateShift | None:
    inner = reader.table("shift")
    if inner is None:
        return None
    days = inner.whole("days", least=1)
    per = inner.text("per", entity or "")
    intervals = inner.choice("intervals", Intervals, Intervals.KEEP)
    if "days" not in inner.raw:
        inner.report(
            "days", "A shift needs the most days that a date may move.", attempt="days = 180."
        )
    if "per" not in inner.raw and not entity:
        inner.report(
            "per",
            "All dates of one person move together, and no field identifies the person of a row.",
            attempt="naming the field with the person key, here or as entity.",
        )
    weekdays = inner.flag("weekdays")
    if weekdays and intervals is Intervals.PERTURB:
        inner.report(
            "weekdays",
            "A gap that is perturbed takes a date to another weekday.",
            attempt='intervals = "keep", or weekdays = false.',
        )
    if weekdays and days is not None and days < _WEEK:
        inner.report("days", "Weekdays are kept by whole weeks.", attempt="days = 182.")
    holidays = read_holidays(inner, folder=folder)
    if holidays and intervals is Intervals.PERTURB:
        inner.report(
            "holidays",
            "A gap that is perturbed takes a holiday to another day.",
            attempt='intervals = "keep", or no holidays.',
        )
    if holidays and days is not None and days < _WEEK:
        inner.report("days", "Few shifts keep holidays.", attempt="days = 366.")
    inner.close()
    if days is None:
        return None
    return DateShift(days=days, per=per, intervals=intervals, weekdays=weekdays, holidays=holidays)
