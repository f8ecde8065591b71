"""A small made-up collection with the letter of Sweeney 2000, Fig. 21, scrubbed once for all tests
of the room."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sfumato.scrubbing.review import apply_review, write_review
from sfumato.text.documents import Document
from sfumato.text.scrubber import ScrubbedCollection, scrub

SECRET = bytes(range(7, 39))
LETTER = """Wednesday, February 2, 1994

Marjorie Long, M.D. RE: Virginia Townsend
St. John's Hospital CH#32-841-09787
Huntington 18 DOB 05/26/86
Boston, MA 02151

Dear Dr. Lang:

I feel much better after seeing Virginia this time. As you know, Dot is a 7 and 6/12 year old female in follow up for \
insulin dependent diabetes mellitus diagnosed in June of 1993 by Dr. Frank at Brigham's. She is currently on Lily \
Human Insulin and is growing and gaining weight normally. She will start competing again with the U. S. Junior \
Gymnastics team. We will contact Mrs. Hodgkins in a week at Marina Corp 473-1214 to schedule a follow-up visit for \
her daughter.

Patrick Hayes, M.D. 34764
"""
NOTE = (
    "Virginia came with her aunt Zelquine Orvath. Orvath is fine; call 617-473-1214.\nSeen "
    "with Zelquine Orvath."
)
OTHER = "Mr. Cole was seen on 3 May 2001 by Dr. Weiss. Orvath is the name of a street here."


@dataclass
class Room:
    """The collection, its review on disk, and ways to correct and apply it."""

    documents: list[Document]
    done: ScrubbedCollection
    folder: Path

    @property
    def file(self) -> Path:
        return self.folder / "review.json"

    def read(self) -> Any:
        return json.loads(self.file.read_text(encoding="utf-8"))

    def correct(self, change: Callable[[Any], None], name: str = "corrected.json") -> Path:
        content = self.read()
        change(content)
        path = self.folder.parent / name
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    def applied(self, *paths: Path) -> list[str]:
        """The texts that come out once the review is applied."""
        decisions = apply_review(paths or [self.file], self.documents).decisions
        return [
            each.text
            for each in scrub(self.documents, secret=SECRET, decisions=decisions).documents
        ]


@pytest.fixture(scope="session")
def collection() -> tuple[list[Document], ScrubbedCollection]:
    documents = [
        Document(LETTER, name="letter.txt", person="7"),
        Document(NOTE, name="note.txt", person="7"),
        Document(OTHER, name="other.txt", person="8"),
        Document("", name="empty.txt"),
        Document("See above.", name="cells.csv"),
        Document("See above.", name="cells.csv"),
    ]
    return documents, scrub(documents, secret=SECRET)


@pytest.fixture
def room(collection: tuple[list[Document], ScrubbedCollection], tmp_path: Path) -> Room:
    documents, done = collection
    folder = tmp_path / "review"
    write_review(folder, documents, done.documents, purpose="singling out")
    return Room(documents, done, folder)


def finding(content: Any, text: str, document: int = 0) -> dict[str, Any]:
    """The first finding of these words in a document of a review."""
    return next(each for each in content["documents"][document]["findings"] if each["text"] == text)
