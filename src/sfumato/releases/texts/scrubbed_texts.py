"""Scrubbing the text fields of a release: two passes over everybody's texts, and lookups that
engines join.

Findings of the first pass are put aside with the texts; only then is it known which values are
real, and the second pass puts in surrogates that are none of them. Neither pass holds more than
some people's texts at a time. Their order and the number of processes change nothing."""

from __future__ import annotations

import sys
from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Lookup
from sfumato.runs import processes, worked

from .messages import Counted, Findings, Look, Person, PersonReplacements
from .person_texts import TextField
from .recount import ScrubbedDigests
from .spill_file import Spill

BATCH = 60_000
"""So many characters of text are one piece of work."""
ENTRIES = 5_000
"""So many entries of a lookup are handed to an engine at a time."""
Days = Callable[[Person], int]
Given = Callable[[Sequence[Person]], Sequence[Mapping[str, str]]]
_Batch = TypeVar("_Batch")
_Done = TypeVar("_Done")


@dataclass(frozen=True, eq=False, kw_only=True)
class ScrubbedField:
    """The result for one text field: the lookup, and the facts about it."""

    of: TextField
    look: Look
    lookup: Lookup
    texts: int
    counts: Counter[Counted]
    unusual: int
    passed: ScrubbedDigests = field(repr=False)


def scrub_fields(
    fields: Sequence[TextField],
    looks: tuple[Look, ...],
    everybody: Iterable[Person],
    *,
    secret: bytes,
    days: Days,
    given: Given,
    progress: Callable[[str], None],
    jobs: int = 0,
) -> tuple[ScrubbedField, ...]:
    """Scrub the texts of everybody. `given` has the tables' replacements of people's
    identifiers."""
    from sfumato.text.surrogates import RealValues

    from .find_pass import read_batch
    from .replace_pass import Collection, replace_batch

    people = Spill(_batches(everybody))
    count = processes(jobs, sum(person.characters for batch in people for person in batch))
    progress(f"reading the texts{_by(count)}")
    real, having, texts = RealValues(), dict[int, Counter[str]](), Counter[int]()
    found = Spill()
    for batch, findings in _worked(read_batch, people, ready=_looks, told=(looks,), jobs=count):
        _gather(batch, findings, real=real, having=having, texts=texts)
        found.put([(person, each.spans) for person, each in zip(batch, findings, strict=True)])
    people.close()
    collection = Collection(
        looks=looks,
        secret=secret,
        real=real,
        having={
            of: {word: n for word, n in words.items() if n > 1} for of, words in having.items()
        },
        texts=dict(texts),
    )
    progress(f"scrubbing the texts{_by(count)}")
    made = {of.number: _Making(of, looks[of.look]) for of in fields}
    moving = (_moving(batch, days=days, given=given) for batch in found)
    for batch, done in _worked(
        replace_batch, moving, ready=_collection, told=(collection,), jobs=count
    ):
        for each, new in zip(batch, done, strict=True):
            for old, text in zip(each.person.texts, new, strict=True):
                made[old.of].add(each.person.keys, old.text, text)
    found.close()
    return tuple(made[of.number].finished() for of in fields)


def _moving(
    batch: Sequence[tuple[Person, Any]], *, days: Days, given: Given
) -> list[PersonReplacements]:
    known = given([person for person, _ in batch])
    return [
        PersonReplacements(person=person, spans=spans, days=days(person), known=names)
        for (person, spans), names in zip(batch, known, strict=True)
    ]


def _looks(looks: tuple[Look, ...]) -> tuple[Look, ...]:
    return looks


def _collection(collection: Any) -> Any:
    return collection


def _by(count: int) -> str:
    return f" with {count} processes" if count > 1 else ""


