"""Addresses of databases and clusters: distinguished from paths, and named without any secret in
them."""

from __future__ import annotations

import re
from typing import TypeGuard
from urllib.parse import parse_qs, unquote, urlsplit

POSTGRES = ("postgresql://", "postgres://")
SPARK = "spark:"
UNNAMED = "database"


def is_address(source: object) -> TypeGuard[str]:
    """Whether a source is an address and not the path of a file.

    Example:
        >>> [is_address(text) for text in ("postgresql://host/hospital", "spark:hospital.visits", "data/visits.csv")]
        [True, True, False]
    """
    return isinstance(source, str) and ("://" in source or source.startswith(SPARK))


def is_postgres(source: object) -> TypeGuard[str]:
    return isinstance(source, str) and source.startswith(POSTGRES)


def name_of_address(address: str) -> str:
    """The name of the files that are made from an address: its database or its table, and nothing
    else of it.

    Where an address is written so that a password could be taken for the name, it is not named
    after it.

    Example:
        >>> name_of_address("postgresql://ann:secret@host:5432/hospital?sslmode=require")
        'hospital'
        >>> name_of_address("spark:hospital.visits"), name_of_address("hdfs://cluster/data/visits/")
        ('hospital.visits', 'visits')
        >>> name_of_address("postgresql://ann:se/cret@host/hospital"), name_of_address("postgresql://")
        ('database', 'database')
    """
    if address.startswith(SPARK):
        return _in_a_file_name(address.removeprefix(SPARK))
    try:
        parts = urlsplit(address)
    except ValueError:
        return UNNAMED
    if "@" in parts.path + parts.query + parts.fragment:
        return UNNAMED
    path = unquote(parts.path).strip("/")
    given = parse_qs(parts.query).get("dbname", [""])[0] if is_postgres(address) else ""
    return _in_a_file_name(given or path.rsplit("/", 1)[-1])


def without_secrets(text: str) -> str:
    """A text in which every address that may hold a password, before an @ or after a ?, is reduced
    to the fact that it is one.

    Example:
        >>> without_secrets("unrecognized arguments: postgresql://ann:secret@host/hospital --fast")
        'unrecognized arguments: postgresql://… --fast'
        >>> without_secrets("Try postgresql://host/database.")
        'Try postgresql://host/database.'
    """
    return re.sub(r"\b(postgres(?:ql)?):/\S*[@?]\S*", r"\1://…", text)


def _in_a_file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or UNNAMED
