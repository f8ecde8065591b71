"""What the table as a whole is about answers short names: `ast` among measurements of blood is one
of them, `status` beside a time of survival is an outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sfumato.engines import FieldKind

from .lexicons.abbreviations import AMONG_HEALTH, AMONG_MONEY
from .name_words import words_of
from .records import FieldLikeness, FieldSurvey, LooksLike, Proposal
from .roles import RULES

HEALTH = frozenset(
    (
        LooksLike.DIAGNOSIS,
        LooksLike.CONDITION,
        LooksLike.PROCEDURE,
        LooksLike.DRUG,
        LooksLike.MEASUREMENT,
    )
)
NEAR_HEALTH = HEALTH | {LooksLike.HABIT, LooksLike.OUTCOME}
ENOUGH, SHARE = 3, 0.2
"""A table is about health where so many fields are, and so large a share with habits and outcomes."""
SURE = 0.5
NAMED = 0.5
TIMES = frozenset("time days weeks week months futime survtime duration followup tenure".split())
ENDS = frozenset(
    """status event cens censor censored fustat delta dead death died arrest relapse failure fail
    observed recur""".split()
)
"""Words for how long somebody was observed, and for how it ended."""
MOST_ENDS = 4
NUMBERS = (FieldKind.INTEGER, FieldKind.REAL)


def read_in_context(fields: Sequence[FieldSurvey]) -> tuple[FieldSurvey, ...]:
    """The fields; an open one whose short name means something in a table such as this is
    answered."""
    out = _among_money(_times_to(_survival(fields)))
    near = [item for item in out if item.looks_like in NEAR_HEALTH and item.confidence >= SURE]
    about = [item for item in near if item.looks_like in HEALTH]
    if len(about) < ENOUGH or len(near) < SHARE * len(out):
        return out
    return tuple(_among_health(item) if item.proposal.open else item for item in out)


def _among_health(item: FieldSurvey) -> FieldSurvey:
    said = frozenset(words_of(item.name))
    for kind, words in AMONG_HEALTH.items():
        if said & words:
            why = f"'{min(said & words)}' means that in a table about health"
            return _answered(item, kind, why)
    return item


def _among_money(fields: Sequence[FieldSurvey]) -> tuple[FieldSurvey, ...]:
    """Numbers such as a limit or a term, in a table of which a fifth and more is about money."""
    about = [
        item for item in fields if item.looks_like is LooksLike.AMOUNT and item.confidence >= SURE
    ]
    if len(about) < max(ENOUGH, SHARE * len(fields)):
        return tuple(fields)
    return tuple(
        _answered(
            item,
            LooksLike.AMOUNT,
            f"'{min(AMONG_MONEY & said)}' is about money in a table about money",
        )
        if item.proposal.open
        and item.kind in NUMBERS
        and AMONG_MONEY & (said := frozenset(words_of(item.name)))
        else item
        for item in fields
    )


def _survival(fields: Sequence[FieldSurvey]) -> tuple[FieldSurvey, ...]:
    """A time of observation, as a number, beside a field of few values that says how it ended."""
    times = [item for item in fields if _is_time(item)]
    ends = [item for item in fields if _is_end(item)]
    if len(times) != 1 or not ends:
        return tuple(fields)
    why = f"{times[0].name} says how long a person was observed, and {ends[0].name} how it ended"
    answered = {
        item.name: _answered(item, LooksLike.OUTCOME, why)
        for item in (*times, *ends)
        if item.proposal.open
    }
    return tuple(answered.get(item.name, item) for item in fields)


def _times_to(fields: Sequence[FieldSurvey]) -> tuple[FieldSurvey, ...]:
    """A time until something, and the field of few values that says whether it happened: `time to
    relapse` and `relapse`."""
    answered: dict[str, FieldSurvey] = {}
    for item in fields:
        words = words_of(item.name)
        if item.kind not in NUMBERS or words[1:2] != ("to",) or words[0] not in TIMES:
            continue
        ends = [each for each in fields if words_of(each.name) == words[2:]]
        if len(ends) == 1 and 2 <= ends[0].distinct <= MOST_ENDS:
            why = f"{item.name} says after what time {ends[0].name} happened"
            answered |= {
                each.name: _answered(each, LooksLike.OUTCOME, why)
                for each in (item, ends[0])
                if each.proposal.open
            }
    return tuple(answered.get(item.name, item) for item in fields)


def _is_time(item: FieldSurvey) -> bool:
    return (
        item.kind in NUMBERS and item.distinct > MOST_ENDS and bool(TIMES & {*words_of(item.name)})
    )


def _is_end(item: FieldSurvey) -> bool:
    return 2 <= item.distinct <= MOST_ENDS and bool(ENDS & {*words_of(item.name)})


def _answered(item: FieldSurvey, kind: LooksLike, why: str) -> FieldSurvey:
    rule = RULES[kind]
    return replace(
        item,
        likeness=FieldLikeness(kind, NAMED, (why,)),
        others=(item.likeness, *item.others),
        proposal=Proposal(role=rule.role, reasons=(rule.reason,)),
    )
