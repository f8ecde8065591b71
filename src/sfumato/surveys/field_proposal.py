"""One field at a time: from evidence to likeness to proposal."""

from __future__ import annotations

from dataclasses import replace

from sfumato.engines import Engine, FieldKind
from sfumato.policy import Method, Replacement, Role

from .detectors import likenesses
from .evidence import Evidence, percent
from .hierarchy_choice import if_it_were_quasi, propose_hierarchy
from .name_words import words_of
from .number_closeness import can_be_spread, closeness_hint, interval_width
from .person_mentions import holds_names
from .records import FieldLikeness, FieldSurvey, LooksLike, Proposal
from .roles import RULES

MIGHT_BE = 0.3
"""A second likeness is reported from this confidence on."""
STANDS_OUT = 0.5
UNSURE = 0.3
"""Below this confidence a likeness is a guess, and the field an open question."""
OF_THE_EXTRACT = (LooksLike.DATE, LooksLike.YEAR)
"""Fields that may be about the whole table: the day on which it was made, the year that it
covers."""
FEWEST_ROWS = 20
KEY_ENDINGS = ("id", "key", "uuid", "guid")
ALL_DIFFER = 0.98
"""The least share of rows with a unique value at which a field named like a key is one."""


def survey_field(engine: Engine, evidence: Evidence) -> FieldSurvey:
    """Everything about one field."""
    likeness, *others = _keys_first(likenesses(evidence), evidence)
    profile = evidence.profile
    return FieldSurvey(
        name=evidence.name,
        kind=evidence.kind,
        rows=profile.rows,
        distinct=profile.distinct,
        missing=profile.nulls,
        unique=profile.unique,
        likeness=likeness,
        others=tuple(other for other in others if other.confidence >= MIGHT_BE),
        proposal=_proposal(engine, evidence, likeness),
    )


def _keys_first(found: tuple[FieldLikeness, ...], evidence: Evidence) -> tuple[FieldLikeness, ...]:
    """The likenesses; a key before what it numbers: `drug_id` that differs in every row is no
    drug."""
    profile = evidence.profile
    is_named = (words_of(evidence.name) or ("",))[-1] in KEY_ENDINGS
    if not is_named or profile.unique < ALL_DIFFER * max(1, profile.rows - profile.nulls):
        return found
    if RULES[found[0].looks_like].role is not Role.SENSITIVE:
        return found
    return tuple(sorted(found, key=lambda each: each.looks_like is not LooksLike.KEY))


def _proposal(engine: Engine, evidence: Evidence, likeness: FieldLikeness) -> Proposal:
    if likeness.looks_like in OF_THE_EXTRACT and not evidence.table and _is_constant(evidence):
        why = "every row has the same value, so it describes the table and distinguishes nobody"
        return Proposal(role=Role.INSENSITIVE, reasons=(why,))
    rule = RULES[likeness.looks_like]
    if rule.role is Role.QUASI and evidence.profile.rows and not evidence.present:
        return Proposal(role=Role.INSENSITIVE, reasons=(RULES[LooksLike.EMPTY].reason,))
    if rule.role is Role.SENSITIVE and evidence.kind is FieldKind.TEXT:
        named = holds_names(engine, evidence)
        if named:
            return _with_names(named)
    reasons = [rule.reason]
    hierarchy, width = None, ""
    if rule.role is Role.QUASI:
        hierarchy, why = propose_hierarchy(engine, evidence, likeness.looks_like)
        reasons.append(why)
    if rule.role is Role.SENSITIVE:
        hint = if_it_were_quasi(evidence, likeness.looks_like)
        width = interval_width(evidence)
        close = closeness_hint(evidence.name, width) if width else ""
        reasons.extend(each for each in (hint, close) if each)
        if evidence.unique_share >= STANDS_OUT:
            alone = percent(evidence.unique_share)
            reasons.append(f"{alone} of its values occur once: the exact value identifies the row")
    return Proposal(
        role=rule.role,
        reasons=tuple(reasons),
        hierarchy=hierarchy,
        replace=rule.replace,
        width=float(width) if width and can_be_spread(engine, evidence.name, width) else None,
        open=rule.open or likeness.confidence < UNSURE,
    )


def _with_names(why: str) -> Proposal:
    """A field in clear that holds names would release them: it is removed until a person has
    reviewed it."""
    text = RULES[LooksLike.FREE_TEXT]
    return Proposal(
        role=Role.TEXT,
        reasons=(
            f'{why}: it is left out, or, without the line "replace", scrubbed',
            'where these are no names of people, role = "sensitive" keeps it',
        ),
        replace=text.replace,
        open=True,
    )


def _is_constant(evidence: Evidence) -> bool:
    profile = evidence.profile
    return profile.distinct == 1 and not profile.nulls and profile.rows >= FEWEST_ROWS


MOST_MISSING, MOSTLY = 0.1, 0.5
# In this order: a key made for people first, then numbers that people have, then keys of whatever
# the rows are.
_PERSON_KEYS = (
    LooksLike.PERSON_KEY,
    LooksLike.SSN,
    LooksLike.NATIONAL_NUMBER,
    LooksLike.MEDICAL_RECORD,
    LooksLike.KEY,
)


def person_key(
    fields: tuple[FieldSurvey, ...], *, shared: frozenset[str] = frozenset()
) -> FieldSurvey | None:
    """The field that identifies the rows of one person, where its values repeat; of several, the
    one that keeps most rows together, after those that many rows lack. None of those that are
    `shared` by people or that most rows lack, as a release refuses rows of nobody, and where each
    row has its own key of a person, no other number that many rows lack."""
    own = any(_is_own_key(item) for item in fields)
    repeated = [
        item
        for item in fields
        if item.looks_like in _PERSON_KEYS
        and item.name not in shared
        and item.missing_share <= MOSTLY
        and not (own and item.looks_like is LooksLike.KEY and item.missing_share > MOST_MISSING)
        and item.confidence >= (0.8 if item.looks_like is LooksLike.KEY else 0.5)
        and 1 < item.distinct < item.rows - item.missing
    ]
    return min(
        repeated,
        key=lambda item: (
            item.missing_share > MOST_MISSING,
            _PERSON_KEYS.index(item.looks_like),
            item.distinct,
        ),
        default=None,
    )


def _is_own_key(item: FieldSurvey) -> bool:
    """Whether it is a key of people by name and values, and different in every row."""
    sure = item.looks_like is LooksLike.PERSON_KEY and item.confidence >= 0.9
    return sure and item.unique == item.rows > 1


def keep_rows_together(item: FieldSurvey) -> FieldSurvey:
    """A person key must be released as something, so that a person's rows can still be linked to
    each other."""
    replacement = item.proposal.replace
    if replacement is None or replacement.method is not Method.REMOVE:
        return item
    reasons = (*item.proposal.reasons, "a keyed hash keeps one person's rows together")
    kept = replace(item.proposal, replace=Replacement(method=Method.HASH), reasons=reasons)
    return replace(item, proposal=kept)


def leave_something(fields: tuple[FieldSurvey, ...]) -> tuple[FieldSurvey, ...]:
    """A policy that removes every field releases nothing: the first one is then replaced by a keyed
    hash."""
    removed = [item.proposal.replace == Replacement(method=Method.REMOVE) for item in fields]
    return (keep_rows_together(fields[0]), *fields[1:]) if fields and all(removed) else fields
