"""Adding scrubbed texts to the treatments of a release's fields: of one table, or of several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.engines import Engine
from sfumato.policy import DateShift, Policy, Role, is_released, scrubbed_fields
from sfumato.protection import Verdict
from sfumato.text.detectors import Detectors
from sfumato.wording import counted

from ..dates import offset
from ..identifiers import Key, Replacer
from ..text_key import text_secret
from ..treatments import KEPT, Treatments
from .cues import TextCues
from .messages import Person
from .person_texts import CueTable, TextField, people
from .recount import recount_texts
from .replace_pass import OWN_NAME
from .scrubbed_texts import ScrubbedField, scrub_fields
from .treatment_words import SCRUBBED

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False, kw_only=True)
class Texts:
    """The scrubbed text fields of a release, by the names that it calls them; none where it has
    none."""

    done: tuple[ScrubbedField, ...] = ()
    called: tuple[str, ...] = ()
    coarser: tuple[str, ...] = ()
    tables: tuple[str, ...] = field(default=())

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return text_verdicts(self.done, called=self.called)

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(text_warnings(self.done, called=self.called, coarser=self.coarser))

    def facts(self) -> dict[str, Any]:
        return {"texts": text_facts(self.done, called=self.called)} if self.done else {}

    def broken(self, opened: Callable[[str], Engine]) -> list[str]:
        """The faults of the texts that were written, which are read back; `opened` gives a written
        table."""
        return [
            problem
            for each, name, table in zip(self.done, self.called, self.tables, strict=True)
            for problem in recount_texts(opened(table), each.of.name, each.passed).broken(name)
        ]


def person_of(policy: Policy) -> str | None:
    """The field that identifies the person of a row: the entity, or that by which dates move; None
    where nothing does."""
    pers = {item.shift.per for item in policy.fields.values() if item.shift is not None}
    return policy.entity or (next(iter(pers)) if len(pers) == 1 else None)


def add_texts(
    engine: Engine,
    policy: Policy,
    treatments: Treatments,
    *,
    collected: Engine,
    words: Mapping[str, str],
    progress: Progress,
    jobs: int = 0,
) -> Texts:
    """Scrub the text fields of one table. `collected` has the rows as they were before anything was
    done to them; `words` state the treatment of every field."""
    names = [
        name
        for name in scrubbed_fields(policy.fields)
        if name in treatments.fields and is_released(policy, name)
    ]
    if not names:
        return Texts()
    person = person_of(policy)
    coarser = [
        name
        for name in coarser_fields(policy, words)
        if name in {info.name for info in collected.fields()}
    ]
    cueing = TextCues({"": policy.fields}, [("", name) for name in coarser], folder=policy.folder)
    known = cueing.known(collected, "")
    fields = [
        TextField(
            number=number,
            look=cueing.look_of(policy.fields[name]),
            engine=engine,
            name=name,
            where=f"fields.{name}",
            person=person,
            own=() if person is not None else known,
        )
        for number, name in enumerate(names)
    ]
    cues = (
        [CueTable(engine=collected, person=person, fields=known)]
        if person is not None and known
        else []
    )
    _prime(treatments)
    shift = next(
        (s.shift for s in policy.fields.values() if s.shift is not None and s.shift.per == person),
        None,
    )
    done = scrub_fields(
        fields,
        cueing.looks(),
        people(fields, cues),
        secret=text_secret(treatments.root),
        days=days_of(treatments.root, shift, per=person),
        given=given_by(treatments.replacers),
        progress=progress,
        jobs=jobs,
    )
    for each in done:
        put(each, treatments)
    return Texts(done=done, called=tuple(names), coarser=tuple(coarser), tables=("",) * len(done))


def put(done: ScrubbedField, treatments: Treatments) -> None:
    """Add a scrubbed field to the release, with words about its findings."""
    treatments.lookups.append(done.lookup)
    treatments.words[done.of.name] += found_words(done)


def coarser_fields(policy: Policy, words: Mapping[str, str]) -> list[str]:
    """Fields that name nobody, and that the release does not have as they were collected; moved
    dates apart."""
    stepped = {name for step in policy.steps for name in step.fields}
    return [
        name
        for name, item in policy.fields.items()
        if item.role not in (Role.DIRECT, Role.TEXT)
        and (name in stepped or (words.get(name, KEPT) != KEPT and item.shift is None))
    ]


def days_of(root: Key, shift: DateShift | None, *, per: str | None) -> Callable[[Person], int]:
    """By how many days somebody's dates move: as in the tables where they move there, else by a
    number of their own."""
    from sfumato.text import keyed_days

    own = keyed_days(text_secret(root))
    if shift is None or per is None or shift.is_by_dates:
        return lambda person: own(person.name)
    key = root.derive("dates", per)
    return lambda person: offset(key, person.name, shift=shift)


def given_by(
    replacers: Mapping[str, Replacer],
) -> Callable[[Sequence[Person]], list[dict[str, str]]]:
    """The tables' replacements of people's identifiers, asked for many at a time."""

    def given(persons: Sequence[Person]) -> list[dict[str, str]]:
        out: list[dict[str, str]] = [{} for _ in persons]
        for of, replacer in replacers.items():
            values = sorted(
                {cue.value for person in persons for cue in person.cues if cue.of == of}
            )
            new = dict(zip(values, replacer.replace(values), strict=True)) if values else {}
            for known, person in zip(out, persons, strict=True):
                known |= {cue.value: new[cue.value] for cue in person.cues if cue.of == of}
        return out

    return given


def _prime(treatments: Treatments) -> None:
    """Pseudonyms are drawn in the order of the values, as without texts, so that other releases
    have the same."""
    for lookup in treatments.lookups:
        if any(name in treatments.replacers for name in lookup.fields):
            for _ in lookup.batches():
                pass


# What a release says of the texts that were scrubbed. Counts and names of fields only.


def text_verdicts(done: Sequence[ScrubbedField], *, called: Sequence[str]) -> tuple[Verdict, ...]:
    """Text can be recounted but not judged: at best a person who has read some of it agrees."""
    return tuple(
        Verdict(
            outcome="review",
            model=SCRUBBED,
            requirement=f"purpose: {each.look.scrub.purpose.value}",
            fields=(name,),
            bins=0,
            rows=each.texts,
            smallest=0,
            bins_below=0,
            rows_below=each.unusual,
            reason=f"{each.texts:,} different texts are de-identified, not anonymous: "
            f"{_reason(each)}",
        )
        for each, name in zip(done, called, strict=True)
    )


def _reason(done: ScrubbedField) -> str:
    references = sum(number for (kind, _), number in done.counts.items() if kind != OWN_NAME)
    found = f"{references:,} references were found, others may have been missed"
    return f"{found}, and {done.unusual:,} are unusual here" if done.unusual else found


def found_words(done: ScrubbedField) -> str:
    """How many references of each kind were found, for the list of what was done to fields."""
    numbers = Counter[str]()
    for (kind, _), number in done.counts.items():
        if kind != OWN_NAME:
            numbers[kind] += number
    return (
        f"; found: {', '.join(f'{kind} {n:,}' for kind, n in sorted(numbers.items())) or 'nothing'}"
    )


def text_facts(done: Sequence[ScrubbedField], *, called: Sequence[str]) -> dict[str, Any]:
    """For the manifest: what was found, by kind, and what became of it."""
    from sfumato.text import DE_IDENTIFIED

    return {
        name: {
            "different_texts": each.texts,
            "findings": by_kind(each.counts),
            "detectors": each.look.detectors.value,
            "unusual_texts": each.unusual,
            "generalised_elsewhere": sorted(
                each.look.widened | ({"age"} if each.look.ages else set())
            ),
            "words": DE_IDENTIFIED,
        }
        for each, name in zip(done, called, strict=True)
    }


def by_kind(counts: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Numbers by kind and by what became of them, in the order of the alphabet.

    Example:
        >>> by_kind(Counter({("name", "surrogate"): 2, ("age", "suppressed"): 1}))
        {'age': {'suppressed': 1}, 'name': {'surrogate': 2}}
    """
    out: dict[str, dict[str, int]] = {}
    for (kind, how), number in sorted(counts.items()):
        out.setdefault(kind, {})[how] = number
    return out


