"""Scrubbing texts that Python holds: the same run as for files, in a private folder that is gone
afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.errors import Mistake
from sfumato.files import OWNER_ONLY
from sfumato.runs import temporary_folder
from sfumato.text import DE_IDENTIFIED
from sfumato.text.formats import FileReading
from sfumato.wording import counted

from .request import ScrubRequest
from .result import ScrubbedFiles

TEXT, PERSON = "text", "person"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ScrubbedTexts:
    """Texts after scrubbing, in the given order; None where none was given.

    `unusual` are the places of texts that are unusual among these, and should be read first.
    `languages` counts the passages in each language: the detectors read English, and texts in
    others end in *review*.
    """

    texts: list[str | None]
    outcome: str
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    unusual: tuple[int, ...] = ()
    languages: Mapping[str, int] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The statement that must accompany the texts."""
        return DE_IDENTIFIED

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[str | None]:
        return iter(self.texts)

    def __getitem__(self, place: int) -> str | None:
        return self.texts[place]

    def __repr__(self) -> str:
        found = sum(sum(each.values()) for each in self.counts.values())
        texts, places = counted(len(self.texts), "text"), counted(found, "reference")
        return f"<ScrubbedTexts: {texts}, {places} found; {self.outcome}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{kind}</td><td>{sum(each.values()):,}</td></tr>"
            for kind, each in self.counts.items()
        )
        return (
            f"<div><p><b>{self.outcome}</b>: {counted(len(self.texts), 'text')}. {DE_IDENTIFIED}"
            f"</p><table><thead><tr><th>reference</th><th>found</th></tr></thead>"
            f"<tbody>{rows}</tbody></table></div>"
        )


def scrub_texts(
    asked: ScrubRequest,
    texts: Iterable[str | None] | str,
    people: Sequence[object],
    *,
    run: Callable[[ScrubRequest], ScrubbedFiles],
) -> ScrubbedTexts:
    """Scrub texts; those of one of `people` share surrogates and move their dates together."""
    given = _checked(texts, people)
    there = [place for place, text in enumerate(given) if text is not None and text.strip()]
    if not there:
        return ScrubbedTexts(texts=given, outcome="review")
    owners = [str(people[place]) if len(people) else f"text {place}" for place in there]
    marks = {owner: f"p{number:08}" for number, owner in enumerate(dict.fromkeys(owners), start=1)}
    lines = [
        json.dumps({PERSON: marks[owner], TEXT: given[place]})
        for owner, place in zip(owners, there, strict=True)
    ]
    with _written(lines) as file:
        made = run(
            replace(
                asked,
                paths=(file,),
                target=file.parent / "scrubbed",
                reading=FileReading(columns=(TEXT,), person=PERSON, encoding="utf-8"),
                known=_by_mark(asked.known, marks),
                given=_by_mark(asked.given, marks),
            )
        )
        (name,) = made.sources
        content = (made.folder / name).read_text(encoding="utf-8")
    out = list(given)
    for place, line in zip(there, content.splitlines(), strict=True):
        out[place] = json.loads(line)[TEXT]
    return ScrubbedTexts(
        texts=out,
        outcome=made.outcome,
        counts=made.counts,
        languages=dict(made.manifest["scrubbed"]["languages"]),
    )


def _by_mark(known: Mapping[str, Any], marks: Mapping[str, str]) -> dict[str, Any]:
    """The known values of people, by their marks in the file."""
    return {marks[person]: each for person, each in known.items() if person in marks}


def _checked(texts: Iterable[str | None] | str, people: Sequence[object]) -> list[str | None]:
    given = [texts] if isinstance(texts, str) else list(texts)
    out = [None if _is_missing(each) else each for each in given]
    strange = sum(each is not None and not isinstance(each, str) for each in out)
    if strange:
        raise Mistake(
            f"{counted(len(out), 'text was', 'texts were')} to be scrubbed.",
            found=f"{counted(strange, 'of them is no text', 'of them are no texts')}.",
            attempt="str for each, None where there is none.",
        )
    if len(people) not in (0, len(out)):
        raise Mistake(
            f"{counted(len(out), 'text was', 'texts were')} to be scrubbed.",
            found=f"people names the person of {len(people):,} of them.",
            attempt="one entry of people for each text.",
        )
    return out


def _is_missing(value: object) -> bool:
    """None, and what libraries of frames have in its place."""
    return value is None or value != value or type(value).__name__ in ("NAType", "NaTType")


@contextmanager
def _written(lines: Sequence[str]) -> Iterator[Path]:
    with temporary_folder() as folder:
        file = folder / "texts.jsonl"
        file.touch(mode=OWNER_ONLY)
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        yield file
