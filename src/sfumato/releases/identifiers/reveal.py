"""Revealing the original of one pseudonym, for the holder of the lookup file or of the key and the
source.

Sweeney 1997, section 3.9: with a key "there exists a key which when applied to the result reveals
the original". Revealing is a decision about a person. A caller should record who asked, about which
pseudonym, who agreed and why; the functions here write nothing."""

from __future__ import annotations

from pathlib import Path

from sfumato.engines import Engine
from sfumato.errors import PolicyError, Problem
from sfumato.keys import Key
from sfumato.policy import Field, Method

from .lookup_file import LookupFile
from .lookups import replacer_for


def reveal(pseudonym: str, *, lookup_file: Path) -> str | None:
    """The original that a lookup file gave this pseudonym to; None where it gave it to none."""
    return LookupFile(lookup_file).original(pseudonym)


def reveal_by_search(
    pseudonym: str, engine: Engine, *, field: Field, key: Key, domain: str | None = None
) -> str | None:
    """The original in the source whose hash, made-up value or surrogate this is; None where there
    is none.

    Every distinct value is replaced again, in the source's order, until one gives the pseudonym. A
    made-up value or surrogate that was drawn again is found for sure only in the source that the
    release was made from."""
    method = field.replace.method if field.replace is not None else Method.REMOVE
    if method not in (Method.HASH, Method.MADE_UP, Method.SURROGATE):
        found = f"method {method.value!r} cannot be gone back on with a key."
        attempt = "reveal with the lookup file, where the method was lookup."
        raise PolicyError(
            [Problem(where=f"fields.{field.name}.replace", found=found, attempt=attempt)]
        )
    replacer = replacer_for(engine, field, key=key, domain=domain)
    for batch in engine.distinct((field.name,)):
        originals = [value for value in batch[field.name] if value is not None]
        for original, new in zip(originals, replacer.replace(originals), strict=True):
            if new == pseudonym:
                return str(original)
    return None
