"""Disclosures by released fields that no requirement judges: a person key that repeats, a number
that is unique."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sfumato.bins import Bins
from sfumato.engines import Engine, FieldKind
from sfumato.policy import AccessClass, LooksAt, Policy, Role
from sfumato.protection import level_asks_for_pairs, level_changes_nothing
from sfumato.wording import agreeing, counted, some_of

from .named_values import MOST_SPELLINGS, absent_value_warnings, spelled_alike
from .treatments import KEPT, Treatments

FEWEST_ROWS = 20  # In fewer rows, values that are all different are no sign of anything.
MOST_NAMED = 3  # Of more fields with the same warning, these are named and the rest counted.


def decision_warnings(policy: Policy) -> Iterator[str]:
    """Decisions that no person has made yet: the policy itself, and the fields that are open in
    it."""
    if policy.proposed:
        yield "The policy was proposed by a survey and no person has reviewed it."
    yield from _open_to_anybody(policy)
    undecided = policy.open_fields
    if undecided:
        yield (
            f"{counted(len(undecided), 'field is', 'fields are')} open: nobody has decided what "
            f"{agreeing(len(undecided), 'it is', 'they are')}: {', '.join(undecided)}."
        )


def _open_to_anybody(policy: Policy) -> Iterator[str]:
    """Likelihoods below 1 rest on a contract, and the public has signed none (Sweeney 2000, fig.
    8)."""
    profile = policy.recipients.get(policy.recipient)
    if profile is None or profile.access not in (AccessClass.PUBLIC, AccessClass.SEMI_PUBLIC):
        return
    tables = policy.tables.values()
    fields = (
        policy.fields if not policy.tables else {n: f for t in tables for n, f in t.fields.items()}
    )
    doubtful = [
        name
        for name, field in fields.items()
        if field.role is Role.QUASI and profile.links_on(name) < 1
    ]
    if doubtful:
        yield (
            f"Access of {policy.recipient} is {profile.access.value}, and linking on "
            f"{some_of(doubtful, MOST_NAMED)} counts as unlikely: among so many, somebody may."
        )


def level_warnings(policy: Policy, known: tuple[str, ...], rows: int) -> Iterator[str]:
    """Warnings where Datafly's anonymity level changes nothing, or asks for no bin of two rows."""
    asked = policy.require.one("anonymity")
    if asked is None:
        return
    if not level_asks_for_pairs(policy, asked, known, rows):
        yield (
            f"The anonymity level {asked.level:g} protects nobody: of {counted(rows, 'row')} it asks "
            "for bins of 1. A higher level, or a larger r1 or r2, asks for more."
        )
        return
    size = level_changes_nothing(policy, asked, known, rows)
    if size is not None:
        yield (
            f"The anonymity level changes nothing: at every level each bin needs {size:,} rows, "
            'for the effort e. With e = 0, or solver = "datafly2", the level sets the bin size.'
        )


def one_valued_warnings(one_valued: Mapping[str, int], *, bins: int) -> Iterator[str]:
    """Sensitive fields with one value in all rows of some bins. A few get a line each, many get one
    line, those with most such bins first.

    Example:
        >>> [*one_valued_warnings({"ill": 2, "pay": 0}, bins=7)]
        ['In 2 of 7 bins every row has the same value of ill: membership in the bin reveals it.']
    """
    found = {name: count for name, count in one_valued.items() if count}
    if len(found) <= MOST_NAMED:
        for name, count in found.items():
            yield (
                f"In {count} of {bins} bins every row has the same value of {name}: "
                "membership in the bin reveals it."
            )
        return
    order = sorted(found, key=lambda name: -found[name])
    named = some_of([f"{name} (in {found[name]} of {bins})" for name in order], MOST_NAMED)
    yield (
        "In some bins every row has the same value of a sensitive field. "
        f"{counted(len(found), 'field')} have such bins: {named}. Membership in such a bin reveals "
        "the value."
    )


def telling_warnings(
    engine: Engine, policy: Policy, treatments: Treatments, words: Mapping[str, str]
) -> tuple[str, ...]:
    """Warnings with counts and field names only. `words` state the treatment of every field,
    recoding included."""
    return (
        *_repeating(engine, policy, treatments),
        *kept_warnings(engine, policy, treatments, words),
    )


