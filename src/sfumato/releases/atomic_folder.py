"""Atomic writes: files are written to a folder beside the target, which is renamed at the end. An
unfinished folder never looks like a release."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from sfumato.errors import TargetError
from sfumato.runs import REPLACED, UNFINISHED, claim, deferred, exchange, hidden_name, rename_new
from sfumato.wording import counted

MANIFEST = "manifest.json"
REPORT = "report.html"
POLICY = "policy.toml"
SIGNATURE = "manifest.dsse.json"
PROFILES = "profiles.json"
"""In a folder with a release for each of several recipient profiles: what was judged together."""
WRITTEN = frozenset(
    {
        MANIFEST,
        SIGNATURE,
        REPORT,
        POLICY,
        "release.csv",
        "release.parquet",
        "channels.csv",
        "statistics.csv",
        "areas.csv",
    }
)


@contextlib.contextmanager
def aside(
    target: Path, *, replace: bool = False, commit: Callable[[], None] | None = None
) -> Iterator[Path]:
    """A folder beside `target` that becomes `target` when the block ends well, and is removed when
    it does not.

    One run at a time may have such a folder. `commit` is called right before the folder gets its
    name; an interrupt in between waits until both are done."""
    with claim(target):
        check_target(target, replace=replace)
        # The name is made up before the folder, so that Ctrl-C leaves none behind however soon it
        # comes.
        folder = target.parent / hidden_name(target, UNFINISHED)
        kept = False
        try:
            folder.mkdir(mode=0o700)
            yield folder
            _settle(folder)
            with deferred(f"{target} was already published when the interrupt came."):
                if commit is not None:
                    commit()
                kept = commit is not None
                _move(folder, target, replace=replace)
                kept = False
        except OSError as error:
            raise _refused(target, error, folder=_rescued(folder) if kept else None) from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def check_target(target: Path, *, replace: bool) -> None:
    """Refuse to write over anything but an earlier release, and over that only with `replace`."""
    if not target.exists():
        return
    if not target.is_dir():
        raise TargetError(
            f"{target} is a file.", attempt="a folder that does not exist yet with --to."
        )
    if not any(target.iterdir()):
        return
    if (target / PROFILES).is_file():
        _check_profiles(target)
    elif not (target / MANIFEST).exists():
        raise TargetError(
            f"{target} holds other files.",
            attempt="a folder that does not exist yet; nothing there was touched.",
        )
    else:
        _check_strangers(target, WRITTEN | _tables(target))
    if not replace:
        raise TargetError(
            f"{target} already holds a release.",
            attempt="another folder with --to, or --replace to put this one in its place.",
        )


def _check_strangers(target: Path, known: Collection[str]) -> None:
    strangers = sum(path.name not in known for path in target.iterdir())
    if strangers:
        raise TargetError(
            f"{target} holds more than a release.",
            found=f"{counted(strangers, 'entry', 'entries')} in it would be lost, as no part "
            "of a release.",
            attempt="moving them away, or another folder with --to; nothing there was touched.",
        )


def _check_profiles(target: Path) -> None:
    """Refuse to replace a folder of several profiles that holds anything but their releases."""
    try:
        profiles = set(json.loads((target / PROFILES).read_text(encoding="utf-8"))["profiles"])
    except (OSError, ValueError, KeyError, TypeError):
        profiles = set()
    _check_strangers(target, {PROFILES, *profiles})
    for path in target.iterdir():
        if path.name != PROFILES:
            check_target(path, replace=True)


def _tables(target: Path) -> set[str]:
    """The files of a release of several tables, and those of scrubbed texts, as the manifest names
    them."""
    try:
        facts = json.loads((target / MANIFEST).read_text(encoding="utf-8"))
        scrubbed = {
            str(each["file"]).partition("/")[0]
            for each in facts.get("scrubbed", {}).get("files", ())
        }
        return scrubbed | {
            str(table["file"]) for table in facts.get("tables", {}).values() if "file" in table
        }
    except (OSError, ValueError, AttributeError, TypeError):
        return set()


def _settle(folder: Path) -> None:
    """Flush all written files to disk before the folder gets its real name."""
    for path in (*folder.rglob("*"), folder):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _move(folder: Path, target: Path, *, replace: bool) -> None:
    """Give the folder its name. A target that appeared since it was checked is never replaced."""
    folder.chmod(0o755)
    if os.path.lexists(target) and not target.is_symlink():
        with contextlib.suppress(OSError):
            target.rmdir()  # An empty folder is as good as none.
    if not os.path.lexists(target):
        rename_new(folder, target)
        return
    check_target(target, replace=replace)
    if exchange(folder, target):
        return  # The earlier release has the hidden name now, and goes.
    old = target.parent / hidden_name(target, REPLACED)
    target.rename(old)
    try:
        rename_new(folder, target)
    except OSError:
        rename_new(old, target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _rescued(folder: Path) -> Path:
    """The documents of tables that are published already, under a name that nobody removes."""
    place = folder.with_name(f"documents-{folder.name[-16:]}")
    rename_new(folder, place)
    return place


def _refused(target: Path, error: OSError, *, folder: Path | None = None) -> TargetError:
    """`folder` is given where tables were published already and their documents could not get their
    name."""
    if isinstance(error, FileExistsError) and folder is None:
        return TargetError(
            f"Another process made {target} meanwhile.",
            attempt="another folder with --to; nothing was released.",
        )
    return TargetError(
        f"The release cannot be written to {target}.",
        found=f"{error.strerror or 'The system refused'}.",
        attempt="another folder with --to; nothing was released."
        if folder is None
        else f"moving {folder} there by hand: the tables were published already.",
    )
