"""Cells on the wire: PostgreSQL's types by number, and values of each as text or in binary.

Only what an answer may hold has a binary form here: truth, numbers, text, dates, times and lists of
these."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from sfumato.engines import FieldKind

BOOL, INT8, INT2, INT4, TEXT, OID, FLOAT4, FLOAT8 = 16, 20, 21, 23, 25, 26, 700, 701
VARCHAR, DATE, TIMESTAMP, TIMESTAMPTZ, NUMERIC = 1043, 1082, 1114, 1184, 1700
SIZES: Final = {
    BOOL: 1,
    INT2: 2,
    INT4: 4,
    INT8: 8,
    OID: 4,
    FLOAT4: 4,
    FLOAT8: 8,
    DATE: 4,
    TIMESTAMP: 8,
    TIMESTAMPTZ: 8,
}
ARRAYS: Final = {
    1000: BOOL,
    1005: INT2,
    1007: INT4,
    1009: TEXT,
    1016: INT8,
    1022: FLOAT8,
    1028: OID,
}
OF_KIND: Final = {
    FieldKind.TEXT: TEXT,
    FieldKind.INTEGER: INT8,
    FieldKind.REAL: FLOAT8,
    FieldKind.DATE: DATE,
    FieldKind.TIMESTAMP: TIMESTAMP,
    FieldKind.BOOLEAN: BOOL,
    FieldKind.OTHER: TEXT,
}
"""The type in which a field is sent."""
OF_PAD: Final = {
    "VARCHAR": TEXT,
    "UINTEGER": OID,
    "BOOLEAN": BOOL,
    "TINYINT": INT2,
    "SMALLINT": INT2,
    "INTEGER": INT4,
    "BIGINT": INT8,
    "HUGEINT": NUMERIC,
    "FLOAT": FLOAT8,
    "DOUBLE": FLOAT8,
    "DATE": DATE,
    "TIMESTAMP": TIMESTAMP,
}
"""Types of the pads that answers are worked out with."""
FIRST_DAY: Final = date(2000, 1, 1)
FIRST_MOMENT: Final = datetime(2000, 1, 1)


class DoesNotFit(ValueError):
    """A value is not of the type that its column was announced in."""


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a result: its name and the number of its type."""

    name: str
    oid: int = TEXT

    @property
    def size(self) -> int:
        return SIZES.get(self.oid, -1)


def pad_oid(kind: str) -> int:
    """The type of one of the pads'; text for anything that has none."""
    inner = OF_PAD.get(kind.removesuffix("[]"), NUMERIC if kind.startswith("DECIMAL") else TEXT)
    return (
        next((array for array, element in ARRAYS.items() if element == inner), 1009)
        if kind.endswith("[]")
        else inner
    )


def fitting(values: Iterable[Any], *, otherwise: int = TEXT) -> int:
    """The type that can hold all of some values; `otherwise` where there are none."""
    found = {type(value) for value in values if value is not None}
    if not found:
        return otherwise
    if found == {bool}:
        return BOOL
    if found == {int}:
        return (
            INT8 if all(value is None or -(2**63) <= value < 2**63 for value in values) else NUMERIC
        )
    if found <= {int, float}:
        return FLOAT8
    if found <= {int, Decimal}:
        return NUMERIC
    return {frozenset((date,)): DATE, frozenset((datetime,)): TIMESTAMP}.get(frozenset(found), TEXT)


def fits(value: Any, oid: int) -> bool:
    """Whether a type can hold a value."""
    try:
        return value is None or binary(value, oid) is not None
    except DoesNotFit:
        return False


def text(value: Any, oid: int) -> bytes:
    """A value as text, in the form of its type.

    Example:
        >>> text(True, BOOL), text(1.0, FLOAT8), text(["a", None, 'b"'], 1009), text(3, TEXT)
        (b't', b'1', b'{"a",NULL,"b\\\\""}', b'3')
    """
    if oid == BOOL:
        return b"t" if _truth(value) else b"f"
    if isinstance(value, (list, tuple)):
        return b"{" + b",".join(_element(each, ARRAYS.get(oid, TEXT)) for each in value) + b"}"
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, float):
        return _number(value)
    return str(value).replace("\x00", "").encode("utf-8", "replace")


def _number(value: float) -> bytes:
    if math.isnan(value):
        return b"NaN"
    if math.isinf(value):
        return b"Infinity" if value > 0 else b"-Infinity"
    return repr(value).removesuffix(".0").encode()


def _element(value: Any, oid: int) -> bytes:
    if value is None:
        return b"NULL"
    plain = text(value, oid)
    return (
        plain if oid != TEXT else b'"' + plain.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
    )


