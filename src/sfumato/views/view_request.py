"""The request for views, checked before anything is read: profiles, groups, names and places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from sfumato.engines import is_postgres, name_of_address, stem_of
from sfumato.errors import Mistake
from sfumato.policy import BUILT_IN, Policy
from sfumato.releases import PROFILE_NAME

from .history import ViewHistory

VIEWS: Final = "Views were asked for"


def chosen_profiles(
    policy: Policy, asked: Sequence[str], *, request: str = VIEWS
) -> tuple[str, ...]:
    """The profiles that get a release: those asked for, or those that the policy itself has.
    `request` begins what an error says."""
    own = tuple(name for name in policy.recipients if name not in BUILT_IN)
    chosen = tuple(dict.fromkeys(asked)) or own
    strange = [name for name in chosen if name not in policy.recipients]
    if strange or not chosen:
        raise Mistake(
            f"{request} of {', '.join(strange)}." if strange else f"{request}.",
            found="The policy has no such profile." if strange else "The policy has no profile.",
            attempt="[recipient.NAME] in the policy for each, and --profiles with their names.",
        )
    odd = [name for name in chosen if not PROFILE_NAME.fullmatch(name)]
    if odd:
        raise Mistake(
            f"{request} of {', '.join(map(repr, odd))}.",
            found="Such a profile gives its name to a file, a folder or a schema.",
            attempt="a name of letters, digits, - and _.",
        )
    return chosen


def check_apart(profiles: Sequence[str], apart: Sequence[str]) -> None:
    strange = [name for name in apart if name not in profiles]
    if strange:
        raise Mistake(
            f"Profiles were to be judged apart: {', '.join(strange)}.",
            found="No release to them was asked for.",
            attempt="names that --profiles has too.",
        )


def check_still_apart(history: ViewHistory, profiles: Sequence[str], apart: Sequence[str]) -> None:
    """Refuse a profile that was judged with others before and is to be apart now, or the reverse.
    No verdict would cover the releases that its recipients hold already."""
    changed = [
        name
        for name in profiles
        if (last := history.last(name)) is not None and last.apart != (name in apart)
    ]
    if changed:
        raise Mistake(
            f"{', '.join(changed)} was to be judged {'apart' if changed[0] in apart else 'together'}.",
            found="Its views before were judged otherwise.",
            attempt="as before, or a new place with a new --state and other recipients.",
        )


def person_of(policy: Policy, asked: str, *, request: str = VIEWS) -> str:
    """The field by which people are the same in all releases; of several tables the entity."""
    person = asked or policy.entity or ""
    if policy.tables and asked not in ("", policy.entity):
        raise Mistake(
            f"{request}, with people identified by {asked!r}.",
            found="Of several tables, the policy's entity is the person.",
            attempt="leaving --person out.",
        )
    if not person:
        raise Mistake(
            f"{request}.",
            found="Nothing says which rows of two releases are about the same person: the policy "
            "has no entity.",
            attempt="--person FIELD, a field that identifies the person of a row and need not be "
            "released.",
        )
    return person


def source_table(options: Mapping[str, Any]) -> tuple[str, str]:
    """The schema of the source's tables, and the table that was named; empty where none was."""
    schema, _, table = str(options.get("table", "")).rpartition(".")
    return schema or str(options.get("schema", "")), table


def view_name(source: Any) -> str:
    """The name of the only view of a source where no table was named."""
    if isinstance(source, str) and is_postgres(source):
        return name_of_address(source)
    return stem_of(Path(source)) if isinstance(source, str | Path) else "release"


def default_state(to: str | Path) -> Path:
    if is_postgres(to):
        return Path(f"{name_of_address(str(to))}-views")
    return Path(to).with_name(f"{Path(to).name}-state")
