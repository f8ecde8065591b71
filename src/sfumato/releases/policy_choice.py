"""The policy that a release follows: the one given, the one beside the data, or one proposed by a
survey."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sfumato import surveys
from sfumato.engines import Database, Engine, is_address, name_of_address, stem_of
from sfumato.errors import TargetError
from sfumato.files import write_new_file
from sfumato.policy import AS_FOUND, Policy, SourceFormat, read_policy

Progress = Callable[[str], None]
PolicyLike = Policy | Mapping[str, object] | str | Path
"""Everything that a policy is read from: a file, the text of one, a dict in its form, a policy."""


def beside(source: str | os.PathLike[str]) -> Path:
    """The policy file of a source: patients.csv has patients.policy.toml beside it. A database with
    an address has one of its name in the current folder."""
    if is_address(source):
        return Path(f"{name_of_address(source)}.policy.toml")
    path = Path(source)
    return path.parent / f"{stem_of(path)}.policy.toml"


def found_policy(source: Any, given: PolicyLike | None) -> Policy | None:
    """The policy that was given, or that is beside the data; None where there is none yet."""
    if given is None:
        return (
            read_policy(beside(source)) if _has_place(source) and beside(source).exists() else None
        )
    return read_policy(given)


def _has_place(source: Any) -> bool:
    return isinstance(source, str | os.PathLike)


def policy_for(
    source: Any, engine: Engine, *, progress: Progress, format: SourceFormat = AS_FOUND
) -> tuple[Policy, Path | None]:
    """The policy that a survey proposes, and the file that it was written into."""
    progress("surveying")
    surveyed = surveys.survey_table(engine)
    if not _has_place(source):
        return surveys.propose_policy(surveyed, source=format), None
    path = beside(source)
    write_new(path, surveys.proposed_toml(surveyed, source=format))
    return read_policy(path), path


def policy_for_tables(
    source: Any, database: Database, *, progress: Progress, format: SourceFormat = AS_FOUND
) -> tuple[Policy, Path | None]:
    """The policy that a survey proposes for several tables, and the file that it was written
    into."""
    surveyed = surveys.survey_tables(database, progress=progress)
    if not _has_place(source):
        return surveys.propose_tables_policy(surveyed, source=format), None
    path = beside(source)
    write_new(path, surveys.proposed_tables_toml(surveyed, source=format))
    return read_policy(path), path


def check_new(path: Path) -> None:
    """Before any work: whether a file of that name is there already."""
    if os.path.lexists(path):
        raise TargetError(f"{path} exists already.", attempt="editing it, or moving it away.")


def write_new(path: Path, text: str) -> None:
    """Write a text file that must not exist yet, whole or not at all."""
    try:
        write_new_file(path, text.encode())
    except FileExistsError:
        raise TargetError(
            f"{path} exists already.", attempt="editing it, or moving it away."
        ) from None
    except OSError as error:
        raise TargetError(
            f"The proposed policy cannot be written to {path}.",
            found=f"{error.strerror}.",
            attempt="sfumato survey SOURCE --to POLICY.toml in a folder you may write to, then "
            "release with --policy.",
        ) from None
