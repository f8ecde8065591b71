"""Checking synthetic tables against their manifest, each method by its own checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sfumato.errors import ReleaseBroken
from sfumato.policy import SYNTHESIS_METHODS, synthesis_method

from ..checks import Check
from ..finished_release import Written
from .linked_checks import linked_checks


def synthetic_checks(release: Written, facts: dict[str, Any]) -> Iterator[Check]:
    """Every claim that the folder alone can show."""
    has_account = "account" in facts
    if has_account and "tables" in facts["synthesis"]:
        yield from linked_checks(release, facts)
        return
    method = SYNTHESIS_METHODS[synthesis_method(facts["policy"])]
    if method.has_account != has_account:
        raise ReleaseBroken(
            f"The manifest has {'an' if has_account else 'no'} account of noise.",
            found=f"Rows by the method {method.key} have {'one' if method.has_account else 'none'}.",
        )
    yield from method.verify(release, facts)
