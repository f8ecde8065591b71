"""Fields that are released, as they are or coarser, and determine a field that is not: weaker twins.

A removed sex is disclosed by a form of address, a moved date by the days since 1900, a length of
stay by two dates. The dependences are counted on the source (`sfumato.surveys`), with at most 1 %
of exceptions, on up to 20,000 rows, one of each person. A release refuses a weaker twin unless the
policy accepts it by `may_tell`. Where bins count the weaker field too, no requirement is broken,
and a warning states that the stronger treatment is in vain."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from sfumato.engines import Database, Engine, TableView
from sfumato.errors import PolicyError, Problem
from sfumato.policy import Field, Method, Policy, Role
from sfumato.surveys import (
    Dependence,
    DependenceKind,
    LinkedDependences,
    find_dependences,
    telling_fields,
    twin_sentence,
)
from sfumato.wording import agreeing

from .manifest import ONE_TABLE
from .request import Progress
from .source import OpenedSource
from .steps import SteppedTables
from .table_twins import (
    IN_CLEAR,
    SUPPRESSED,
    TableTwin,
    find_table_twins,
    is_scrubbed,
    weaker_table_twins,
)
from .treatments import KEPT, is_shown_at

COPIES = (DependenceKind.EQUAL, DependenceKind.PART)
TableWords = Mapping[str, Mapping[str, str]]
Counting = Callable[[Collection[str]], tuple[Dependence, ...]]
"""Counts the dependences by which fields determine one of some others."""


@dataclass(frozen=True, kw_only=True)
class WeakerTwin:
    """Fields in clear that together determine `twin`, and what is done to the twin, in words.

    With `is_counted`, bins count the fields in clear, and only the recoding treats the twin more
    strongly. With `is_accepted`, the policy lets a field disclose the twin. `is_whole` is false
    where the recoding coarsened the fields, and their coarser labels disclose the twin."""

    table: str
    fields: tuple[str, ...]
    twin: str
    treatment: str
    is_whole: bool
    dependence: Dependence
    is_counted: bool
    is_accepted: bool

    @property
    def _shown(self) -> str:
        return "kept" if self.is_whole else "only generalised"

    @property
    def sentence(self) -> str:
        return (
            f"{twin_sentence(self.dependence, stays=False)}: {' and '.join(self.fields)} "
            f"{agreeing(len(self.fields), 'is', 'are')} {self._shown}, {self.twin} is "
            f"{_short(self.treatment)}"
        )

    @property
    def warning(self) -> str:
        if self.is_accepted:
            return f"{self.sentence}. The policy accepts it (may_tell)."
        return f"{self.sentence}. So that treatment protects nothing."


@dataclass(frozen=True)
class TwinSearch:
    """The dependences of each table of a source, and its policy.

    `look_again` counts, by table, what determines fields that were thought to be kept: the
    dependences are first counted for the others."""

    policies: Mapping[str, Policy]
    dependences: Mapping[str, Sequence[Dependence]] = field(default_factory=dict)
    name: str = "policy"
    looked_for: Mapping[str, Collection[str]] = field(default_factory=dict)
    look_again: Mapping[str, Counting] = field(default_factory=dict)
    whole: Policy | None = None
    across: LinkedDependences = field(default_factory=LinkedDependences)

    def weaker(self, words: TableWords) -> tuple[WeakerTwin, ...]:
        """The weaker twins under what is done to each field, by table; fields without words are
        not decided about."""
        found = [
            twin
            for name, said in words.items()
            for each in self.dependences.get(name, ())
            for twin in _weaker(each, self.policies[name], said, table=name)
        ]
        # The closest kind of a dependence comes first, and is told alone.
        return tuple({(each.table, each.fields, each.twin): each for each in found[::-1]}.values())[
            ::-1
        ]

    def check_decided(self, steps: SteppedTables) -> None:
        """Refuse, before anything is solved, the weaker twins that the policy alone decides."""
        words = {name: _decided(own, steps) for name, own in self.policies.items()}
        refuse(self.weaker(words), self._across(words), name=self.name)

    def _across(self, words: TableWords) -> tuple[TableTwin, ...]:
        return weaker_table_twins(self.across.found, self.whole, words) if self.whole else ()

    @property
    def not_judged(self) -> tuple[str, ...]:
        """In sentences, what the search could not judge; a release of it needs a review."""
        return self.across.not_judged

    def warnings(self, words: TableWords) -> tuple[str, ...]:
        """Refuse the weaker twins of a plan; warnings about the others."""
        found, across = self._for_all_treated(words).weaker(words), self._across(words)
        refuse(found, across, name=self.name)
        return (
            *(each.warning for each in found),
            *(each.warning for each in across),
            *self.not_judged,
        )

    def _for_all_treated(self, words: TableWords) -> TwinSearch:
        """The search, with the dependences of fields that a plan treats though the policy alone
        does not say so."""
        dependences = dict(self.dependences)
        for name, count in self.look_again.items():
            said = words.get(name, {})
            treated = [twin for twin in self.policies[name].fields if said.get(twin, KEPT) != KEPT]
            late = [twin for twin in treated if twin not in self.looked_for[name]]
            if late:
                dependences[name] = (*dependences[name], *count(late))
        return replace(self, dependences=dependences)


def look_for_twins(
    opened: OpenedSource, stepped: SteppedTables, *, progress: Progress
) -> TwinSearch:
    """Count which fields determine others, on the source as it was collected."""
    policy = opened.policy
    if policy.channels is not None:  # Its names are released on purpose.
        return TwinSearch({})
    progress("looking for fields that determine others")
    names = tuple(policy.tables) or (ONE_TABLE,)
    policies = {name: policy.of_table(name) if policy.tables else policy for name in names}
    counting = {
        name: partial(
            _dependences,
            stepped.collected.get(name) or _table(opened, name),
            own,
            _person_field(policy, name),
        )
        for name, own in policies.items()
    }
    treated = {
        name: frozenset(own.fields) - {twin for twin, said in words.items() if said == KEPT}
        for name, own in policies.items()
        for words in [_decided(own, stepped)]
    }
    found = {name: count(treated[name]) for name, count in counting.items()}
    across = stepped.linked
    if across is None:
        across = (
            find_table_twins(opened.database, policy)
            if opened.database is not None
            else LinkedDependences()
        )
    return TwinSearch(policies, found, policy.name, treated, counting, policy, across)


@dataclass(frozen=True)
class TwinCheck:
    """The dependences of one table, counted once, for trials of several policies of it."""

    dependences: Sequence[Dependence] = ()

    @classmethod
    def of(cls, engine: Engine, policy: Policy) -> TwinCheck:
        return cls(_dependences(engine, policy, policy.entity or "", policy.fields))

    def telling(self, twin: str) -> tuple[str, ...]:
        """The fields that determine another one, each by itself."""
        pairs = [pair for found in self.dependences for pair in telling_fields(found)]
        alone = [fields[0] for fields, told in pairs if told == twin and len(fields) == 1]
        return tuple(dict.fromkeys(alone))

    def check(self, policy: Policy, recoded: Mapping[str, str]) -> None:
        """Refuse what a release of the policy would refuse, given what is done to recoded fields."""
        search = TwinSearch({ONE_TABLE: policy}, {ONE_TABLE: self.dependences}, policy.name)
        words = {**_decided(policy, SteppedTables(steps=policy.steps)), **recoded}
        refuse(search.weaker({ONE_TABLE: words}), (), name=policy.name)


def _table(opened: OpenedSource, name: str) -> Engine:
    database: Database | None = opened.database
    return opened.engine if database is None else database.view(TableView(table=name))


def _person_field(policy: Policy, table: str) -> str:
    """The field by which rows of one person are identified, or the link that leads towards the
    person."""
    if not policy.tables:
        return policy.entity or ""
    links = policy.tables[table].links
    return links[0].field if links else policy.tables[table].key


def _dependences(
    engine: Engine, policy: Policy, person: str, twins: Collection[str]
) -> tuple[Dependence, ...]:
    """The dependences by which a field that may be released in clear determines one of the
    twins."""
    there = {info.name for info in engine.fields()}
    named = [name for name in policy.fields if name in there]
    telling = [
        name
        for name in named
        if policy.fields[name].role in IN_CLEAR and policy.fields[name].shift is None
    ]
    may_differ = any(policy.fields[name].role is not Role.SENSITIVE for name in named)
    if not telling or not may_differ or not any(name in twins for name in named):
        return ()
    quasi = [name for name in telling if policy.fields[name].role is Role.QUASI]
    changed = {name for step in policy.steps for name in step.fields}
    return find_dependences(
        engine,
        telling=telling,
        told=named,
        twins=twins,
        person=person if person in there else "",
        coarser={name: policy.fields[name].bind for name in quasi if name not in changed},
        removed=[
            name
            for name in named
            if name in twins and policy.fields[name].role in (Role.DIRECT, Role.TEXT)
        ],
    )


def _weaker(
    found: Dependence, policy: Policy, words: Mapping[str, str], *, table: str
) -> Iterator[WeakerTwin]:
    for fields, twin in telling_fields(found):
        treatment = words.get(twin, KEPT)
        is_quasi = policy.fields[twin].role is Role.QUASI
        if treatment == KEPT or not all(
            words.get(name) == KEPT
            or (not is_quasi and is_shown_at(words.get(name, ""), found.level))
            for name in fields
        ):
            continue
        if is_scrubbed(policy.fields[twin]) and found.kind not in COPIES:
            continue  # The scrubbed text is released too, and only a copy discloses the original.
        if found.is_of_value and _has_pseudonyms(policy.fields[twin]):
            continue  # A ward with one physician: the physician has a pseudonym in clear anyway.
        if any(policy.fields[name].follows == twin for name in fields):
            continue  # It is suppressed with its leader, and a warning says where it is finer.
        counted = is_quasi and all(policy.fields[name].role is Role.QUASI for name in fields)
        if counted and treatment != SUPPRESSED:
            continue
        yield WeakerTwin(
            table=table if table != ONE_TABLE else "",
            fields=fields,
            twin=twin,
            treatment=treatment,
            is_whole=all(words.get(name) == KEPT for name in fields),
            dependence=found,
            is_counted=counted or found.level > 0,
            is_accepted=any(twin in policy.fields[name].may_tell for name in fields),
        )


def _has_pseudonyms(decided: Field) -> bool:
    """Whether equal values of a direct identifier stay equal, under another name."""
    replaced = decided.replace
    return (
        decided.role is Role.DIRECT
        and replaced is not None
        and replaced.method is not Method.REMOVE
        and not replaced.leaves_a_constant
    )


def _decided(policy: Policy, stepped: SteppedTables) -> dict[str, str]:
    """The policy's own decision about a field; nothing of those that a recoding decides."""
    changed = {name: step.technique for step in stepped.steps for name in step.fields}
    out = {}
    for name, decided in policy.fields.items():
        if name in changed:
            out[name] = f"changed by {changed[name]}"
        elif decided.shift is not None and decided.role is not Role.QUASI:
            out[name] = "moved"
        elif decided.role is Role.DIRECT:
            method = decided.replace.method if decided.replace else Method.REMOVE
            out[name] = "removed" if method is Method.REMOVE else "replaced"
        elif decided.role is Role.TEXT:
            out[name] = "scrubbed" if is_scrubbed(decided) else "removed"
        elif decided.role in (Role.SENSITIVE, Role.INSENSITIVE):
            out[name] = KEPT
    return out


def refuse(found: Sequence[WeakerTwin], across: Sequence[TableTwin], *, name: str) -> None:
    """Raise for every weaker twin that no bin counts and nobody accepted, all at once."""
    problems = [
        Problem(
            where=f"{f'tables.{each.table}.' if each.table else ''}fields.{each.fields[0]}",
            found=f"{each.sentence}.",
            attempt=f"the treatment of {each.twin} for {each.fields[0]} too, or "
            f'may_tell = ["{each.twin}"] on it, which accepts that.',
        )
        for each in found
        if not each.is_counted and not each.is_accepted
    ]
    problems += [problem for each in across if (problem := each.problem) is not None]
    if problems:
        raise PolicyError(problems, name=f"Policy {name}")


def _short(treatment: str) -> str:
    """The first words of a treatment: no parameter of it."""
    return treatment.split(":", 1)[0].split(",", 1)[0].split(" (", 1)[0]