def _batches(everybody: Iterable[Person]) -> Iterator[list[Person]]:
    batch: list[Person] = []
    size = 0
    for person in everybody:
        batch.append(person)
        size += person.characters
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _worked(
    work: Callable[[Any, _Batch], _Done],
    batches: Iterable[_Batch],
    *,
    ready: Callable[..., Any],
    told: Any,
    jobs: int,
) -> Iterator[tuple[_Batch, _Done]]:
    """Each batch with its result, in order."""
    waiting: deque[_Batch] = deque()

    def handed_out() -> Iterator[_Batch]:
        for batch in batches:
            waiting.append(batch)
            yield batch

    with _without_its_script():
        for done in worked(work, handed_out(), ready=ready, told=told, jobs=jobs):
            yield waiting.popleft(), done


@contextmanager
def _without_its_script() -> Iterator[None]:
    """Processes that start meanwhile do not run the caller's script again, as spawned ones do where
    it has no guard."""
    main = sys.modules["__main__"]
    hidden: dict[str, Any] = {
        n: main.__dict__[n] for n in ("__file__", "__spec__") if n in main.__dict__
    }
    main.__dict__.pop("__file__", None)
    main.__dict__["__spec__"] = None
    try:
        yield
    finally:
        main.__dict__.update(hidden)


def _gather(
    batch: Sequence[Person],
    findings: Sequence[Findings],
    *,
    real: Any,
    having: dict[int, Counter[str]],
    texts: Counter[int],
) -> None:
    from sfumato.text import ReferenceKind

    for person, found in zip(batch, findings, strict=True):
        real.add((ReferenceKind(kind), value) for kind, value in found.values)
        for of, words in found.words.items():
            having.setdefault(of, Counter()).update(words)
        texts.update(each.of for each in person.texts)


class _Making:
    """One field's scrubbed texts, in their order."""

    def __init__(self, of: TextField, look: Look) -> None:
        self._of, self._look = of, look
        self._entries = Spill()
        self._waiting: list[tuple[Any, ...]] = []
        self._passed = ScrubbedDigests()
        self._counts = Counter[Counted]()
        self._scores, self._short = array("d"), 0

    def add(self, keys: tuple[Any, ...], old: str, new: Any) -> None:
        self._waiting.append((*keys, old, new.text))
        self._passed.add(new.text, new.forbidden)
        self._counts.update(new.counts)
        if new.unusualness is None:
            self._short += 1
        else:
            self._scores.append(new.unusualness)
        if len(self._waiting) >= ENTRIES:
            self._put()

    def finished(self) -> ScrubbedField:
        from sfumato.text import judged

        self._put()
        scores: list[float | None] = [*self._scores, *[None] * self._short]
        return ScrubbedField(
            of=self._of,
            look=self._look,
            lookup=Lookup(
                keys=(*self._of.keys, self._of.name), fields=(self._of.name,), batches=self._batches
            ),
            texts=len(scores),
            counts=self._counts,
            unusual=sum(each.stands_out for each in judged(scores)),
            passed=self._passed,
        )

    def _put(self) -> None:
        if self._waiting:
            self._entries.put(self._waiting)
            self._waiting = []

    def _batches(self) -> Iterator[Mapping[str, NDArray[Any]]]:
        """The entries, and nothing for no text: rows without one stay."""
        names = [f"key:{name}" for name in (*self._of.keys, self._of.name)] + [
            f"new:{self._of.name}"
        ]
        for entries in self._entries:
            yield {
                name: _objects(cells)
                for name, cells in zip(names, zip(*entries, strict=True), strict=True)
            }
        yield from self._without_text(names)

    def _without_text(self, names: Sequence[str]) -> Iterator[Mapping[str, NDArray[Any]]]:
        of = self._of
        for batch in of.engine.distinct((*of.keys, of.name)):
            empty = np.array([text is None for text in batch[of.name].tolist()], bool)
            if empty.any():
                columns = [batch[key][empty] for key in of.keys]
                nothing = np.full(int(empty.sum()), None, object)
                yield dict(zip(names, [*columns, nothing, nothing], strict=True))


def _objects(values: Sequence[Any]) -> NDArray[np.object_]:
    out = np.empty(len(values), object)
    out[:] = values
    return out
