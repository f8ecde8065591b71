"""Tables of the docs: the parameters of a part, and the parts of a kind, in Markdown from their
declarations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from .parameter import Parameter, parameters_of

if TYPE_CHECKING:
    from .part_entries import PartEntry


def table_of(record: type) -> str:
    """The parameters of a record as a Markdown table; empty where it has none.

    Example:
        >>> from dataclasses import dataclass
        >>> from sfumato.parts import parameter
        >>> @dataclass(frozen=True, kw_only=True)
        ... class Rounding:
        ...     base: float = parameter("multiples of this", above=0)
        >>> print(table_of(Rounding))
        | parameter | holds | default | meaning |
        | --- | --- | --- | --- |
        | `base` | number, above 0 | needed | multiples of this |
    """
    rows = [_row(each) for each in parameters_of(record)]
    if not rows:
        return ""
    return "\n".join(
        ("| parameter | holds | default | meaning |", "| --- | --- | --- | --- |", *rows)
    )


def catalogue_table(entries: Iterable[PartEntry]) -> str:
    """Parts with what they do and their parameters as a Markdown table; a column for each ability
    that they name.

    Example:
        >>> from sfumato.parts import PartEntry
        >>> print(catalogue_table([PartEntry(key="round", doc="numbers are rounded")]))
        | key | what it does | parameters |
        | --- | --- | --- |
        | `round` | numbers are rounded | none |
    """
    entries = tuple(entries)
    abilities = tuple(dict.fromkeys(name for entry in entries for name in entry.abilities))
    with_parameters = any(entry.parameters for entry in entries) or not abilities
    heads = ("key", "what it does", *abilities, *(("parameters",) if with_parameters else ()))
    lines = [_line(heads), _line("---" for _ in heads)]
    for entry in entries:
        told = "; ".join(_in_short(each) for each in entry.parameters) or "none"
        able = (entry.abilities.get(name, "") for name in abilities)
        lines.append(
            _line((f"`{entry.key}`", entry.doc, *able, *((told,) if with_parameters else ())))
        )
    return "\n".join(lines)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _in_short(each: Parameter) -> str:
    default = (
        "" if each.needed or default_of(each) == "none" else f", by default {default_of(each)}"
    )
    return f"`{each.name}`{' (needed)' if each.needed else ''}: {each.doc} ({holds(each)}{default})"


def _row(each: Parameter) -> str:
    return (
        f"| `{each.name}` | {holds(each)} | {'needed' if each.needed else default_of(each)} | "
        f"{each.doc} |"
    )


def holds(each: Parameter, *, quote: str = "`") -> str:
    """The type of a parameter, with its range.

    Example:
        >>> from sfumato.parts import ParameterKind
        >>> holds(Parameter(name="t", kind=ParameterKind.NUMBER, doc="", needed=True, least=0, most=1))
        'number, from 0 to 1'
    """
    out = (
        f"one of {', '.join(f'{quote}{word}{quote}' for word in each.words)}"
        if each.words
        else each.kind.value
    )
    return f"{out}, {each.span}" if each.span else out


def default_of(each: Parameter, *, quote: str = "`") -> str:
    """The default of a parameter that has one, as a policy writes it."""
    value = each.default
    if value is None or value == () or value == "" or (isinstance(value, Mapping) and not value):
        return "none"
    if isinstance(value, bool):
        return f"{quote}{str(value).lower()}{quote}"
    return f"{quote}{value.value if isinstance(value, StrEnum) else value}{quote}"
