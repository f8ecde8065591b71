"""Writing to the side and moving into place: what is not finished never looks like a release."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sfumato.errors import TargetError

MANIFEST = "manifest.json"
REPORT = "report.html"
POLICY = "policy.toml"
WRITTEN = frozenset({MANIFEST, REPORT, POLICY, "release.csv", "release.parquet", "channels.csv", "statistics.csv"})


@contextlib.contextmanager
def aside(target: Path, *, replace: bool = False) -> Iterator[Path]:
    """A folder beside `target` that becomes `target` when the block ends well, and is gone when it does not."""
    check_target(target, replace=replace)
    # The name is made up before the folder, so that Ctrl-C leaves none behind however soon it comes.
    folder = target.parent / f".{target.name}.unfinished-{secrets.token_hex(8)}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700)
        yield folder
        _settle(folder)
        _move(folder, target)
    except OSError as error:
        raise _refused(target, error) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_target(target: Path, *, replace: bool) -> None:
    """Refuse to write over anything but an earlier release, and over that only when told to."""
    if not target.exists():
        return
    if not target.is_dir():
        raise TargetError(f"{target} is a file.", attempt="a folder that does not exist yet with --to.")
    if not any(target.iterdir()):
        return
    if not (target / MANIFEST).exists():
        raise TargetError(
            f"{target} holds other files.", attempt="a folder that does not exist yet; nothing there was touched."
        )
    strangers = sum(path.name not in WRITTEN | _tables(target) for path in target.iterdir())
    if strangers:
        raise TargetError(
            f"{target} holds more than a release.",
            found=f"{strangers} file(s) or folder(s) in it are not of a release and would be lost.",
            attempt="moving them away, or another folder with --to; nothing there was touched.",
        )
    if not replace:
        raise TargetError(
            f"{target} already holds a release.",
            attempt="another folder with --to, or --replace to put this one in its place.",
        )


def _tables(target: Path) -> set[str]:
    """The files of a release of several tables, and those of scrubbed texts, as the manifest names them."""
    try:
        facts = json.loads((target / MANIFEST).read_text(encoding="utf-8"))
        scrubbed = {str(each["file"]).partition("/")[0] for each in facts.get("scrubbed", {}).get("files", ())}
        return scrubbed | {str(table["file"]) for table in facts.get("tables", {}).values() if "file" in table}
    except (OSError, ValueError, AttributeError, TypeError):
        return set()


def _settle(folder: Path) -> None:
    """Ask the disk to keep what was written before the folder gets its real name."""
    for path in (*folder.rglob("*"), folder):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _move(folder: Path, target: Path) -> None:
    folder.chmod(0o755)
    if target.exists():
        old = Path(tempfile.mkdtemp(prefix=f".{target.name}.old-", dir=target.parent))
        target.rename(old / target.name)
        try:
            folder.rename(target)
        except OSError:
            (old / target.name).rename(target)
            raise
        finally:
            shutil.rmtree(old, ignore_errors=True)
    else:
        folder.rename(target)


def _refused(target: Path, error: OSError) -> TargetError:
    return TargetError(
        f"The release cannot be written to {target}.",
        found=f"{error.strerror or 'The system refused'}.",
        attempt="another folder with --to; nothing was released.",
    )
