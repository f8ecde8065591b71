"""A replacement as a lookup that an engine joins: from the distinct values of one field to their
replacements."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Engine, Lookup
from sfumato.errors import Bug, PolicyError, Problem
from sfumato.keys import Key
from sfumato.policy import Field, Method

from .keyed_hash import HashReplacer
from .lookup_file import LookupReplacer
from .made_up import MadeUpReplacer
from .mask import MaskReplacer
from .replacer import Replacer
from .surrogate import SurrogateReplacer

# Up to so many originals, some 100 MB, are kept so that none comes out as a replacement.
AVOIDED = 1_000_000


def replacement_lookup(
    engine: Engine,
    field: Field,
    *,
    key: Key | None,
    lookup_file: Path | None,
    domain: str | None = None,
) -> tuple[Lookup, Replacer]:
    """The lookup that replaces a field's values, and the replacer to ask afterwards what was done.

    `domain` names the set of fields in which the same value gets the same replacement; by default
    this field alone. Values are read and replaced batch by batch while the engine takes the lookup.
    """
    replacer = replacer_for(engine, field, key=key, lookup_file=lookup_file, domain=domain)

    def batches() -> Iterator[Mapping[str, NDArray[Any]]]:
        for batch in engine.distinct((field.name,)):
            originals = batch[field.name]
            present = np.array([value is not None for value in originals], dtype=bool)
            new = np.full(len(originals), None, dtype=object)
            new[present] = replacer.replace(originals[present].tolist())
            yield {f"key:{field.name}": originals, f"new:{field.name}": new}

    return Lookup(keys=(field.name,), fields=(field.name,), batches=batches), replacer


def replacer_for(
    engine: Engine,
    field: Field,
    *,
    key: Key | None,
    lookup_file: Path | None = None,
    domain: str | None = None,
) -> Replacer:
    """The replacer for the method that the policy asks for; it reads originals to avoid where that
    needs them."""
    method = field.replace.method if field.replace is not None else Method.REMOVE
    within = domain or field.name
    match method:
        case Method.MASK:
            return MaskReplacer()
        case Method.HASH:
            return HashReplacer(key, domain=within)
        case Method.LOOKUP:
            return LookupReplacer(lookup_file, domain=within)
        case Method.MADE_UP:
            return MadeUpReplacer(key, domain=within, avoid=_originals(engine, field.name))
        case Method.SURROGATE:
            kind = field.replace.kind if field.replace is not None else ""
            return SurrogateReplacer(
                key, domain=within, kind=kind, avoid=_originals(engine, field.name)
            )
        case Method.NUMBER:
            raise Bug("numbers are drawn by the engine.")
        case Method.NULL | Method.KEYWORD:
            raise Bug("constants are written by the engine.")
        case Method.REMOVE:
            found = "a removed field has nothing that takes its place."
            attempt = "leaving it out of the released fields, or another method."
            raise PolicyError(
                [Problem(where=f"fields.{field.name}.replace", found=found, attempt=attempt)]
            )


def _originals(engine: Engine, name: str) -> Container[str]:
    """The originals of a field, casefolded; none of them where there are too many to keep."""
    out: set[str] = set()
    for batch in engine.distinct((name,)):
        out.update(value.casefold() for value in batch[name] if value is not None)
        if len(out) > AVOIDED:
            return ()
    return out
