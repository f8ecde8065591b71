"""The texts of a release, if it has any: where it has none, nothing of the text room is even
imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sfumato.engines import Engine
from sfumato.policy import Policy, is_released, scrubbed_fields

if TYPE_CHECKING:
    from ..treatments import Treatments
    from .text_lookups import Texts


def has_texts(policy: Policy) -> bool:
    """Whether some text field of a policy is scrubbed and released."""
    if any(is_released(policy, name) for name in scrubbed_fields(policy.fields)):
        return True
    return any(scrubbed_fields(table.fields) for table in policy.tables.values())


def texts_of_one(
    engine: Engine,
    policy: Policy,
    treatments: Treatments,
    *,
    collected: Engine,
    words: Mapping[str, str],
    progress: Callable[[str], None],
) -> Texts | None:
    """The scrubbed texts of one table, whose lookups are added to the treatments."""
    if not has_texts(policy):
        return None
    from .text_lookups import add_texts

    return add_texts(
        engine, policy, treatments, collected=collected, words=words, progress=progress
    )