def kept_warnings(
    engine: Engine, policy: Policy, treatments: Treatments, words: Mapping[str, str]
) -> tuple[str, ...]:
    """The same about fields that are kept as they are."""
    outside = (Role.SENSITIVE, Role.INSENSITIVE)
    kept = [
        name
        for name in treatments.fields
        if words[name] == KEPT and policy.fields[name].role in outside
    ]
    kinds = {info.name: info.kind for info in engine.fields()}
    exact = [name for name in kept if kinds[name] is not FieldKind.REAL]
    different = engine.fields_without_repeats(exact, fewest=FEWEST_ROWS)
    return (
        *_undeclared_zips(engine, policy, treatments, words),
        *(_own_number(policy, name) for name in exact if name in different),
        *_unmoved(engine, policy, treatments, exact),
        *_beside_a_coarser_leader(policy, kept, words),
        *_other_spellings(engine, policy, kept),
        *absent_value_warnings(engine, policy, kept),
    )


def _other_spellings(engine: Engine, policy: Policy, kept: Sequence[str]) -> Iterator[str]:
    """Sensitive values that differ only in how they are written, where a rule counts values."""
    if next(policy.require.looking_at(LooksAt.SENSITIVE), None) is None:
        return
    for name in kept:
        is_judged = policy.fields[name].role is Role.SENSITIVE
        if not is_judged or engine.profile(name).distinct > MOST_SPELLINGS:
            continue
        labels = [label for label in Bins.count(engine, (name,)).labels[0] if label is not None]
        more = len(labels) - len(set(map(spelled_alike, labels)))
        if more:
            yield (
                f"{counted(more, 'value')} of {name} {agreeing(more, 'differs', 'differ')} from another "
                "one only in case, blanks or invisible characters: rules about values count them as different "
                "ones, though people will not. Write them alike in the source."
            )


def _undeclared_zips(
    engine: Engine, policy: Policy, treatments: Treatments, words: Mapping[str, str]
) -> Iterator[str]:
    """Safe Harbor relies on the holder's declaration of a field; five digits may be a ZIP that
    nobody named."""
    asked = policy.require.one("safe_harbor")
    for name in treatments.fields if asked is not None else ():
        if words[name] != KEPT or name in asked.declared:
            continue
        found = engine.profile(name)
        present = found.rows - found.nulls
        if present and found.integers == present and found.shortest == found.longest == 5:
            yield (
                f"The policy does not say what {name} is for Safe Harbor, and all of its values have five digits: "
                f'if they are ZIPs, say zips = ["{name}"].'
            )


def _repeating(engine: Engine, policy: Policy, treatments: Treatments) -> Iterator[str]:
    """Replacing keeps equal values equal, so rows of one person stay together while k counts
    rows."""
    replaced = treatments.replaced if policy.entity is None else ()
    different = engine.fields_without_repeats(replaced)
    for name in replaced:
        if name in different:
            continue
        found = engine.profile(name)
        if found.distinct + found.nulls < found.rows and name != policy.household:
            yield (
                f"{name} repeats ({found.distinct} values in {found.rows} rows) and is "
                "released as a pseudonym: if it "
                "names a person, what is required counts rows and not people. Then name it "
                "as entity. If it names a family or a household, one member who is found leads to "
                "the others. Then name it as household."
            )


def _own_number(policy: Policy, name: str) -> str:
    stepped = _stepped(policy, name)
    if stepped:
        return (
            f"{name} is {stepped}, and no two rows share a value of it: a list with values near "
            "these may still identify rows."
        )
    return (
        f"{name} is {KEPT}, and no two rows share a value of it: a list with these "
        "values identifies every row."
    )


def _stepped(policy: Policy, name: str) -> str:
    """The steps that change a field, in words; empty where none does."""
    taken = dict.fromkeys(step.technique for step in policy.steps if name in step.fields)
    return f"changed by {' and '.join(taken)}" if taken else ""


def _unmoved(
    engine: Engine, policy: Policy, treatments: Treatments, kept: Sequence[str]
) -> Iterator[str]:
    moved = [name for name in treatments.fields if policy.fields[name].shift is not None]
    profiles = {name: engine.profile(name) for name in kept} if moved else {}
    dates = [
        name
        for name, found in profiles.items()
        if found.dates and found.dates == found.rows - found.nulls
    ]
    if dates:
        yield (
            f"Dates of {', '.join(moved)} are moved and those of {', '.join(dates)} are "
            "not: where the days between "
            "them are known or usual, they reveal by how much."
        )


def _beside_a_coarser_leader(
    policy: Policy, kept: list[str], words: Mapping[str, str]
) -> Iterator[str]:
    for name in kept:
        leader = policy.fields[name].follows
        if leader and words[leader] != KEPT:
            yield (
                f"{name} is {_stepped(policy, name) or KEPT} beside {leader}, which is coarser: it follows "
                f"{leader} only where that is "
                "suppressed, and may reveal the finer value."
            )
