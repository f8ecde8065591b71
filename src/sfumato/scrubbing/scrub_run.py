"""Scrubbing files into a new folder, from the first look to the last.

Every file is opened three times: to see whether it can be read and whose texts are in it, to find,
and to replace. Only one batch of files that share people is held at a time, besides the findings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace as dataclass_replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sfumato.errors import CandidateFailed, SourceError, TargetError
from sfumato.releases import MANIFEST, aside, check_target, text_secret, write_manifest
from sfumato.releases.identifiers import Key
from sfumato.runs import claim, interruptible, processes, worked
from sfumato.text import (
    Decision,
    Document,
    ReferenceKind,
    RepeatValues,
    ReversalEntry,
    write_mapping,
)
from sfumato.text.surrogates import KeyedDraws, RealValues

from .file_batch import open_batch
from .file_inspection import InspectedFile, Unseen, batches, see
from .find_pass import BatchFindings, GivenDecisions, look
from .input_files import MOST_TOLD, gather, refused
from .replace_pass import CollectionFacts, ToWrite, Wrote, write
from .request import FILE, FOLDER, Progress, ScrubRequest, Stage, pattern
from .result import ScrubbedFiles
from .reversal import ways_by_name
from .scrub_manifest import describe
from .unusual_texts import Unusual, unusual_in

if TYPE_CHECKING:
    from .table_knowledge import Beside
from pathlib import PurePosixPath

from .request import Names

MUCH = 50_000_000
"""The first look is cheap: from so many bytes on it is spread over processes."""
Made = TypeVar("Made")
DecideAll = Callable[[Sequence[Document]], Sequence[Sequence[Decision]]]
"""Decisions of a person about all documents of a collection: the content of a review."""


def scrub_files(
    asked: ScrubRequest,
    *,
    key: Key | None = None,
    beside: Beside | None = None,
    mapping: Path | None = None,
    decide: DecideAll | None = None,
    checked: Callable[[], Mapping[str, Any]] | None = None,
    progress: Progress = lambda stage, done, total: None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> ScrubbedFiles:
    """Scrub what was asked; nothing is left of it where anything fails."""
    _check(asked, mapping)
    with interruptible(), claim(asked.target):
        asked = dataclass_replace(asked, maps=mapping is not None)
        secret = text_secret(key or Key.generate())
        seen, skipped = _see(asked, progress)
        people = {person for each in seen for person in each.people}
        days = beside.days(key, people) if beside is not None and key is not None else {}
        jobs = processes(asked.jobs, sum(each.characters for each in seen))
        together = batches(seen)
        pieces: list[Any] = list(together) if decide is None else _given(asked, together, decide)
        looked = list(
            _counted(
                worked(look, pieces, ready=_told, told=(asked,), jobs=jobs),
                together,
                Stage.FINDING,
                progress,
            )
        )
        names = written_names(
            together, names=asked.names, drawing=KeyedDraws(secret).derive("names of files")
        )
        with ExitStack() as stack, aside(asked.target, replace=asked.replace) as folder:
            settled = _settled(
                asked, folder, secret, looked, days=days, by_person=decide is not None
            )
            to_write = _to_write(together, looked, names, by_person=decide is not None)
            made = worked(write, to_write, ready=_told, told=(settled,), jobs=jobs)
            wrote = [
                each
                for batch in _counted(made, together, Stage.WRITING, progress)
                for each in batch
            ]
            wrote.sort(key=lambda each: each.name)
            _judge(wrote)
            unusual = unusual_in(wrote)
            facts = describe(
                asked,
                wrote,
                unusual=unusual,
                skipped=len(skipped),
                kept_key=key is not None,
                created=clock().isoformat(timespec="seconds"),
                checked=checked()
                if decide is not None and checked is not None
                else decide is not None,
                beside=beside,
            ).as_dict()
            write_manifest(facts, folder / MANIFEST)
            if mapping is not None:
                stack.enter_context(_gone_if_it_fails(mapping))
                _write_mapping(mapping, wrote)
        return _done(asked, wrote, facts, unusual=unusual, skipped=skipped)


def _told(told: Any) -> Any:
    """The settings of a process, which it hands to every piece of work."""
    return told


def _check(asked: ScrubRequest, mapping: Path | None) -> None:
    """The refusals before any file is opened."""
    check_target(asked.target, replace=asked.replace)
    asked.looking.chosen()  # A missing extra is told here, not by a process.
    if asked.person_from not in (FILE, FOLDER):
        pattern(asked.person_from)
    if mapping is None:
        return
    if mapping.exists():
        raise TargetError(
            f"{mapping} exists already.", attempt="another name; originals in it would be lost."
        )
    if asked.target.resolve() in mapping.resolve().parents:
        raise TargetError(
            f"{mapping} would be among the scrubbed files.",
            found="It holds every original in clear.",
            attempt="a place that only the holder of the data can read.",
        )


def _see(asked: ScrubRequest, progress: Progress) -> tuple[list[InspectedFile], tuple[Path, ...]]:
    """Every file that will be scrubbed, and those of unknown format; refused where one cannot be
    read."""
    sources = gather(asked)
    size = sum(source.path.stat().st_size for source in sources)
    seen: list[InspectedFile] = []
    problems: list[Unseen] = []
    jobs = processes(asked.jobs, size) if size > MUCH else 1
    for number, each in enumerate(
        worked(see, sources, ready=_told, told=(asked,), jobs=jobs), start=1
    ):
        (problems if isinstance(each, Unseen) else seen).append(each)  # type: ignore[arg-type]
        progress(Stage.READING, number, len(sources))
    skipped = tuple(each.source.path for each in problems if each.is_unknown and asked.skip_unknown)
    refusals = [each for each in problems if not (each.is_unknown and asked.skip_unknown)]
    if refusals:
        attempt = "correcting these; nothing was written."
        if any(each.is_unknown for each in refusals):
            attempt = (
                "correcting these, or --skip-unknown to leave files of unknown formats out; "
                "nothing was written."
            )
        raise refused([f"{each.source.path}: {each.problem}" for each in refusals], attempt=attempt)
    if not seen:
        raise SourceError(
            "There is nothing to scrub.",
            found=f"All {len(skipped):,} files are of unknown formats.",
        )
    return seen, skipped


def readable_files(asked: ScrubRequest) -> list[InspectedFile]:
    """The files that were named, each looked at; refused where one cannot be read."""
    return _see(asked, lambda stage, done, total: None)[0]


def _given(
    asked: ScrubRequest, together: Sequence[tuple[InspectedFile, ...]], decide: DecideAll
) -> list[GivenDecisions]:
    """A person's decisions about every document, by batch and file. All texts are held at once for
    it."""
    opened = [open_batch(asked, batch) for batch in together]
    decided = iter(
        decide([document for batch in opened for file in batch.documents for document in file])
    )
    return [
        GivenDecisions(
            seen=batch.seen,
            decided=tuple(tuple(tuple(next(decided)) for _ in file) for file in batch.documents),
        )
        for batch in opened
    ]


def _counted(
    made: Iterable[Made],
    together: Sequence[Sequence[InspectedFile]],
    stage: Stage,
    progress: Progress,
) -> Iterator[Made]:
    total, done = sum(map(len, together)), 0
    for each, batch in zip(made, together, strict=True):
        done += len(batch)
        progress(stage, done, total)
        yield each


def _settled(
    asked: ScrubRequest,
    folder: Path,
    secret: bytes,
    looked: Sequence[BatchFindings],
    *,
    days: Mapping[str, int],
    by_person: bool,
) -> CollectionFacts:
    words: Counter[str] = Counter()
    real = RealValues()
    for each in looked:
        words.update(each.words)
        real.add(each.values)
    real.add(_register(asked))
    everywhere = (
        () if by_person else sorted({value for each in looked for value in each.everywhere})
    )
    return CollectionFacts(
        asked=asked,
        folder=folder,
        secret=secret,
        days=days,
        real=real,
        everywhere=RepeatValues(everywhere),
        words=words,
        texts=sum(each.texts for each in looked),
    )


def _register(asked: ScrubRequest) -> Iterator[tuple[ReferenceKind, str]]:
    """Names and numbers that a register has, of whomever: no surrogate may be one of them."""
    kinds = {str(kind): kind for kind in ReferenceKind if kind.is_direct}
    for cues in asked.known.values():
        for kind in cues.keys() & kinds.keys():
            yield from ((kinds[kind], value) for value in cues[kind])


def _to_write(
    together: Sequence[tuple[InspectedFile, ...]],
    looked: Sequence[BatchFindings],
    names: Mapping[str, str],
    *,
    by_person: bool,
) -> Iterator[ToWrite]:
    for batch, found in zip(together, looked, strict=True):
        called = tuple(names[each.source.place] for each in batch)
        yield ToWrite(
            seen=batch,
            decided=found.decided,
            names=called,
            by_person=by_person,
            languages=found.languages,
        )


def _judge(wrote: Sequence[Wrote]) -> None:
    broken = [each for each in wrote if each.standing]
    if broken:
        raise CandidateFailed(
            f"Masked values are still in {len(broken):,} of {len(wrote):,} written files.",
            found=f"{sum(each.standing for each in broken):,} places, in texts, names of files, "
            "keys or columns that "
            f"were not scrubbed, of {_named(broken)}. Everything was removed; nothing was "
            "released.",
            attempt="leaving --columns out, or numbered names of files.",
        )


def _named(broken: Sequence[Wrote]) -> str:
    paths = [str(each.seen.source.path) for each in broken]
    more = f" and {len(paths) - MOST_TOLD:,} more" if len(paths) > MOST_TOLD else ""
    return ", ".join(paths[:MOST_TOLD]) + more


@contextmanager
def _gone_if_it_fails(mapping: Path) -> Iterator[None]:
    """The mapping is removed where the folder does not get its name after all."""
    was_there = mapping.exists()
    try:
        yield
    except BaseException:
        if not was_there:
            mapping.unlink(missing_ok=True)
        raise


def _write_mapping(mapping: Path, wrote: Sequence[Wrote]) -> None:
    ways: dict[str, ReversalEntry] = {}
    for each in wrote:
        ways |= ways_by_name(each.name, each.ways, reads_back=each.reads_back)
    write_mapping(mapping, ways, sources={each.name: each.seen.source.place for each in wrote})


def _done(
    asked: ScrubRequest,
    wrote: Sequence[Wrote],
    facts: Mapping[str, Any],
    *,
    unusual: tuple[Unusual, ...],
    skipped: tuple[Path, ...],
) -> ScrubbedFiles:
    return ScrubbedFiles(
        folder=asked.target,
        outcome=str(facts["outcome"]),
        manifest=facts,
        unusual=unusual,
        left_out={each.name: each.seen.left_out for each in wrote if each.seen.left_out},
        notes={each.name: each.seen.notes for each in wrote if each.seen.notes},
        skipped=skipped,
        no_way_back=tuple(each.name for each in wrote if asked.maps and not each.reads_back),
        sources={each.name: each.seen.source.path for each in wrote},
        checked=tuple(checked for each in wrote for checked in each.checked),
    )


# What the written files are called. Names of files name people ("Smith_John.docx"), so numbers
# take their place.

FEWEST_DIGITS = 4


def written_names(
    batches: Sequence[Sequence[InspectedFile]], *, names: Names, drawing: KeyedDraws
) -> dict[str, str]:
    """The path of each file below the target, by its place.

    Numbers follow an order that depends on the key: the order of the alphabet would disclose names.
    Files of one person are in one folder, and so are those of several people where a file has texts
    of both."""
    if names is Names.KEPT:
        return {
            each.source.place: each.source.place + each.suffix
            for batch in batches
            for each in batch
        }
    by_name = {batch[0].source.place: batch for batch in batches}
    width = max(FEWEST_DIGITS, len(str(max(len(by_name), *(len(batch) for batch in batches)))))
    out: dict[str, str] = {}
    for number, first in enumerate(drawing.ordered(list(by_name), "folders"), start=1):
        batch = {each.source.place: each for each in by_name[first]}
        for place_number, place in enumerate(drawing.ordered(list(batch), "files"), start=1):
            ending = _ending(batch[place])
            if len(batch) == 1:
                out[place] = f"document-{number:0{width}}{ending}"
            else:
                out[place] = f"person-{number:0{width}}/document-{place_number:0{width}}{ending}"
    return out


def _ending(seen: InspectedFile) -> str:
    """The ending by which the format is known, in small letters, and what the format adds to it."""
    return (PurePosixPath(seen.source.place).suffix + seen.suffix).lower()
