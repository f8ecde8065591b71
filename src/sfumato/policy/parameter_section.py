"""Reading and writing the parameters of declared parts: a table of a policy file to a part's frozen
record and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeVar, runtime_checkable

from sfumato.hierarchies import HierarchySpec, is_list, is_number, is_whole
from sfumato.parts import Parameter, ParameterKind, parameters_of

from .field_section import read_hierarchy
from .table_cursor import LARGEST, Reader

Record = TypeVar("Record")


@runtime_checkable
class CheckedRecord(Protocol):
    """A record that knows which of its parameters do not fit each other."""

    def conflicts(self, given: frozenset[str]) -> Any:
        """(parameter, found, attempt) for each conflict; `given` are the parameters that the file
        names."""
        ...


def read_record(reader: Reader, record: type[Record], *, folder: Path) -> Record:
    """The record that a table describes. Each problem is noted, and a value that has one is its
    default or least."""
    out = read_part(reader, record, folder=folder)
    reader.close()
    return out


def read_part(reader: Reader, record: type[Record], *, folder: Path) -> Record:
    """The record that some keys of a table describe, where others of its keys belong to another
    record."""
    before = len(reader.problems)
    out = record(**read_values(reader, record, folder=folder))
    if isinstance(out, CheckedRecord):
        unread = {problem.where for problem in reader.problems[before:]}
        for name, found, attempt in out.conflicts(frozenset(reader.raw)):
            if reader.at(name) not in unread:
                reader.report(name, found, attempt=attempt)
    return out


def read_values(
    reader: Reader,
    record: type,
    *,
    folder: Path,
    own: Mapping[str, Callable[[Reader], Any]] = MappingProxyType({}),
) -> dict[str, Any]:
    """The parameters of a record, by their names, for a record that has other fields besides. `own`
    reads those that no kind describes."""
    return {
        each.name: own[each.name](reader)
        if each.name in own
        else _value(reader, each, folder=folder)
        for each in parameters_of(record)
    }


def read_value(reader: Reader, each: Parameter, *, folder: Path) -> Any:
    """The value of a parameter under its own key; None where it is not given, or could not be
    read."""
    return None if each.name not in reader.raw else _READ[each.kind](reader, each, folder)


def record_as_table(record: Any) -> dict[str, object]:
    """The fields of a record that differ from their defaults, or have none, in the form of the
    file."""
    return {
        field.name: plain(value)
        for field in fields(record)
        if (value := getattr(record, field.name)) != field.default or field.default is MISSING
    }


def plain(value: object) -> object:
    """Mappings as dicts and sequences as lists, all the way down: what JSON and TOML both write."""
    if isinstance(value, HierarchySpec):
        return plain(value.describe())
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value


def out_of_range(record: object) -> Iterator[tuple[str, str]]:
    """(parameter, found) for each number or word that its declaration does not allow, as a record
    made in Python may hold; reading a file notes them itself."""
    for each in parameters_of(type(record)):
        value = getattr(record, each.name)
        if each.words and value is not None and value not in each.words:
            yield each.name, f"It must be one of {', '.join(each.words)}."
        numeric = each.kind in (ParameterKind.WHOLE, ParameterKind.NUMBER) and value is not None
        if numeric and not each.allows(value):
            yield each.name, f"It is {value:g}, and must be {each.span}."


def _value(reader: Reader, each: Parameter, *, folder: Path) -> Any:
    if each.needed and each.name not in reader.raw:
        reader.get(each.name)
        example = (
            f"{each.name} = {each.example}." if each.example else f"what it means: {each.doc}."
        )
        reader.report(each.name, "It is missing.", attempt=example)
        return _in_place(each)
    read = _READ[each.kind](reader, each, folder)
    return _in_place(each) if read is None else read


def _in_place(each: Parameter) -> Any:
    """The replacement of a value that could not be read, so that the rest can be checked too."""
    if not each.needed:
        return each.default
    if each.kind in (ParameterKind.WHOLE, ParameterKind.NUMBER):
        return max(each.least or 0, 1) if each.most is None else each.most
    empty: dict[ParameterKind, Any] = {
        ParameterKind.TEXTS: (),
        ParameterKind.FIELDS: (),
        ParameterKind.WHOLES: (),
        ParameterKind.SHARES: {},
        ParameterKind.SIZES: {},
        ParameterKind.FLAG: False,
        ParameterKind.HIERARCHY: None,
    }
    return empty.get(each.kind, each.words[0] if each.words else "")


def _number(reader: Reader, each: Parameter, folder: Path) -> float | None:
    given = reader.raw.get(each.name)
    if each.exclusive and is_number(given) and abs(given) <= LARGEST and not each.allows(given):
        reader.get(each.name)
        reader.report(each.name, f"It is {given:g}, and must be {each.span}.")
        return None
    least = 0.0 if each.least is None else max(each.least, -LARGEST)
    return reader.number(each.name, least=least, most=each.most)


def _whole(reader: Reader, each: Parameter, folder: Path) -> int | None:
    least = 0 if each.least is None else int(each.least)
    return reader.whole(each.name, least=least, most=None if each.most is None else int(each.most))


def _word(reader: Reader, each: Parameter, folder: Path) -> Any:
    default = each.words[0] if each.default is None else str(each.default)
    said = reader.word(each.name, each.words, default)
    return said if each.enumeration is None else each.enumeration(said)


def _flag(reader: Reader, each: Parameter, folder: Path) -> bool:
    return reader.flag(each.name, default=bool(each.default))


def _text(reader: Reader, each: Parameter, folder: Path) -> str:
    return reader.text(each.name, str(each.default or ""))


def _texts(reader: Reader, each: Parameter, folder: Path) -> tuple[str, ...] | None:
    return None if reader.get(each.name) is None else reader.names(each.name)


def _wholes(reader: Reader, each: Parameter, folder: Path) -> tuple[int, ...] | None:
    given = reader.get(each.name)
    if given is None:
        return None
    least = 0 if each.least is None else each.least
    read = (
        tuple(item for item in given if is_whole(item) and item >= least) if is_list(given) else ()
    )
    if not is_list(given) or len(set(read)) != len(given) or not read:
        attempt = f"{each.name} = {each.example}." if each.example else ""
        reader.report(
            each.name,
            f"It must be a list of distinct whole numbers, each {least:g} or more.",
            attempt=attempt,
        )
        return None
    return read


def _shares(reader: Reader, each: Parameter, folder: Path) -> Mapping[str, float] | None:
    inner = reader.table(each.name)
    if inner is None:
        return None
    read: dict[str, float] = {}
    for name in tuple(inner.raw):
        value = inner.number(name, least=0.0 if each.least is None else each.least, most=each.most)
        if value is not None and each.exclusive and value == each.least:
            inner.report(name, f"It is {value:g}, and must be {each.span}.")
        elif value is not None:
            read[name] = value
    return read


def _sizes(reader: Reader, each: Parameter, folder: Path) -> Mapping[str, int] | None:
    inner = reader.table(each.name)
    if inner is None:
        return None
    read = {name: inner.whole(name, least=int(each.least or 0)) for name in tuple(inner.raw)}
    return {name: value for name, value in read.items() if value is not None}


def _number_or_rule(reader: Reader, each: Parameter, folder: Path) -> float | str | None:
    given = reader.raw.get(each.name)
    is_text = given is None or isinstance(given, str)
    return (
        reader.text(each.name, str(each.default or ""))
        if is_text
        else _number(reader, each, folder)
    )


def _hierarchy(reader: Reader, each: Parameter, folder: Path) -> Any:
    return read_hierarchy(reader, folder=folder)


_READ: Mapping[ParameterKind, Callable[[Reader, Parameter, Path], Any]] = {
    ParameterKind.WHOLE: _whole,
    ParameterKind.NUMBER: _number,
    ParameterKind.FLAG: _flag,
    ParameterKind.WORD: _word,
    ParameterKind.TEXT: _text,
    ParameterKind.FIELD: _text,
    ParameterKind.FILE: _text,
    ParameterKind.TEXTS: _texts,
    ParameterKind.FIELDS: _texts,
    ParameterKind.WHOLES: _wholes,
    ParameterKind.SHARES: _shares,
    ParameterKind.SIZES: _sizes,
    ParameterKind.NUMBER_OR_RULE: _number_or_rule,
    ParameterKind.HIERARCHY: _hierarchy,
}
