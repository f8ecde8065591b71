"""The verb `intrude`: play the motivated intruder against a release, with a register or another
release at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

from sfumato.engines import Engine, open_source
from sfumato.errors import HierarchyError, Mistake
from sfumato.hierarchies import Hierarchy, HierarchySpec, Label
from sfumato.measures import Subject
from sfumato.releases import PolicyLike, Release
from sfumato.report import table
from sfumato.wording import counted

from .attacks import Attacks, Second, run_attacks
from .attacks.counts_differencing import CountCells, counts_differencing
from .attacks.joined_register import joined_register
from .attacks.register_linkage import NamedRegister, shared_fields
from .case import Case, case
from .case_hierarchies import values_of, widened
from .case_opener import place_of
from .consistency import check_written_alike
from .request import AssessmentRequest, Progress

WITH_REGISTER = ("register", "register with errors")
AGAINST_SECOND = ("intersection", "changes", "pseudonyms", "joined values", "changed pseudonyms")


@dataclass(frozen=True, eq=False, kw_only=True)
class Intrusion:
    """The result of the intruder: attacks with their outcomes, no name and no value. `linked_on`
    are the fields that the register and the release share."""

    title: str
    attacks: Attacks
    linked_on: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        found = {
            "release": self.title,
            "linked_on": list(self.linked_on),
            "notes": list(self.notes),
        }
        return found | self.attacks.as_dict()

    def __repr__(self) -> str:
        said = (f"  {run.name}: {run.outcome}; {run.got}" for run in self.attacks)
        beaten = f"{len(self.attacks.beaten)} of {counted(len(self.attacks.runs), 'attack')}"
        return "\n".join((f"Intrusion into {self.title}: {beaten} succeeded", *said))

    def _repr_html_(self) -> str:
        rows = [(run.name, run.outcome, run.got) for run in self.attacks]
        headings = ("attack", "outcome", "what it got")
        return str(table(headings, rows, caption=f"Intrusion into {self.title}"))


def _is_table(given: Any) -> bool:
    """Whether it is any table, and no release with its manifest."""
    return not isinstance(given, Release) and place_of(given) is None


def intrude(
    release: Any,
    *,
    register: Any = None,
    source: Any = None,
    policy: PolicyLike | None = None,
    second: Any = None,
    newcomers: Any = None,
    control: Any = None,
    population: Any = None,
    on: Sequence[str] = (),
    known: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    counts: str = "",
    everything: bool = False,
    targets: int | None = None,
    seed: int = 0,
    progress: Progress = lambda stage: None,
    moved: Callable[[float], None] = lambda share: None,
    **options: Any,
) -> Intrusion:
    """Attack a release with the data that an intruder could have, and report the result without
    naming anybody.

    A `register` is a table of people with fields of the release, linked over all known ones that it
    has or those in `on`. A list of registers is tried one by one, and joined by the names that they
    share. With the `source` claims are checked; without it they are only counted. A `second`
    release about the same people is compared with the first, and `newcomers` are those who joined
    between the two. With `counts`, the release and the second are two published tables of counts,
    and the field of that name holds them. Without a register and a second release, or with
    `everything`, all attacks on the source's people are run. `population` is the register that the
    policy's requirements count in, where that is neither beside the policy nor beside the source.

    Hierarchies are taken from the policy, over the values of the source and the register; labels
    that no hierarchy has are read by their form."""
    if counts:
        return _of_counts(release, second, counts, seed=seed)
    asked = AssessmentRequest(
        release=release,
        source=source,
        policy=policy,
        control=control,
        population=population,
        known=tuple(known) or (tuple(on) if policy is None and _is_table(release) else ()),
        sensitive=tuple(sensitive),
        seed=seed,
        progress=progress,
        options=options,
    )
    if register is None and second is None and source is None:
        raise Mistake(
            "An intruder needs a table to compare with the release.",
            attempt="--register with people, --second with another release, or --source to attack "
            "its people.",
        )
    progress("opening the release")
    with ExitStack() as stack:
        opened = stack.enter_context(case(asked))
        people = [stack.enter_context(open_source(one)) for one in _several(register)]
        joined = stack.enter_context(open_source(newcomers)) if newcomers is not None else None
        beside = [*people, *_of(joined)]
        for engine in beside:
            fields = (*opened.subject.known, *opened.subject.sensitive)
            check_written_alike(opened.subject.release, engine, fields, what=engine.title)
        subject = replace(opened.subject, hierarchies=_leading(opened, beside))
        registers, notes = _registers(subject, people, on, stack)
        registers, notes = _linkable(subject, registers, on, notes)
        linked = [shared_fields(subject, one.people, on) for one in registers]
        shared = tuple(dict.fromkeys(name for fields in linked for name in fields))
        subject = replace(subject, known=tuple(dict.fromkeys((*subject.known, *on))))
        other = (
            _second(second, asked, subject, [*beside, *_of(subject.source)], stack)
            if second is not None
            else None
        )
        wanted = _wanted(
            subject,
            register=bool(registers),
            second=other is not None,
            newcomers=joined is not None,
        )
        found = run_attacks(
            subject,
            targets=targets,
            registers=registers,
            on=on,
            second=other,
            newcomers=joined,
            only=() if everything else wanted,
            moved=moved,
        )
        return Intrusion(
            title=opened.opened.title,
            attacks=found,
            linked_on=shared,
            notes=(*opened.notes, *notes),
        )


def _several(given: Any) -> tuple[Any, ...]:
    """The registers given: none, one or a list of them."""
    if given is None:
        return ()
    return tuple(given) if isinstance(given, list | tuple) else (given,)


def _registers(
    subject: Subject, people: Sequence[Engine], on: Sequence[str], stack: ExitStack
) -> tuple[tuple[NamedRegister, ...], tuple[str, ...]]:
    """Each register by itself; where there are several, also all of them joined by name."""
    if len(people) < 2:
        return tuple(NamedRegister(people=one) for one in people), ()
    named = [
        NamedRegister(people=one, name=f"{at}, {one.title}") for at, one in enumerate(people, 1)
    ]
    released = [info.name for info in subject.release.fields()]
    source = [info.name for info in subject.source.fields()] if subject.source is not None else []
    unreleased = (info.name for one in people for info in one.fields() if info.name not in released)
    fields = tuple(dict.fromkeys((*subject.known, *on, *source, *unreleased)))
    together = joined_register(people, released, fields=fields)
    if together.people is None:
        return tuple(named), ("The registers have nobody in common by their names: not joined.",)
    stack.enter_context(together.people)
    many = counted(together.people.count_rows(), "person was", "people were")
    where, by = ", ".join(together.joined), ", ".join(together.by)
    told = f"{many} found in each of {where}, by {by}."
    alone = (f"{title} shares no field with the others." for title in together.left_out)
    return (*named, NamedRegister(people=together.people, name="joined")), (told, *alone)


def _linkable(
    subject: Subject,
    registers: tuple[NamedRegister, ...],
    on: Sequence[str],
    notes: tuple[str, ...],
) -> tuple[tuple[NamedRegister, ...], tuple[str, ...]]:
    """The registers that have a field to link on, or all of those asked for; where one has, others
    may only lead to it, as a list of names and telephone numbers does."""
    alone = []
    for one in registers:
        have = {info.name for info in one.people.fields()}
        if not (have >= {*on} if on else have & {*subject.known}):
            alone.append(one)
    if len(alone) == len(registers):
        return registers, notes
    told = (f"{one.people.title} has no field to link on: not tried by itself." for one in alone)
    return tuple(one for one in registers if one not in alone), (*notes, *told)


def _wanted(subject: Subject, *, register: bool, second: bool, newcomers: bool) -> tuple[str, ...]:
    """The attacks that the tables at hand are for; none means all."""
    if newcomers and not second:
        raise Mistake(
            "Newcomers join between two releases, and only one was given.",
            attempt="--second with the later release.",
        )
    if second and not subject.sensitive:
        raise Mistake(
            "An intersection of two releases was asked for, and no field is sensitive.",
            attempt="--sensitive with the fields that should not be learned.",
        )
    found = (*(WITH_REGISTER if register else ()), *(AGAINST_SECOND if second else ()))
    return (*found, "differencing", "pseudonyms of newcomers") if newcomers else found


def _of(engine: Engine | None) -> tuple[Engine, ...]:
    return () if engine is None else (engine,)


def _second(
    given: Any, asked: AssessmentRequest, first: Subject, beside: Sequence[Engine], stack: ExitStack
) -> Second:
    """The other release, by its own manifest where it has one. Its source is another, or the same
    at another time."""
    plain = place_of(given) is None
    other = replace(
        asked,
        release=given,
        source=None,
        control=None,
        population=None,
        policy=asked.policy if plain else None,
        known=first.known if plain else (),
        sensitive=asked.sensitive or first.sensitive,
    )
    opened = stack.enter_context(case(other))
    subject = opened.subject
    return Second(
        release=subject.release, hierarchies=_leading(opened, beside), known=subject.known
    )


def _leading(opened: Case, beside: Sequence[Engine]) -> Mapping[str, Hierarchy]:
    """The hierarchies over what is in the tables beside the release as well.

    Those over the source's values are unchanged where more values would change their labels. A
    value that a hierarchy does not take, such as a misspelt one, is under no label of it."""
    found = dict(opened.subject.hierarchies)
    if opened.opened.found is None or not opened.opened.found.hierarchies:
        return found
    for name, spec in opened.opened.seen.specs.items():
        more = tuple(dict.fromkeys(value for engine in beside for value in _values(engine, name)))
        if name in found:
            taken = tuple(_taken(spec, more))
            found[name] = widened(found[name], spec, taken)
        elif more:
            found[name] = spec.bind(tuple(_taken(spec, more)))
    return found


def _values(engine: Engine, name: str) -> tuple[Label, ...]:
    return values_of(engine, name) if name in {info.name for info in engine.fields()} else ()


def _taken(spec: HierarchySpec, values: Sequence[Label]) -> Iterator[Label]:
    """The values that a hierarchy takes: all at once as a rule, else one by one."""
    try:
        spec.bind(tuple(values))
    except HierarchyError:
        for value in values:
            try:
                spec.bind((value,))
            except HierarchyError:
                continue
            yield value
    else:
        yield from values


def _of_counts(release: Any, second: Any, counts: str, *, seed: int) -> Intrusion:
    if second is None:
        raise Mistake(
            "Two tables of counts are compared, and only one was given.",
            attempt="--second with the later table.",
        )
    with open_source(release) as before, open_source(second) as after:
        run = counts_differencing(CountCells.read(before, counts), CountCells.read(after, counts))
        title = before.title
    return Intrusion(
        title=title, attacks=Attacks(runs=(run,), targets=0, seed=seed, seconds=run.seconds)
    )
