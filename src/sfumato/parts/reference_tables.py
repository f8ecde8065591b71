"""Tables of the docs: the parameters of a part in Markdown, from its declaration."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from .parameter import Parameter, parameters_of


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
    return "\n".join(("| parameter | holds | default | meaning |", "| --- | --- | --- | --- |", *rows))


def _row(each: Parameter) -> str:
    holds = f"one of {', '.join(f'`{word}`' for word in each.words)}" if each.words else each.kind.value
    holds += f", {each.span}" if each.span else ""
    return f"| `{each.name}` | {holds} | {_default(each)} | {each.doc} |"


def _default(each: Parameter) -> str:
    if each.needed:
        return "needed"
    value = each.default
    if value is None or value == () or value == "" or (isinstance(value, Mapping) and not value):
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value.value if isinstance(value, StrEnum) else value}`"
