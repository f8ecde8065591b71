"""The result of scrubbing files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.text import DE_IDENTIFIED, Document, ScrubbedDocument, Unusualness

from .replace_pass import CheckedDocument
from .unusual_texts import Unusual


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrubbedFiles:
    """Scrubbed files in a folder. `sources` and `checked` are the holder's and are never
    released."""

    folder: Path
    outcome: str
    manifest: Mapping[str, Any] = field(repr=False)
    unusual: tuple[Unusual, ...]
    left_out: Mapping[str, tuple[str, ...]]
    """The parts of each file that were removed, by its written name."""
    notes: Mapping[str, tuple[str, ...]]
    skipped: tuple[Path, ...]
    no_way_back: tuple[str, ...] = ()
    """Files that a mapping was asked for and that it cannot put back: they read otherwise than they
    were written."""
    sources: Mapping[str, Path] = field(repr=False)
    checked: tuple[CheckedDocument, ...] = field(default=(), repr=False)

    @property
    def files(self) -> int:
        return len(self.sources)

    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """Findings by kind and by treatment."""
        return dict(self.manifest["scrubbed"]["findings"])

    @property
    def words(self) -> str:
        """The statement that must accompany the files."""
        if not self.unusual:
            return DE_IDENTIFIED
        noun = "text is" if len(self.unusual) == 1 else "texts are"
        return (
            f"{DE_IDENTIFIED} {len(self.unusual):,} {noun} unusual here and should be read "
            "before release."
        )

    @property
    def purpose(self) -> str:
        return str(self.manifest["scrubbed"]["purpose"])

    def for_review(self) -> tuple[list[Document], list[ScrubbedDocument]]:
        """The documents with their treatment, for the person who checks; present where `reviews`
        was asked for."""
        score = {(each.file, each.where): each.score for each in self.unusual}
        return [Document(each.text, name=each.name, person=each.person) for each in self.checked], [
            ScrubbedDocument(
                name=each.name,
                replaced=each.replaced,
                findings=tuple(of.finding for of in each.decided if of.masks),
                decisions=each.decided,
                unusualness=Unusualness(
                    score=score.get((each.file, each.where)),
                    stands_out=(each.file, each.where) in score,
                ),
            )
            for each in self.checked
        ]
