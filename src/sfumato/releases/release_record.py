"""A finished release: where it is or what it holds, what was judged, and the table that it hands
out."""

from __future__ import annotations

import atexit
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from sfumato.engines import read_released_frame
from sfumato.errors import Mistake, ReleaseBroken
from sfumato.files import OWNER_ONLY, write_whole
from sfumato.parts import did_you_mean
from sfumato.policy import Policy
from sfumato.protection import Outcome, Verdict
from sfumato.runs import temporary_folder

from .atomic_folder import MANIFEST, REPORT, aside
from .documents import manifest_digest
from .manifest import ONE_TABLE

_HINTS = {
    "df": "the table is made.frame",
    "data": "the table is made.frame",
    "dataframe": "the table is made.frame",
    "frames": "several tables are a mapping in made.frame",
    "to_pandas": "the table is made.frame, of the kind that came in",
    "to_csv": "made.save(folder) writes the release; made.frame.to_csv(file) the table alone",
    "to_parquet": "made.save(folder) writes the release; made.frame the table alone",
    "write": "made.save(folder) writes the release",
    "k": "the requirement is made.policy.require.k; what was counted is in made.verdicts",
    "risk": "sfumato.assess(made) measures risk",
    "verdict": "made.outcome is the outcome, made.verdicts has each",
    "warnings": 'the warnings are made.manifest["warnings"]',
    "head": "the table is made.frame",
    "shape": "the table is made.frame",
    "columns": "the table is made.frame",
}


@dataclass(frozen=True, kw_only=True, repr=False)
class Release:
    """A finished release: its outcome, what was judged, its table and its manifest.

    With `to`, tables are files in `folder`, or SCHEMA.TABLE of a database. Without, `folder` is
    None, and the release is held in memory: `frame` is the table that was counted, of the same kind
    as the source, and `save` writes everything. Of several tables `frame` is a mapping.

    `surveyed` has the role of each field that nobody named, and why; `reviews` why the outcome is
    *review*, where keywords leave something open. `digest` is that of the manifest, and detects
    every later change (`sfumato verify --digest`). `accounts` counts for each of several tables its
    rows by what became of them, which is for the holder and not in the manifest; so are the fields
    that are `lost`. `signed_by` is the number of the key that signed the manifest."""

    folder: Path | None
    table: Path | str
    outcome: Outcome
    verdicts: tuple[Verdict, ...]
    rows: int
    rows_suppressed: int
    policy: Policy = field(repr=False)
    proposed_file: Path | None = None
    tables: Mapping[str, Path | str] = field(default_factory=dict)
    accounts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    manifest: dict[str, Any] = field(repr=False, default_factory=dict)
    digest: str = ""
    lost: tuple[str, ...] = ()
    signed_by: str = ""
    surveyed: Mapping[str, str] = field(default_factory=dict)
    reviews: tuple[str, ...] = ()
    frames: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    contents: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def frame(self) -> Any:
        """The released table as a frame, or a mapping of frames where there are several."""
        found = self.frames or self._frames_of_folder()
        return found[ONE_TABLE] if tuple(found) == (ONE_TABLE,) else dict(found)

    def save(self, to: str | Path, *, replace: bool = False) -> Path:
        """Write the whole release into the new folder `to`: tables, manifest, report and policy."""
        with aside(Path(to), replace=replace) as folder:
            _write(self._files(), folder)
        return Path(to)

    def report(self, to: str | Path) -> Path:
        """Write the report, which is for the holder: only its owner may read the file."""
        path = Path(to)
        write_whole(path, self._files()[REPORT].decode("utf-8"))
        path.chmod(OWNER_ONLY)
        return path

    @contextmanager
    def on_disk(self) -> Iterator[Path]:
        """The folder of the release; of one in memory a private folder that is gone at the end."""
        if self.folder is not None:
            yield self.folder
            return
        with temporary_folder() as folder:
            _write(self.contents, folder)
            yield folder

    def _files(self) -> Mapping[str, bytes]:
        """Every file by its name, as it was when it was counted."""
        if self.folder is None:
            return self.contents
        self._check_unchanged()
        found = (path for path in sorted(self.folder.rglob("*")) if path.is_file())
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in found}

    def _frames_of_folder(self) -> dict[str, Any]:
        """The tables of a folder, read when they are first asked for."""
        if self.folder is None or "schema" in next(iter(self.manifest["tables"].values())):
            raise Mistake(
                "The frame of this release was asked for.",
                found="Its tables are in a database.",
                attempt="reading them there.",
            )
        files = self._files()
        with temporary_folder() as folder:
            _write(files, folder)
            return {
                name: read_released_frame(folder / said["file"], None)
                for name, said in self.manifest["tables"].items()
            }

    def _check_unchanged(self) -> None:
        assert self.folder is not None
        if not (self.folder / MANIFEST).is_file() or manifest_digest(self.folder) != self.digest:
            raise ReleaseBroken(
                f"{self.folder} is not the release that was made.",
                found="Its manifest is missing or was changed.",
                attempt=f"sfumato verify {self.folder}.",
            )

    def __len__(self) -> int:
        """The released rows."""
        return self.rows

    def __bool__(self) -> bool:
        """A release is true, however many rows it has."""
        return True

    def __getattr__(self, name: str) -> NoReturn:
        hint = f": {_HINTS[name]}" if name in _HINTS else ""
        near = "" if hint or name.startswith("_") else did_you_mean(name, _public_names())
        text = f"A release has no {name!r}{hint}. {near}".rstrip()
        raise AttributeError(text, name=name, obj=self)

    def __repr__(self) -> str:
        from .release_markup import summarise_release

        return summarise_release(self)

    def _repr_html_(self) -> str:
        from .release_markup import release_markup

        return release_markup(self)


def _public_names() -> tuple[str, ...]:
    own = (*(each.name for each in fields(Release)), *vars(Release))
    return tuple(name for name in own if not name.startswith("_"))


def _write(contents: Mapping[str, bytes], folder: Path) -> None:
    """Files of a release; the report is the holder's alone."""
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=OWNER_ONLY if name == REPORT else 0o666)
        path.write_bytes(content)


@contextmanager
def private_folder() -> Iterator[Path]:
    """A folder that only its owner may enter. It is removed at the end of the block, or with the
    interpreter where the block never ends."""
    with temporary_folder() as folder:
        remove = partial(shutil.rmtree, folder, ignore_errors=True)
        atexit.register(remove)
        try:
            yield folder
        finally:
            atexit.unregister(remove)


def make_private(folder: Path) -> None:
    """Only their owner may read the files of a folder."""
    for path in folder.rglob("*"):
        if path.is_file():
            path.chmod(OWNER_ONLY)


def in_memory(made: Release) -> Release:
    """A release whose folder is about to be removed, with the content of its files."""
    contents = made._files()
    return replace(
        made,
        folder=None,
        table=Path(made.table).name,
        tables={name: Path(place).name for name, place in made.tables.items()},
        contents=contents,
    )
