"""A text file as a patchwork: patches of source, some of which are a span of a part's text; the
rest stays as it is.

Text that was not replaced is written back as it was in the source, entities, escapes and all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..kinds import ReferenceKind
from ..replacement import ReplacedDocument
from .encodings import DecodedText
from .part_assembly import Weave, checked, rewoven
from .parts import FilePart

Encoder = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Patch:
    """A piece of source; with a `part`, the source of its `span`, and `encode` writes a new text
    there."""

    source: str = field(repr=False)
    part: int = -1
    span: int = -1
    encode: Encoder | None = field(default=None, repr=False)
    is_mark: bool = False


@dataclass(slots=True)
class Quilt:
    """Patches while they are gathered: the places of the parts, their texts, and the notes about
    them."""

    patches: list[Patch] = field(default_factory=list, repr=False)
    _weaves: list[Weave] = field(default_factory=list, repr=False)
    _about: list[tuple[str, ReferenceKind | None]] = field(default_factory=list)

    def part(self, place: str, *, kind: ReferenceKind | None = None) -> int:
        """Begin a part; which it is."""
        self._weaves.append(Weave())
        self._about.append((place, kind))
        return len(self._weaves) - 1

    def weave(self, part: int) -> Weave:
        return self._weaves[part]

    def keep(self, source: str) -> None:
        """Source that is in no text."""
        if source:
            self.patches.append(Patch(source))

    def mark(self, source: str) -> None:
        """A mark on both sides of a text, such as that of bold in Markdown."""
        self.patches.append(Patch(source, is_mark=True))

    def add(
        self, part: int, source: str, *, text: str | None = None, encode: Encoder | None = None
    ) -> None:
        """Source of a piece of a part's text, by default the piece itself."""
        if source:
            span = self._weaves[part].add(source if text is None else text)
            self.patches.append(Patch(source, part, span, encode))

    def whole(
        self,
        place: str,
        source: str,
        *,
        text: str,
        encode: Encoder,
        kind: ReferenceKind | None = None,
    ) -> None:
        """A part of its own with only this in it."""
        if text.strip():
            self.add(self.part(place, kind=kind), source, text=text, encode=encode)
        else:
            self.keep(source)

    def sewn(self, decoded: DecodedText, *, left_out: Sequence[str] = ()) -> Patchwork:
        """The opened file. Parts without a letter or digit are none: nothing can be found in
        them."""
        texts = [weave.text for weave in self._weaves]
        full = [number for number, text in enumerate(texts) if text.strip()]
        return Patchwork(
            patches=tuple(self.patches),
            weaves=tuple(self._weaves[number] for number in full),
            numbers={number: place for place, number in enumerate(full)},
            parts=tuple(
                FilePart(
                    place=self._about[number][0], text=texts[number], kind=self._about[number][1]
                )
                for number in full
            ),
            decoded=decoded,
            left_out=tuple(left_out),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Patchwork:
    """A text file that was read as patches."""

    patches: Sequence[Patch] = field(repr=False)
    weaves: Sequence[Weave] = field(repr=False)
    numbers: dict[int, int] = field(repr=False)
    parts: Sequence[FilePart]
    decoded: DecodedText
    left_out: Sequence[str] = ()

    @property
    def notes(self) -> Sequence[str]:
        return self.decoded.notes

    @property
    def suffix(self) -> str:
        return ""

    def text(self, replaced: Sequence[ReplacedDocument]) -> str:
        """The source with what was replaced in each part."""
        checked(len(self.parts), replaced)
        new = [
            rewoven(weave.spans, each) for weave, each in zip(self.weaves, replaced, strict=True)
        ]
        out: list[str] = []
        for patch in self.patches:
            number = self.numbers.get(patch.part, -1)
            text = new[number][patch.span] if number >= 0 else None
            if text is None:
                out.append(patch.source)
            else:
                out.append(patch.encode(text) if patch.encode else text)
        return "".join(self._without_idle_marks(out))

    def _without_idle_marks(self, pieces: list[str]) -> list[str]:
        """Marks between which nothing is left, because a name began before them, are taken away."""
        last = -1
        for place, patch in enumerate(self.patches):
            if patch.is_mark:
                if last >= 0 and place - last > 1 and pieces[place].startswith(pieces[last]):
                    pieces[place] = pieces[place][len(pieces[last]) :]
                    pieces[last] = ""
                last = place if pieces[place] else -1
            elif pieces[place]:
                last = -1
        return pieces

    def written(self, replaced: Sequence[ReplacedDocument]) -> bytes:
        return self.decoded.encoded(self.text(replaced))
