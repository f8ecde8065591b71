"""The files of a release: every one has a digest in the manifest, and a folder holds no others."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from sfumato.errors import ReleaseBroken
from sfumato.wording import counted, some_of

from .atomic_folder import MANIFEST, REPORT, SIGNATURE
from .checks import Check, same, same_as_said

MOST_NAMED = 5


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(path: Path) -> str:
    """The digest of a file; of a folder of files, that of their names and digests in order."""
    if not path.is_dir():
        return digest(path)
    return _together({str(file.relative_to(path)): digest(file) for file in _files(path)})


def _together(parts: Mapping[str, str]) -> str:
    """The digest of a folder from those of the files in it."""
    lines = (f"{name} {parts[name]}\n" for name in sorted(parts, key=PurePosixPath))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def size_of(path: Path) -> int:
    return sum(file.stat().st_size for file in _files(path))


def _files(path: Path) -> list[Path]:
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def list_files(folder: Path, *, known: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Digest and size of every file in a folder but the manifest and its signature; `known` are digests that were
    taken already."""
    found = _walk(folder)
    return {
        name: {
            "sha256": known.get(name) or digest(folder / name),
            "bytes": (folder / name).stat().st_size,
        }
        for name in sorted(found.files)
        if name not in (MANIFEST, SIGNATURE)
    }


@dataclass(frozen=True, kw_only=True)
class _Found:
    """The content of a folder: regular files, folders, and others, such as links."""

    files: frozenset[str]
    folders: frozenset[str]
    others: frozenset[str]


def _walk(folder: Path) -> _Found:
    """Every entry by its path inside `folder`; no link is followed."""
    files, folders, others = set[str](), set[str](), set[str]()
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                name = Path(entry.path).relative_to(folder).as_posix()
                if entry.is_dir(follow_symlinks=False):
                    folders.add(name)
                    waiting.append(Path(entry.path))
                else:
                    (files if entry.is_file(follow_symlinks=False) else others).add(name)
    return _Found(files=frozenset(files), folders=frozenset(folders), others=frozenset(others))


def inside(folder: Path, name: object) -> Path:
    """The path of a file that a manifest names; ReleaseBroken where it leads out of the folder or
    through a link."""
    path = PurePosixPath(name) if isinstance(name, str) else PurePosixPath("/")
    plain = str(name) == path.as_posix() and not any(mark in str(name) for mark in ("\\", "\0"))
    if not plain or path.is_absolute() or ".." in path.parts or not path.parts:
        raise ReleaseBroken(f"The manifest of {folder} names files outside of it.")
    place = folder
    for part in path.parts:
        place = place / part
        if place.is_symlink():
            raise ReleaseBroken(f"{folder} has links in place of files that its manifest names.")
    return place


def file_checks(
    folder: Path, listed: Mapping[str, Any], *, expected: Iterable[str], whole: Mapping[str, str]
) -> Iterator[Check]:
    """Whether a folder holds the files of its manifest, as they were written, and nothing else.

    `listed` are the digests of all files, and `expected` the names that such a release has at its
    top. `whole` has the digests of tables by these names, each for all files of a table."""
    for name in listed:
        inside(folder, name)
    found = _walk(folder)
    at_top = {*expected, MANIFEST}
    strange = {name for name in listed if PurePosixPath(name).parts[0] not in at_top}
    strange |= (found.files - listed.keys() - {MANIFEST, SIGNATURE}) | found.others
    parents = {parent.as_posix() for name in listed for parent in PurePosixPath(name).parents}
    yield _strangers(strange | (found.folders - parents))
    digests = {name: digest(folder / name) for name in sorted(found.files & listed.keys())}
    units: dict[str, list[str]] = {}
    for name in sorted(listed):
        top = PurePosixPath(name).parts[0]
        units.setdefault(top if top in whole else name, []).append(name)
    for unit, names in units.items():
        yield _as_listed(folder, unit, names, listed, digests, whole.get(unit))
    for missing in sorted({*expected} - {PurePosixPath(name).parts[0] for name in listed}):
        yield Check(claim=f"digest of {missing}", outcome="fail", found="the manifest has none")


def _strangers(strange: set[str]) -> Check:
    claim = "the folder holds the files of the release and no others"
    if not strange:
        return Check(claim=claim, outcome="pass", found="as the manifest says")
    return Check(
        claim=claim,
        outcome="fail",
        found=f"not of the release: {some_of(sorted(strange), MOST_NAMED)}",
    )


def _as_listed(
    folder: Path,
    unit: str,
    names: list[str],
    listed: Mapping[str, Any],
    digests: Mapping[str, str],
    whole: str | None,
) -> Check:
    """One check for a file, or for the folder of files that a table is."""
    claim = f"digest of {unit}"
    missing = sum(name not in digests for name in names)
    if missing and unit == REPORT:
        return Check(
            claim=claim, outcome="pass", found="it is not here: the report stays with the holder"
        )
    if missing:
        return Check(
            claim=claim,
            outcome="fail",
            found=f"{missing:,} of {counted(len(names), 'file')} missing",
        )
    if whole is not None:
        parts = {name.partition("/")[2]: digests[name] for name in names}
        if whole != (digests[unit] if names == [unit] else _together(parts)):
            return Check(claim=claim, outcome="fail", found="not what the manifest says")
    sizes = [(folder / name).stat().st_size for name in names]
    if not same([listed[name]["bytes"] for name in names], sizes):
        return Check(
            claim=claim, outcome="fail", found="the manifest says that it has another size"
        )
    return same_as_said(
        claim, [listed[name]["sha256"] for name in names], [digests[name] for name in names]
    )
