"""The register that a requirement counts people in: given, beside the policy, or beside the source;
never in a release.

Only the register's file name is in a release, so the folder of the release does not disclose where
it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sfumato.engines import is_address
from sfumato.errors import Mistake, as_caller_writes
from sfumato.policy import OutsideNeed, Policy


def registers_of(
    policy: Policy, *, given: Any, source: Any, release: Path | None
) -> dict[str, Any]:
    """The table of people for each requirement that names one; without those that are not at
    hand."""
    named = dict(_named(policy))
    if given is not None and len(set(named.values())) > 1:
        raise Mistake(
            "One population was given, and the policy's requirements name two.",
            found=f"They are {', '.join(sorted(set(named.values())))}.",
            attempt="--policy with the policy file beside them.",
        )
    if given is not None:
        return dict.fromkeys(named, given)
    folders = (
        [policy.folder] if release is None or policy.folder.resolve() != release.resolve() else []
    )
    if isinstance(source, str | Path) and not is_address(source):
        folders.append(Path(source).parent)
    return {key: path for key, name in named.items() for path in _there(name, folders)}


def _named(policy: Policy) -> Iterator[tuple[str, str]]:
    for declared, asked in policy.require.needing(OutsideNeed.POPULATION):
        yield declared.key, asked.population


def _there(name: str, folders: list[Path]) -> Iterator[Path]:
    """The first file of that name; none or one."""
    yield from [folder / name for folder in folders if (folder / name).exists()][:1]


def missing_registers(policy: Policy, registers: Mapping[str, Any]) -> tuple[str, ...]:
    """The unjudged requirements whose register is not at hand, and what to try."""
    return tuple(
        f"{key} was not judged: {Path(name).name} is neither beside the policy nor beside "
        "the source. "
        + as_caller_writes("Try --population, or --policy with the policy file beside it.")
        for key, name in _named(policy)
        if key not in registers
    )
