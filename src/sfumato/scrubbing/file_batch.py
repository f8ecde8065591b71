"""A batch of files, opened: every part is a document, and those of one scope are read and replaced
together."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from sfumato.errors import SourceChanged
from sfumato.text import Document, ReferenceKind, scope_of
from sfumato.text.formats import OpenedFile

from .file_inspection import InspectedFile, documents, opened
from .request import ScrubRequest

Place = tuple[int, int]
"""Which file of the batch, and which part of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Files that share people, and their documents."""

    seen: tuple[InspectedFile, ...]
    files: tuple[OpenedFile, ...] = field(repr=False)
    documents: tuple[tuple[Document, ...], ...] = field(repr=False)

    def scopes(self) -> dict[str, list[Place]]:
        """Which documents go together, in the order of the files."""
        out: dict[str, list[Place]] = {}
        for file, texts in enumerate(self.documents):
            for part, document in enumerate(texts):
                out.setdefault(scope_of(document), []).append((file, part))
        return out

    def at(self, places: Sequence[Place]) -> list[Document]:
        return [self.documents[file][part] for file, part in places]

    def certain(self, places: Sequence[Place]) -> dict[int, ReferenceKind]:
        """The documents that are one reference as a whole, with its kind."""
        kinds = (self.files[file].parts[part].kind for file, part in places)
        return {number: kind for number, kind in enumerate(kinds) if kind is not None}


def open_batch(asked: ScrubRequest, seen: tuple[InspectedFile, ...]) -> Batch:
    """Open the files again; one that changed since it was first looked at is refused."""
    files = []
    for each in seen:
        _, content, file = opened(each.source.path, asked.reading)
        if hashlib.sha256(content).digest() != each.digest:
            raise SourceChanged(found=f"{each.source.path} changed after it was first read.")
        files.append(file)
    texts = tuple(
        tuple(documents(each.source, file.parts, known=asked.known))
        for each, file in zip(seen, files, strict=True)
    )
    return Batch(seen=seen, files=tuple(files), documents=texts)