def text_warnings(
    done: Sequence[ScrubbedField], *, called: Sequence[str], coarser: Sequence[str]
) -> Iterator[str]:
    """Warnings to read before the texts are published."""
    from sfumato.text import DE_IDENTIFIED

    if not done:
        return
    yield (
        f"{', '.join(called)}: {DE_IDENTIFIED[0].lower()}{DE_IDENTIFIED[1:]} No requirement "
        "looks at it; read some."
    )
    plain = [
        name
        for each, name in zip(done, called, strict=True)
        if each.look.scrub.detectors is None and each.look.detectors is not Detectors.TRANSFORMER
    ]
    if plain:
        yield (
            f"{', '.join(plain)}: read without the transformer, which finds more names, places and "
            'bodies. Install the extra text, or name detectors = "crf" in the policy.'
        )
    if coarser:
        yield (
            f"Values of {', '.join(coarser)} were removed from the text. It may disclose "
            "them in other words, as a pronoun discloses a sex and a school an age."
        )
    for each, name in zip(done, called, strict=True):
        own = sum(number for (kind, _), number in each.counts.items() if kind == OWN_NAME)
        if own:
            yield (
                f"{name}: a part of a person's own name stays in {counted(own, 'place')}, "
                "as a word of medicine or the "
                "month of a date. Read these texts."
            )
        if each.unusual:
            noun = "text is" if each.unusual == 1 else "texts are"
            yield (
                f"{each.unusual:,} {noun} unusual among those of {name}, and should be read "
                "before release."
            )