def binary(value: Any, oid: int) -> bytes:
    """A value in the binary form of its type; `DoesNotFit` where it is not of it.

    Example:
        >>> binary(5, INT4), binary("2000-01-02", DATE), binary(True, BOOL), binary(Decimal("12.5"), NUMERIC).hex()
        (b'\\x00\\x00\\x00\\x05', b'\\x00\\x00\\x00\\x01', b'\\x01', '0002000000000001000c1388')
    """
    if oid in ARRAYS:
        return _array(value, ARRAYS[oid])
    try:
        return _BINARY.get(oid, lambda given: text(given, TEXT))(value)
    except (ValueError, TypeError, OverflowError, struct.error, ArithmeticError):
        raise DoesNotFit from None


def _truth(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false", "t", "f"):
        return bool(value[0] == "t")
    raise DoesNotFit


def _whole(form: str) -> Callable[[Any], bytes]:
    return lambda value: struct.pack(form, _exactly_whole(value))


def _exactly_whole(value: Any) -> int:
    if isinstance(value, bool) or int(value) != value:
        raise ValueError
    return int(value)


def _real(form: str) -> Callable[[Any], bytes]:
    return lambda value: struct.pack(form, _exactly_real(value))


def _exactly_real(value: Any) -> float:
    if not isinstance(value, (int, float, Decimal)) or isinstance(value, bool):
        raise TypeError
    return float(value)


def _day(value: Any) -> bytes:
    day = value if isinstance(value, date) else date.fromisoformat(value)
    return struct.pack("!i", (day - FIRST_DAY).days)


def _moment(value: Any) -> bytes:
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    return struct.pack(
        "!q", (moment.replace(tzinfo=None) - FIRST_MOMENT) // timedelta(microseconds=1)
    )


def _numeric(value: Any) -> bytes:
    """PostgreSQL's numeric: digits of base 10,000, the weight of the first, sign, and decimal
    places."""
    number = (
        Decimal(value) if isinstance(value, (int, Decimal)) else Decimal(str(_exactly_real(value)))
    )
    if not number.is_finite():
        return struct.pack("!hhHh", 0, 0, 0xC000, 0)
    places = max(0, -int(number.as_tuple().exponent))
    whole, _, fraction = f"{abs(number):f}".partition(".")
    whole = whole.zfill(-(-len(whole) // 4) * 4)
    fraction = fraction.ljust(-(-len(fraction) // 4) * 4, "0")
    digits = [int((whole + fraction)[at : at + 4]) for at in range(0, len(whole + fraction), 4)]
    weight = len(whole) // 4 - 1
    while digits and digits[0] == 0:
        digits, weight = digits[1:], weight - 1
    while digits and digits[-1] == 0:
        digits.pop()
    head = struct.pack(
        "!hhHh", len(digits), weight if digits else 0, 0x4000 if number < 0 else 0, places
    )
    return head + struct.pack(f"!{len(digits)}h", *digits)


def _array(value: Any, element: int) -> bytes:
    if not isinstance(value, (list, tuple)):
        raise DoesNotFit
    if not value:
        return struct.pack("!iiI", 0, 0, element)
    out = bytearray(struct.pack("!iiIii", 1, int(None in value), element, len(value), 1))
    for each in value:
        out += sized(None if each is None else binary(each, element))
    return bytes(out)


_BINARY: Final[dict[int, Callable[[Any], bytes]]] = {
    BOOL: lambda value: b"\x01" if _truth(value) else b"\x00",
    INT2: _whole("!h"),
    INT4: _whole("!i"),
    INT8: _whole("!q"),
    OID: _whole("!I"),
    FLOAT4: _real("!f"),
    FLOAT8: _real("!d"),
    DATE: _day,
    TIMESTAMP: _moment,
    TIMESTAMPTZ: _moment,
    NUMERIC: _numeric,
}


def sized(cell: bytes | None) -> bytes:
    """A cell with its length before it; no value has the length -1."""
    return b"\xff\xff\xff\xff" if cell is None else len(cell).to_bytes(4, "big") + cell


def data_rows(
    rows: Iterable[Sequence[Any]], columns: Sequence[ResultColumn], formats: Sequence[int]
) -> bytes:
    """Rows as messages of the protocol, one after the other; a format of 1 is binary."""
    ways = [
        (binary if form == 1 else text, column.oid)
        for column, form in zip(columns, formats, strict=True)
    ]
    head = len(columns).to_bytes(2, "big")
    out = bytearray()
    for row in rows:
        body = head + b"".join(
            sized(None if value is None else way(value, oid))
            for value, (way, oid) in zip(row, ways, strict=True)
        )
        out += b"D" + (len(body) + 4).to_bytes(4, "big") + body
    return bytes(out)
