"""The verb: scrub letters, notes and other files into a new folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.releases.identifiers import Key
from sfumato.text import Purpose
from sfumato.text.detectors import Detectors
from sfumato.text.formats import FileReading
from sfumato.text.surrogates import Style

from .corpus import looking_for, one_of
from .request import FILE, Names, Progress, ScrubRequest
from .scrub_run import DecideAll, scrub_files
from .text_scrub import scrub_texts

if TYPE_CHECKING:
    from .table_knowledge import Beside
import csv

from sfumato.errors import Mistake, SourceError
from sfumato.text import ReferenceKind


def scrub(
    paths: str | Path | Iterable[str | Path] = (),
    *,
    texts: Iterable[str | None] | str | None = None,
    people: Sequence[object] = (),
    to: str | Path | None = None,
    key: Key | None = None,
    purpose: Purpose | str = Purpose.SINGLING_OUT,
    style: Style | None = None,
    thresholds: Mapping[str, float] | None = None,
    detectors: Detectors | str | None = None,
    patterns: Mapping[str, str] | None = None,
    words: Mapping[str, str | Path] | None = None,
    templates: Mapping[str, str | Path] | None = None,
    columns: Sequence[str] = (),
    person_column: str = "",
    person_from: str = FILE,
    encoding: str = "",
    known: str | Path | None = None,
    policy: str | Path | None = None,
    names: Names | str = Names.NUMBERED,
    mapping: str | Path | None = None,
    skip_unknown: bool = False,
    replace: bool = False,
    jobs: int = 1,
    reviews: bool = False,
    decide: DecideAll | None = None,
    checked: Callable[[], Mapping[str, Any]] | None = None,
    progress: Progress = lambda stage, done, total: None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Any:
    """Scrub files, and all files in folders, into the new folder `to`, with a manifest; or `texts`.

    Of `texts`, such as a column of a frame, new texts are returned in their order, and nothing
    stays on disk. `people` identifies the person of each text, where several are one person's.

    The documents of one person share surrogates and move their dates together. `person_from`
    identifies the person of a file ("folder", "file", or a regular expression with a group, over
    its path). `person_column` identifies the person of a row of a table. `known` is a CSV file of
    what a register knows of them. With the `policy` of linked tables dates move as they do there,
    and `known` is then the tables' source. Names and numbers get the replacements of the tables'
    release. With a `key` the same source gives the same files again, and the surrogates of a later
    run agree with these. Without one, a key is made for this run and forgotten.

    `detectors` names the set of detectors; where none is named, the transformer reads too if its
    extra is installed. `patterns` are regular expressions of your own and `words` files with one entry for each line,
    by name. A kind may follow a name, as in "study:record number"; else it is "other". Their
    findings are masked whatever the purpose. `templates` are files with lines of your own forms and
    slots in them, as in "Patient: {name}, MRN {record number}".

    The written files are read back and searched: where a masked original is still there, everything
    is removed and CandidateFailed raised. `decide` is a person's review, and `checked` the
    manifest's record of it. `mapping` is a file for the way back (`reverse_files`), in clear. With
    `jobs` other than 1, processes are started: call it then from below ``if __name__ ==
    "__main__"``."""
    _check_asked(paths, texts, people, to=to)
    register = Path(known) if known is not None else None
    beside = _beside(Path(policy), register, key=key) if policy is not None else None
    read = read_known(register) if register is not None and beside is None else {}
    asked = ScrubRequest(
        paths=tuple(map(Path, [paths] if isinstance(paths, str | Path) else paths)),
        target=Path(to or ""),
        looking=looking_for(
            purpose=purpose,
            thresholds=thresholds,
            detectors=detectors,
            patterns=patterns,
            words=words,
            templates=templates,
        ),
        style=style or Style(),
        reading=FileReading(columns=tuple(columns), person=person_column, encoding=encoding),
        person_from=person_from,
        known=read if beside is None else beside.cues,
        given={} if beside is None else beside.given,
        names=one_of(Names, names, "way to name files"),
        skip_unknown=skip_unknown,
        replace=replace,
        jobs=jobs,
        reviews=reviews,
    )
    run = partial(
        scrub_files,
        key=key,
        beside=beside,
        mapping=Path(mapping) if mapping is not None else None,
        decide=decide,
        checked=checked,
        progress=progress,
        clock=clock,
    )
    return run(asked) if texts is None else scrub_texts(asked, texts, people, run=run)


def _check_asked(
    paths: object, texts: object, people: Sequence[object], *, to: str | Path | None
) -> None:
    """Files are written to a folder, texts are returned."""
    if texts is None and to is None:
        is_words = isinstance(paths, str) and " " in paths and not Path(paths).exists()
        raise Mistake(
            "Scrubbing of files was asked for, without a folder to write to.",
            found="A text was given in place of a path." if is_words else "",
            attempt="texts=[…] for texts." if is_words else 'to="folder", or texts=[…] for texts.',
        )
    if texts is None and len(people):
        raise Mistake(
            "people was given, together with files.",
            attempt="person_from, which names the person of a file.",
        )
    if texts is not None and (to is not None or paths):
        raise Mistake(
            f"Texts were to be scrubbed, with {'to' if to is not None else 'files'}.",
            found="Texts are returned, and nothing is written.",
            attempt="one of texts and files.",
        )


def _beside(policy: Path, source: Path | None, *, key: Key | None) -> Beside:
    from .table_knowledge import beside_tables  # It opens tables, which letters alone do not need.

    return beside_tables(policy, source, key=key)


# What a register knows of people: a CSV file whose columns say whom a row is about and what
# stands in the others.

PERSON = "person"
FIRST, LAST = "first name", "last name"
_NAMES = {FIRST: ReferenceKind.NAME, LAST: ReferenceKind.NAME}


def read_known(path: Path) -> dict[str, dict[str, tuple[str, ...]]]:
    """By person and kind, what is known of them. Columns are `person` and kinds; also "first name"
    and "last name"."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _read(csv.DictReader(file, strict=True, restkey="", restval=""), path)
    except OSError as error:
        raise SourceError(f"{path} cannot be read.", found=f"{error.strerror}.") from None
    except (csv.Error, UnicodeDecodeError):  # Their messages may quote the file.
        raise SourceError(f"{path} is no CSV file in UTF-8.") from None


