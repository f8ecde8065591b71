"""The policy that a survey proposes, as a record and as a commented file for a person to review."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap

from sfumato.errors import SourceError
from sfumato.policy import (
    Policy,
    Role,
    SourceFormat,
    policy_as_toml,
    policy_from_table,
    source_as_table,
)
from sfumato.wording import counted

from .detectors.dates import BIRTH_PHRASES
from .evidence import percent, sentence
from .missing_values import words_in_words
from .name_words import phrase_in, words_of
from .number_closeness import SHARE
from .records import Dependence, DependenceKind, FieldSurvey, LooksLike, Survey
from .roles import RULES
from .told_twins import told_dependences
from .twins import telling_fields, twin_sentence, with_copies

K = 5
MAX_SUPPRESSION = 0.05
WIDE = 10
"""With more quasi-identifiers than this, k over all of them at once suppresses nearly a whole
table."""
KNOWN_BESIDES = 2
_KEPT = (Role.SENSITIVE, Role.INSENSITIVE)
REGISTER = frozenset(
    {
        LooksLike.BIRTH_DATE,
        LooksLike.AGE,
        LooksLike.SEX,
        LooksLike.HONORIFIC,
        LooksLike.ETHNICITY,
        LooksLike.MARITAL_STATUS,
        LooksLike.FAMILY,
        LooksLike.ZIP,
        LooksLike.PLACE,
        LooksLike.COORDINATE,
        LooksLike.STATE,
        LooksLike.COUNTRY,
    }
)
"""Facts that registers hold and neighbours know of everybody: birth, sex, origin, family and
place."""
BIRTH_YEARS = (*BIRTH_PHRASES, "yob", "geburtsjahr")
WIDTH = 108
SOME_TWINS, FLAG = 3, 2
WANTED = (
    LooksLike.AGE,
    LooksLike.BIRTH_DATE,
    LooksLike.SEX,
    LooksLike.ETHNICITY,
    LooksLike.EDUCATION,
    LooksLike.OCCUPATION,
    LooksLike.STATE,
    LooksLike.DATE,
)
MOST_CATEGORIES = 30
CONFIDENCE, MOST_ALIKE = 0.8, 0.6
ENOUGH_FOR_CONFIDENCE = 2_000
"""The least rows of a wide table at which a confidence is proposed."""
"""A confidence that a person could ask for, of fields whose commonest value is in no more rows."""
WHY_KEPT = "Analysts usually want these most, so the search weighs them ten times. Name your own."


def propose_policy(
    survey: Survey,
    *,
    name: str = "policy",
    folder: Path = Path(),
    source: SourceFormat | None = None,
) -> Policy:
    """The proposed policy. It is marked as proposed: nobody has decided anything yet.

    `source` holds the person's options for reading the source, which are written into the policy
    too. Raises SourceError where the source has fewer people than must share what is released.
    """
    check_people(survey.title, _people(survey))
    return policy_from_table(_table(survey) | source_section(source), name=name, folder=folder)


def source_section(source: SourceFormat | None) -> dict[str, object]:
    """How a source is read, in the form of the policy file, where there is anything to say."""
    said = {} if source is None else source_as_table(source)
    return {"source": said} if said else {}


def proposed_toml(survey: Survey, *, source: SourceFormat | None = None) -> str:
    """The proposed policy as the text of a file, with the reasons as comments."""
    policy = propose_policy(survey, source=source)
    comments = {
        "entity": [f"The values of {survey.entity} repeat: one person may have several rows."],
        "release_to": [
            "Anyone, who may know every quasi-identifier. Name another profile for a known "
            "recipient."
        ],
        "keep": [WHY_KEPT],
        "require": _why_these_requirements(survey),
        "solve": [_why_this_solver(survey)],
    }
    # A field's own reasons come first.
    comments |= reasons_of(survey.fields, survey.dependences)
    return policy_as_toml(policy, comments=comments, header=_header(survey))


def _table(survey: Survey) -> dict[str, object]:
    out: dict[str, object] = {"proposed": True}
    if survey.entity is not None:
        out["entity"] = survey.entity
    out["release_to"] = "public"
    wanted = wanted_fields(survey.fields)
    if wanted:
        out["keep"] = wanted
    out["fields"] = fields_table(survey.fields, survey.dependences)
    if survey.entity is not None and _is_wide(survey):
        out["row_counts"] = {"bin_size": K}  # k alone would ask for it.
    out["require"] = _required(survey) | {"max_suppression": MAX_SUPPRESSION}
    out["solve"] = {"solver": _solver(survey)}
    return out


def _solver(survey: Survey) -> str:
    """Where people of a wide table are counted, a search by levels and clusters takes too long."""
    return "greedy" if _is_wide(survey) and survey.entity is not None else "best"


def _required(survey: Survey) -> dict[str, object]:
    """k over all quasi-identifiers; of a wide table, over what a bounded recipient knows."""
    if not _is_wide(survey):
        return {"k": K} | _spread(survey)
    known: dict[str, object] = {
        "k": K,
        "m": KNOWN_BESIDES,
        "register": list(_register(survey)),
    }
    if _is_limited(survey):
        known |= {"confidence": CONFIDENCE, "fields": list(_limited_fields(survey))}
    return {"bounded_knowledge": [known]}


def _is_limited(survey: Survey) -> bool:
    """Whether a confidence is proposed. A group of few people has one value by chance, so a small
    table keeps little under it; people with several rows are not searched for it."""
    enough = survey.rows >= ENOUGH_FOR_CONFIDENCE and survey.entity is None
    return enough and bool(_limited_fields(survey))


def _spread(survey: Survey) -> dict[str, object]:
    """The requirement on the spread of sensitive numbers in a bin, where each person has one row
    and some field is known."""
    if survey.entity is not None or not any(
        item.proposal.role is Role.QUASI for item in survey.fields
    ):
        return {}
    asked = [
        {"width": item.proposal.width, "share": SHARE, "fields": [item.name]}
        for item in survey.fields
        if item.proposal.role is Role.SENSITIVE and item.proposal.width is not None
    ]
    return {"value_spread": asked} if asked else {}


def _is_wide(survey: Survey) -> bool:
    return sum(item.proposal.role is Role.QUASI for item in survey.fields) > WIDE


def _register(survey: Survey) -> tuple[str, ...]:
    """The quasi-identifiers that registers hold."""
    return tuple(
        item.name
        for item in survey.fields
        if item.proposal.role is Role.QUASI and _known_kind(item) in REGISTER
    )


def _known_kind(item: FieldSurvey) -> LooksLike:
    """What a field looks like; a year of birth is known like a birth date, and wanted like one."""
    is_birth = item.looks_like is LooksLike.YEAR and phrase_in(words_of(item.name), BIRTH_YEARS)
    return LooksLike.BIRTH_DATE if is_birth else item.looks_like


def wanted_fields(fields: Sequence[FieldSurvey]) -> list[str]:
    """The quasi fields that analysts usually want most, one of each kind: the one with most values,
    and in words rather than codes. An age counts as a birth date, and one of several dates is not
    more wanted than the others. A category of many values can only be kept or suppressed: keeping
    it would cost the others."""
    found: dict[LooksLike, list[FieldSurvey]] = {}
    for item in fields:
        kind = _known_kind(item)
        if kind in WANTED and item.proposal.role is Role.QUASI and _is_short(item):
            found.setdefault(kind, []).append(item)
    if any(item.distinct > FLAG for item in found.get(LooksLike.AGE, ())):
        found.pop(LooksLike.BIRTH_DATE, None)
    if len(found.get(LooksLike.DATE, ())) > 1:
        del found[LooksLike.DATE]
    chosen = {max(items, key=_detail).name for items in found.values()}
    return [item.name for item in fields if item.name in chosen]


def _detail(item: FieldSurvey) -> tuple[int, bool, int]:
    """How much a field says, text before codes; of two alike, the one with the plainer name."""
    return item.distinct, item.kind.value == "text", -len(words_of(item.name))


def _is_short(item: FieldSurvey) -> bool:
    """Whether it has some, but few values, or a hierarchy that offers more than keeping or
    suppressing one."""
    if item.distinct < 2:
        return False
    has_steps = "suppress" not in (item.proposal.hierarchy or {"suppress": True})
    return has_steps or item.distinct <= MOST_CATEGORIES


def fields_table(
    fields: Sequence[FieldSurvey],
    twins: Sequence[Dependence],
    *,
    linked: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, dict[str, object]]:
    """The proposals for each field, in the form of the policy file. `linked` are fields of other
    tables that a field discloses."""
    told = _with_linked(told_in_clear(fields, twins), linked or {})
    return {item.name: _field_table(item, told.get(item.name, ())) for item in fields}


def told_in_clear(
    fields: Sequence[FieldSurvey], twins: Sequence[Dependence]
) -> dict[str, tuple[str, ...]]:
    """Fields that are proposed to be released unchanged, and the other fields that each discloses.

    A release refuses that unless the policy accepts it, which only a person can do. The proposal
    accepts it and marks the field as an open question. Equal copies of a field disclose what it
    discloses."""
    roles = {item.name: item.proposal.role for item in fields}
    removed = (Role.DIRECT, Role.TEXT)
    out: dict[str, tuple[str, ...]] = {}
    for telling, twin in (pair for found in with_copies(twins) for pair in telling_fields(found)):
        if not all(roles.get(name) in (*_KEPT, Role.QUASI) for name in telling):
            continue
        kept = [name for name in telling if roles.get(name) in _KEPT]
        may_accept = kept or (list(telling) if roles.get(twin) in removed else [])
        if may_accept and roles.get(twin) in (Role.QUASI, *removed):
            out[may_accept[0]] = tuple(dict.fromkeys((*out.get(may_accept[0], ()), twin)))
    return out


def _with_linked(
    told: Mapping[str, tuple[str, ...]], linked: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    return {
        name: (*told.get(name, ()), *linked.get(name, ()))
        for name in dict.fromkeys((*told, *linked))
    }


def _field_table(item: FieldSurvey, told: Sequence[str]) -> dict[str, object]:
    proposal = item.proposal
    out: dict[str, object] = {"role": proposal.role.value}
    if proposal.open or told:
        out["open"] = True
    if told:
        out["may_tell"] = list(told)
    if proposal.replace is not None:
        out["replace"] = proposal.replace.method.value
    if proposal.hierarchy is not None:
        out["hierarchy"] = dict(proposal.hierarchy)
    if proposal.finest is not None:
        out["finest"] = proposal.finest
    if item.null_words:
        out["null_words"] = list(item.null_words)
    if proposal.shift is not None:
        out["shift"] = {"days": proposal.shift}
    return out


def check_people(title: str, people: int) -> None:
    """Refuse to propose a policy for fewer people than must share what is released: with a smaller
    k, nobody is hidden."""
    if people < K:
        raise SourceError(
            f"A policy with k = {K} was asked for {title}.",
            found=f"It is about {counted(people, 'person', 'people')}, so no {K} can share "
            "anything.",
            attempt=f"a table of at least {K} people, or a policy of your own (docs/policy.md).",
        )


def _people(survey: Survey) -> int:
    return survey.rows if survey.entity is None else survey.field(survey.entity).distinct


def _header(survey: Survey) -> list[str]:
    return [
        f"Proposed by sfumato survey from {survey.title}: {counted(survey.rows, 'row')}, "
        f"{counted(len(survey.fields), 'field')}.",
        "",
        "A survey proposes; a person decides. It knows names, patterns and counts. It does "
        "not know what others",
        "know about these people, so it cannot find every quasi-identifier. Go through "
        "every field below, change",
        "what is wrong, and then delete the line proposed = true. A field with",
        "open = true was not understood: no release passes before a person has decided about it.",
        *wrapped(line for warning in survey.warnings for line in ("", warning)),
    ]


def reasons_of(
    fields: Sequence[FieldSurvey],
    twins: Sequence[Dependence],
    *,
    linked: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, list[str]]:
    """The reasons for what is proposed for each field, as the lines of a comment."""
    told = _with_linked(told_in_clear(fields, twins), linked or {})
    named = told_dependences(twins, fields)
    return {item.name: _why(item, named, told.get(item.name, ())) for item in fields}


def _open_question(item: FieldSurvey) -> tuple[str, ...]:
    if not item.proposal.open:
        return ()
    clear = item.proposal.role is Role.SENSITIVE
    as_it_is = " As sensitive, it is released as it is." if clear else ""
    return (
        "OPEN: decide what this field is, and whether someone outside may know it; then delete "
        f"open = true.{as_it_is}",
    )


def _why(item: FieldSurvey, twins: Sequence[Dependence], told: Sequence[str]) -> list[str]:
    lines = [
        f"Looks like {item.looks_like.value} ({percent(item.confidence)} sure). "
        f"{sentence(item.likeness.reasons)}",
        f"Proposed as {item.proposal.role.value}. {sentence(item.proposal.reasons)}",
        *_open_question(item),
        f"{item.distinct:,} different values, {percent(item.missing_share)} missing, "
        f"{percent(item.unique_share)} of rows unique.",
    ]
    if item.null_words:
        lines.append(f"Taken for missing values (null_words): {words_in_words(item.null_words)}.")
    others = [
        other for other in item.others if RULES[other.looks_like].role is not item.proposal.role
    ]
    if others:
        could = ", ".join(
            f"{other.looks_like.value} ({percent(other.confidence)})" for other in others
        )
        lines.append(f"It could also be: {could}.")
    if told:
        names = " and ".join(told)
        lines.append(
            f"OPEN: it is released as it is and discloses {names}, which may_tell accepts. "
            "Decide whether it may; then delete open = true."
        )
    own = [twin_sentence(found) for found in twins if item.name in found.fields]
    if own:
        more = f"; and {len(own) - SOME_TWINS} more" if len(own) > SOME_TWINS else ""
        lines.append(
            f"Twins: {'; '.join(own[:SOME_TWINS])}{more}. Treat them alike, or leave one out."
        )
    return wrapped(lines)


def wrapped(lines: Iterable[str]) -> list[str]:
    """Lines short enough for a comment; an empty one stays."""
    return [part for line in lines for part in wrap(line, WIDTH) or [""]]


def _why_this_solver(survey: Survey) -> str:
    if _solver(survey) == "greedy":
        return "greedy: one level for each field, and cells that are too rare are blank."
    if _is_wide(survey):
        return (
            "best: a global or a local recoding, or one with blank cells, whichever loses least "
            "in 60 seconds."
        )
    return "best: a global or a local recoding, whichever loses less in 60 seconds."


def _why_bounded(survey: Survey) -> list[str]:
    """Why k is not required over all fields at once, and what a person must review."""
    quasi = sum(item.proposal.role is Role.QUASI for item in survey.fields)
    named = len(_register(survey))
    return wrapped(
        [
            f"bounded_knowledge: {quasi} fields are quasi-identifiers, and nobody knows all of "
            f"someone's. A recipient is taken to know the {counted(named, 'register field')} and "
            f"any {KNOWN_BESIDES} others. Every such combination is shared by at least "
            f"{K} people.",
            "LOOK: add to register the fields that neighbours, colleagues or public lists "
            "know of everybody. A recipient who may know more needs a larger m.",
            *_why_no_confidence(survey),
        ]
    )


def _why_no_confidence(survey: Survey) -> Iterator[str]:
    """Which sensitive fields a confidence could be asked of, and of which none can hold."""
    counted_fields = [item for item in survey.fields if item.alike is not None]
    can = _limited_fields(survey)
    if can:
        named = ", ".join(f'"{name}"' for name in can)
        means = (
            f"No value of these has over {percent(MOST_ALIKE)} of the rows, so it can hold. Fields "
            "that determine one of these are limited with it."
        )
        if _is_limited(survey):
            yield (
                f"confidence = {CONFIDENCE:g}: of those who share such a combination, no more have "
                f"one value of fields. {means} It costs detail: without it, fewer cells are blank."
            )
        else:
            yield (
                f"CONSIDER: confidence = {CONFIDENCE:g} and fields = [{named}] also limit what is "
                f"inferred. {means} It is not proposed, because few people share a combination, "
                "and few have one value by chance."
            )
    cannot = [item for item in counted_fields if (item.alike or 0.0) > CONFIDENCE]
    if cannot:
        named = ", ".join(f"{item.name} ({percent(item.alike or 0.0)})" for item in cannot)
        yield (
            f"A confidence of {CONFIDENCE:g} cannot hold of a field in which more rows have one "
            f"value: {named}."
        )


def _limited_fields(survey: Survey) -> tuple[str, ...]:
    """The sensitive fields of which a confidence can be asked, without those that determine another
    one: whoever infers a score infers its class, so a limit of the class limits the score."""
    can = [item for item in survey.fields if item.alike is not None and _can_be_limited(item)]
    names = {item.name: item.distinct for item in can}
    finer = {
        one
        for found in with_copies(survey.dependences)
        for (one, *rest), other in telling_fields(found)
        if not rest
        and not found.is_of_value
        and found.kind is not DependenceKind.MONOTONE
        and one in names
        and other in names
        and (names[one], [*names].index(one)) > (names[other], [*names].index(other))
    }
    return tuple(name for name in names if name not in finer)


def _can_be_limited(item: FieldSurvey) -> bool:
    """Whether rows share its values, and none has most rows."""
    shared = item.distinct <= MOST_CATEGORIES and item.unique_share < MOST_ALIKE
    return shared and 0 < (item.alike or 0.0) <= MOST_ALIKE


_WHY_SUPPRESSION = (
    f"max_suppression = {MAX_SUPPRESSION}: the share of rows that may be suppressed, so that "
    "a few outliers do not coarsen everyone."
)


_WHY_SPREAD = (
    f"value_spread: in no bin are over {percent(SHARE)} of the numbers in an interval narrower than "
    "width, a twentieth of where most numbers are. Numbers that all differ may still be nearly equal. "
    "A larger width or a smaller share is stricter."
)


def _why_these_requirements(survey: Survey) -> list[str]:
    if _is_wide(survey):
        return [*_why_bounded(survey), _WHY_SUPPRESSION]
    lines = [
        f"k = {K}: every released row shares its quasi-identifiers with at least {K - 1} "
        "others, so that a guess whose",
        f"row it is succeeds at most one time in {K}. For data that anyone may have, 5 is a "
        "common minimum, 11 stricter.",
        *(wrapped([_WHY_SPREAD]) if _spread(survey) else ()),
        _WHY_SUPPRESSION,
    ]
    if not any(item.proposal.role is Role.QUASI for item in survey.fields):
        lines.append("No field was recognised as a quasi-identifier: check that this is right.")
    return lines
