"""Parameters of a part, declared once on its frozen record and read wherever they are needed.

A part (protection model, solver, technique, …) has a record whose fields are made by `parameter`.
Reading and writing of policies, the JSON Schema, the tables of the docs and the forms of pages all
use `parameters_of`."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Final

from sfumato.errors import Bug

_KEY: Final = "sfumato.parameter"


class ParameterKind(StrEnum):
    """The type of a parameter, in the words of a policy file."""

    WHOLE = "whole number"
    NUMBER = "number"
    FLAG = "true or false"
    WORD = "word"
    TEXT = "text"
    TEXTS = "list of texts"
    FIELDS = "list of fields"
    FIELD = "field"
    FILE = "file"
    WHOLES = "list of whole numbers"
    NUMBERS = "list of numbers"
    SHARES = "number for each field"
    SIZES = "whole number for each field"
    NUMBER_OR_RULE = "number or rule"
    TABLE = "table"
    TABLES = "list of tables"
    HIERARCHY = "hierarchy"


class Direction(StrEnum):
    """The change of a parameter that makes a requirement stricter; a change of a parameter without
    one is never taken to be stricter."""

    NONE = ""
    UP = "up"
    DOWN = "down"
    MORE = "more"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a part. `least` and `most` belong to the range; with `exclusive`, `least`
    does not."""

    name: str
    kind: ParameterKind
    doc: str
    needed: bool
    default: Any = None
    least: float | None = None
    most: float | None = None
    exclusive: bool = False
    words: tuple[str, ...] = ()
    enumeration: type[StrEnum] | None = None
    example: str = ""
    stricter: Direction = Direction.NONE

    @property
    def span(self) -> str:
        """The range in words; empty where every value of the kind is allowed.

        Example:
            >>> Parameter(name="t", kind=ParameterKind.NUMBER, doc="", needed=True, least=0, most=1).span
            'from 0 to 1'
        """
        unbounded = self.least is None or math.isinf(self.least)
        if unbounded and self.most is None:
            return ""
        if unbounded:
            return f"at most {self.most:g}"
        if self.most is None:
            return f"above {self.least:g}" if self.exclusive else f"{self.least:g} or more"
        return f"{'above' if self.exclusive else 'from'} {self.least:g} to {self.most:g}"

    def allows(self, number: float) -> bool:
        """Whether a number is within the range.

        Example:
            >>> share = Parameter(name="s", kind=ParameterKind.NUMBER, doc="", needed=True, least=0, exclusive=True)
            >>> share.allows(0), share.allows(0.5), share.allows(float("nan"))
            (False, True, False)
        """
        least, most = (
            (-math.inf if self.least is None else self.least),
            (math.inf if self.most is None else self.most),
        )
        return least <= number <= most and not (self.exclusive and number == least)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Declared:
    """The arguments of `parameter`; name, type and default are the record's own."""

    doc: str
    kind: ParameterKind | None
    least: float | None
    most: float | None
    exclusive: bool
    words: tuple[str, ...]
    example: str
    stricter: Direction


def parameter(
    doc: str,
    *,
    default: Any = MISSING,
    default_factory: Callable[[], Any] | Any = MISSING,
    kind: ParameterKind | None = None,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    words: tuple[str, ...] = (),
    example: str = "",
    stricter: Direction = Direction.NONE,
) -> Any:
    """A field of a part's record: one line of `doc`, a range (`above` excludes its bound), a
    default if it has one.

    `kind` is needed only where the type does not determine it: a text that is a field's name or a
    file, for example."""
    declared = _Declared(
        doc=doc,
        kind=kind,
        least=least if above is None else above,
        most=most,
        exclusive=above is not None,
        words=words,
        example=example,
        stricter=stricter,
    )
    if default_factory is not MISSING:
        return dataclasses.field(default_factory=default_factory, metadata={_KEY: declared})
    return dataclasses.field(default=default, metadata={_KEY: declared})


def parameters_of(record: type[Any]) -> tuple[Parameter, ...]:
    """The parameters of a part's record, in their order; fields that were not declared by
    `parameter` are none.

    Example:
        >>> @dataclass(frozen=True, kw_only=True)
        ... class Rounding:
        ...     base: float = parameter("multiples of this", above=0)
        >>> [(each.name, each.kind.value, each.span) for each in parameters_of(Rounding)]
        [('base', 'number', 'above 0')]
    """
    return _parameters(record)  # type: ignore[arg-type]  # mypy takes the hash of a class for that of its objects


@cache
def _parameters(record: type[Any]) -> tuple[Parameter, ...]:
    types_of = typing.get_type_hints(record)
    return tuple(
        _parameter(each, types_of[each.name])
        for each in dataclasses.fields(record)
        if _KEY in each.metadata
    )


def _parameter(each: dataclasses.Field[Any], annotation: Any) -> Parameter:
    declared: _Declared = each.metadata[_KEY]
    kind, enumeration = _kind_of(each.name, annotation, declared)
    factory = each.default_factory
    needed = each.default is MISSING and factory is MISSING
    default = None if needed else each.default if factory is MISSING else factory()
    return Parameter(
        name=each.name,
        kind=kind,
        doc=declared.doc,
        needed=needed,
        default=default,
        least=declared.least,
        most=declared.most,
        exclusive=declared.exclusive,
        words=declared.words or tuple(enumeration or ()),
        enumeration=enumeration,
        example=declared.example,
        stricter=declared.stricter,
    )


_KINDS: Final[Mapping[Any, ParameterKind]] = {
    bool: ParameterKind.FLAG,
    int: ParameterKind.WHOLE,
    float: ParameterKind.NUMBER,
    str: ParameterKind.TEXT,
    tuple[str, ...]: ParameterKind.TEXTS,
    tuple[int, ...]: ParameterKind.WHOLES,
    Mapping[str, float]: ParameterKind.SHARES,
    Mapping[str, int]: ParameterKind.SIZES,
}


def _kind_of(
    name: str, annotation: Any, declared: _Declared
) -> tuple[ParameterKind, type[StrEnum] | None]:
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        inner = [each for each in typing.get_args(annotation) if each is not type(None)]
        annotation = inner[0] if len(inner) == 1 else annotation
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return ParameterKind.WORD, annotation
    if declared.kind is not None:
        return declared.kind, None
    if declared.words:
        return ParameterKind.WORD, None
    if annotation not in _KINDS:
        raise Bug(f"Parameter {name} has a type without a kind; it must declare one.")
    return _KINDS[annotation], None
