"""Which policy a release follows: the one given, the one beside the data, or one proposed by a survey."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sfumato.errors import TargetError
from sfumato.policy import Policy, read_policy
from sfumato.sources import Engine
from sfumato.sources.survey import propose_policy, proposed_toml, survey


def beside(source: str | os.PathLike[str]) -> Path:
    """The policy file that belongs to a data file: patients.csv has patients.policy.toml."""
    path = Path(source)
    return path.parent / f"{path.stem}.policy.toml"


def policy_for(
    source: Any, given: Policy | str | Path | None, engine: Engine, *, progress: Callable[[str], None]
) -> tuple[Policy, Path | None]:
    """The policy, and the file it was proposed into where it is new."""
    if isinstance(given, Policy):
        return given, None
    if given is not None:
        return read_policy(Path(given)), None
    is_file = isinstance(source, str | os.PathLike)
    if is_file and beside(source).exists():
        return read_policy(beside(source)), None
    progress("surveying")
    found = survey(engine)
    if not is_file:
        return propose_policy(found), None
    path = beside(source)
    write_new(path, proposed_toml(found))
    return read_policy(path), path


def write_new(path: Path, text: str) -> None:
    """Write a text file that must not exist yet."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise TargetError(f"{path} exists already.", attempt="editing it, or moving it away.") from None
    except OSError as error:
        raise TargetError(
            f"The proposed policy cannot be written to {path}.",
            found=f"{error.strerror}.",
            attempt="sfumato survey SOURCE --to POLICY.toml in a folder you may write to, then release with --policy.",
        ) from None
