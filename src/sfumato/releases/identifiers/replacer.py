"""The protocol of a replacer: anything that gives the replacement of a direct identifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Replacer(Protocol):
    """Gives each value of one field its replacement.

    `replace` is called with batches of distinct values that are not null, each value in one batch.
    A value that is given again, in a second pass over the same batches, gets the same replacement
    again. `describe` gives the manifest's words, without a secret and without a value. `redrawn`
    counts the values whose first draw was already taken, so that they got another."""

    @property
    def redrawn(self) -> int: ...

    def replace(self, values: Sequence[str]) -> list[str]: ...

    def describe(self) -> str: ...