def _read(rows: csv.DictReader[str], path: Path) -> dict[str, dict[str, tuple[str, ...]]]:
    columns = {name: _kind(name) for name in rows.fieldnames or () if name != PERSON}
    strange = [name for name, kind in columns.items() if kind is None]
    if PERSON not in (rows.fieldnames or ()) or strange:
        raise SourceError(
            f"The columns of {path} do not name its people and references.",
            found=f"{len(strange):,} of {len(columns):,} columns are no kind of reference, or "
            f"'{PERSON}' is missing.",
            attempt=f"columns named {PERSON}, {FIRST}, {LAST}, or one of: "
            f"{', '.join(ReferenceKind)}.",
        )
    out: dict[str, dict[str, dict[str, None]]] = {}
    for row in rows:
        person = (row[PERSON] or "").strip()
        if not person:
            continue
        known = out.setdefault(person, {})
        for kind, text in _told(row, columns):
            known.setdefault(str(kind), {})[text] = None
    return {
        person: {kind: tuple(texts) for kind, texts in known.items()}
        for person, known in out.items()
    }


def _told(
    row: Mapping[str, str], columns: Mapping[str, ReferenceKind | None]
) -> list[tuple[ReferenceKind, str]]:
    told = [
        (kind, text)
        for name, kind in columns.items()
        if kind and (text := (row[name] or "").strip())
    ]
    parts = {_plain(name): (row[name] or "").strip() for name in columns}
    whole = " ".join(filter(None, (parts.get(FIRST, ""), parts.get(LAST, ""))))
    return [(ReferenceKind.NAME, whole), *told] if " " in whole else told


def _kind(name: str) -> ReferenceKind | None:
    plain = _plain(name)
    return _NAMES.get(plain) or next((kind for kind in ReferenceKind if str(kind) == plain), None)


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", " ")
