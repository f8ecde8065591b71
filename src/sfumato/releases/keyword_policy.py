"""The policy of keyword arguments: `release(frame, quasi=[…], sensitive=[…], k=5)`.

Every field has a role. Fields that nobody named are surveyed: direct identifiers and free text are
removed, all other fields are quasi-identifiers. Only `insensitive` keeps a field as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sfumato import surveys
from sfumato.engines import Engine
from sfumato.errors import Mistake, PolicyError, Problem
from sfumato.parts import did_you_mean, with_question
from sfumato.policy import (
    SETTINGS,
    LooksAt,
    Method,
    NullWords,
    Policy,
    Role,
    SourceFormat,
    policy_from_table,
    source_as_table,
)
from sfumato.wording import counted

if TYPE_CHECKING:
    from sfumato.surveys import FieldSurvey, Survey

ROLES = tuple(role.value for role in Role)


@dataclass(frozen=True, kw_only=True)
class PolicyKeywords:
    """The keyword arguments of a call. `roles` are names of fields by role, `require` numbers of
    requirements by their keys in a policy file."""

    roles: Mapping[str, Any] = field(default_factory=dict)
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    require: Mapping[str, Any] = field(default_factory=dict)
    entity: str = ""
    keep: Any = ()
    records: tuple[object, ...] = ()

    @classmethod
    def of(
        cls,
        *,
        roles: Mapping[str, Any],
        hierarchies: Mapping[str, Any] | None,
        entity: str,
        keep: Any,
        require: object,
        numbers: Mapping[str, Any],
    ) -> PolicyKeywords:
        asked = dict(require) if isinstance(require, Mapping) else {}
        for key, value in numbers.items():
            if value is not None:
                asked[key] = value
        return cls(
            roles={role: names for role, names in roles.items() if not _is_empty(names)},
            hierarchies=dict(hierarchies or {}),
            require=asked,
            entity=entity,
            keep=keep,
            records=tuple(require or ()) if isinstance(require, Sequence) else (),
        )

    def __bool__(self) -> bool:
        return bool(
            self.roles
            or self.hierarchies
            or self.require
            or self.entity
            or not _is_empty(self.keep)
        )

    @property
    def models(self) -> tuple[str, ...]:
        """The keys of models that numbers or a dict ask for."""
        return tuple(key for key in self.require if key not in SETTINGS)

    def all_records(self, policy: Policy) -> tuple[object, ...] | None:
        """Everything that is asked for as records, with numbers beside them; None where no record
        is."""
        if not self.records:
            return None
        own = (record for declared, record in policy.require.items() if declared.key in self.models)
        return (*own, *self.records)

    @property
    def given(self) -> tuple[str, ...]:
        """The keywords that were used."""
        short = {"l_diversity": "l", "t_closeness": "t"}
        return (
            *self.roles,
            *(("hierarchies",) if self.hierarchies else ()),
            *(("entity",) if self.entity else ()),
            *(("keep",) if not _is_empty(self.keep) else ()),
            *(short.get(key, key) for key in self.require),
        )


@dataclass(frozen=True, kw_only=True)
class KeywordPolicy:
    """The policy, what was decided about fields that nobody named (field → role and reason), and
    what a person has to confirm besides."""

    policy: Policy
    surveyed: Mapping[str, str]
    reviews: tuple[str, ...] = ()


def check_alone(keywords: PolicyKeywords, policy: object) -> None:
    """A policy and keywords could contradict each other."""
    if isinstance(policy, list | tuple):
        raise Mistake(
            "A list was given in place of a policy.",
            found="A policy is a file, the text of one, a dict or a Policy.",
            attempt="quasi=[…] for the names of fields that others may know.",
        )
    if policy is not None and keywords:
        raise Mistake(
            f"A policy was given, and {', '.join(keywords.given)} too.",
            found="The policy decides these already.",
            attempt="one of them; require=[sfumato.models.KAnonymity(k=10)] asks for other "
            "requirements than the policy.",
        )


def policy_of_keywords(
    engine: Engine, keywords: PolicyKeywords, *, format: SourceFormat
) -> KeywordPolicy:
    """The policy for a table that is open. All names that do not fit are reported at once."""
    names = [info.name for info in engine.fields()]
    roles = _roles_by_field(keywords, names)
    found = surveys.survey_table(engine, max_combination=1)
    words = {item.name: tuple(item.null_words) for item in found.fields if item.null_words}
    read = engine.with_nulls(NullWords(fields=words)) if words else engine
    entity = keywords.entity or (
        found.entity if found.entity is not None and found.entity not in roles else ""
    )
    fields: dict[str, dict[str, Any]] = {}
    surveyed: dict[str, str] = {}
    for item in found.fields:
        given = roles.get(item.name)
        table, why = (
            ({"role": given}, "") if given else decide_unnamed(item, is_person=item.name == entity)
        )
        if given == Role.DIRECT and item.name != entity:
            table["replace"] = Method.REMOVE.value
        if why:
            surveyed[item.name] = why
        if table["role"] == Role.QUASI:
            table |= quasi_entries(read, item, given=keywords.hierarchies.get(item.name))
        fields[item.name] = table
    if entity and entity not in surveyed:
        fields[entity] = {"role": Role.DIRECT.value, "replace": Method.HASH.value}
    policy = policy_from_table(_table(keywords, fields, entity, found, format=format))
    return KeywordPolicy(policy=policy, surveyed=surveyed)


def _table(
    keywords: PolicyKeywords,
    fields: Mapping[str, Any],
    entity: str,
    found: Survey,
    *,
    format: SourceFormat,
) -> dict[str, Any]:
    """The policy in the form of its file."""
    decided = bool(keywords.models or keywords.records)
    keep = list(_names("keep", keywords.keep, list(fields), []))
    usual = {} if keywords.models else {"k": max(1, min(surveys.K, found.rows))}
    require = {"max_suppression": surveys.MAX_SUPPRESSION, **usual, **keywords.require}
    source = source_as_table(format)
    return {
        **({} if decided else {"proposed": True}),
        **({"entity": entity} if entity else {}),
        **({"source": source} if source else {}),
        "fields": fields,
        **({"keep": keep} if keep else {}),
        "require": require,
    }


def decide_unnamed(item: FieldSurvey, *, is_person: bool) -> tuple[dict[str, Any], str]:
    """The role of a field that nobody named, and why. When in doubt, it is a quasi-identifier."""
    looks = f"looks like {item.looks_like.value}"
    role = item.proposal.role
    if is_person:
        method = item.proposal.replace.method if item.proposal.replace else Method.HASH
        method = Method.HASH if method is Method.REMOVE else method
        return (
            {"role": Role.DIRECT.value, "replace": method.value},
            f"person key, replaced ({method.value}): {looks}, and its values repeat",
        )
    if role is Role.DIRECT:
        table = {"role": role.value, "replace": Method.REMOVE.value}
        return table, f"left out: {looks}"
    if role is Role.TEXT:
        table = {"role": role.value, "replace": Method.REMOVE.value}
        return table, "left out: looks like free text; text=[…] scrubs it"
    return {"role": Role.QUASI.value}, f"quasi: {looks}"


def quasi_entries(engine: Engine, item: FieldSurvey, *, given: object) -> dict[str, Any]:
    """The hierarchy of a quasi field, given or chosen by its survey, and its words for missing
    values."""
    words = {"null_words": list(item.null_words)} if item.null_words else {}
    if given is not None:
        return {"hierarchy": given, **words}
    table = item.proposal.hierarchy
    if item.proposal.role is not Role.QUASI or table is None:
        found = surveys.gather(engine, item.name)
        table = surveys.hierarchy_if_quasi(engine, found, item.looks_like)
    return {"hierarchy": dict(table), **words}


# ------------------------------------------------------------------------------------------------
# names of fields


def _roles_by_field(keywords: PolicyKeywords, names: Sequence[str]) -> dict[str, str]:
    """The role of each field that was named; PolicyError with every name that does not fit."""
    problems: list[Problem] = []
    out: dict[str, str] = {}
    for role, given in keywords.roles.items():
        for name in _names(role, given, names, problems):
            if name in out and out[name] != role:
                found = f"{name} is named as {out[name]} too."
                problems.append(Problem(where=role, found=found, attempt="one role for a field."))
            out[name] = role
    others = [("hierarchies", name) for name in keywords.hierarchies]
    others += [("entity", keywords.entity)] if keywords.entity else []
    problems += [_no_field(where, name, names) for where, name in others if name not in names]
    list(_names("keep", keywords.keep, names, problems))
    known = {*names}
    problems += [
        Problem(
            where=f"hierarchies.{name}",
            found=f"{name} is {out[name]}, and only a quasi field is generalised.",
            attempt="quasi=[…] for it.",
        )
        for name in keywords.hierarchies
        if name in known and out.get(name, "quasi") != "quasi"
    ]
    if problems:
        raise PolicyError(problems, name="The call of sfumato.release")
    return out


def _names(role: str, given: Any, names: Sequence[str], problems: list[Problem]) -> Iterator[str]:
    """The fields under one keyword: a list, or one name, or several with commas between them."""
    if isinstance(given, str):
        given = [given] if given in names else [part.strip() for part in given.split(",")]
    if isinstance(given, Mapping) or not hasattr(given, "__iter__"):
        found = "It must be a list of names of fields."
        problems.append(Problem(where=role, found=found, attempt=f'{role}=["{names[0]}"].'))
        return
    for label in given:
        name = label if isinstance(label, str) else str(label)
        if name in names:
            yield name
        else:
            problems.append(_no_field(role, name, names))


def _no_field(where: str, name: str, names: Sequence[str]) -> Problem:
    said = with_question(f'There is no field "{name}".', name, names)
    some = f"{', '.join(names[:12])}{', …' if len(names) > 12 else ''}"
    return Problem(where=where, found=said, attempt="" if "mean" in said else f"one of {some}.")


def _is_empty(given: Any) -> bool:
    return given is None or (hasattr(given, "__len__") and len(given) == 0)


# ------------------------------------------------------------------------------------------------
# what a person should look at


def unguarded_fields(policy: Policy) -> tuple[str, ...]:
    """Sensitive fields whose values no requirement protects: membership in a bin may disclose
    them."""
    every = policy.named(Role.SENSITIVE) or tuple(
        f"{table}.{name}"
        for table, own in policy.tables.items()
        for name, item in own.fields.items()
        if item.role is Role.SENSITIVE
    )
    looked: set[str] = set()
    for declared, asked in policy.require.looking_at(LooksAt.SENSITIVE):
        looked |= {*(declared.sensitive(asked, policy) or every)}
    return tuple(name for name in every if name not in looked)


def review_reasons(policy: Policy, keywords: PolicyKeywords) -> tuple[str, ...]:
    """Why a release by keywords is *review* at best."""
    out = []
    fields = unguarded_fields(policy)
    if fields:
        noun = counted(len(fields), "sensitive field has", "sensitive fields have")
        out.append(
            f"{noun} no protection model: {', '.join(fields)}. Try l=3 or t=0.2, or confirm the "
            "policy."
        )
    if not keywords.models and not keywords.records:
        out.append(f"No protection was asked for: k = {policy.require.k} is proposed.")
    return tuple(out)


# ------------------------------------------------------------------------------------------------
# keywords that do not exist

_OTHER_WORDS = {
    "qi": "quasi",
    "qid": "quasi",
    "qids": "quasi",
    "qis": "quasi",
    "quasi_ids": "quasi",
    "quasi_ident": "quasi",
    "quasi_identifiers": "quasi",
    "key_variables": "quasi",
    "sa": "sensitive",
    "sensitive_attributes": "sensitive",
    "ident": "direct",
    "id": "direct",
    "ids": "direct",
    "identifiers": "direct",
    "direct_identifiers": "direct",
    "drop": "direct",
    "remove": "direct",
    "ignore": "insensitive",
    "other": "insensitive",
    "person": "entity",
    "supp_level": "max_suppression",
    "suppression": "max_suppression",
    "suppression_limit": "max_suppression",
    "output": "to",
    "out": "to",
    "path": "to",
    "folder": "to",
    "hierarchy": "hierarchies",
    "models": "require",
    "algorithm": "solver",
    "method": "solver",
}


_ELSEWHERE = {
    "epsilon": "sfumato.synthesize, whose rows are drawn under a privacy budget.",
    "rho": "sfumato.synthesize, whose rows are drawn under a privacy budget.",
    "delta": "sfumato.synthesize, whose rows are drawn under a privacy budget.",
}
"""Keywords of other verbs, and the verb to use."""


def is_word_for(name: str) -> bool:
    """Whether another library has that keyword for one of ours."""
    return name.lower() in _OTHER_WORDS


def check_known(given: Mapping[str, Any], known: Sequence[str], *, verb: str) -> None:
    """Refuse keywords that a verb does not take, all at once, and name near ones."""
    strange = [name for name in given if name not in known]
    if not strange:
        return
    elsewhere = next((_ELSEWHERE[name] for name in strange if name in _ELSEWHERE), "")
    meant = {name: _OTHER_WORDS.get(name.lower(), "") for name in strange}
    questions = [
        f'Did you mean "{word}" for {name}?' if word in known else did_you_mean(name, known)
        for name, word in meant.items()
        if name not in _ELSEWHERE
    ]
    asked = ", ".join(strange)
    raise Mistake(
        f"{verb} was called with {asked}.",
        found=f"It has no such {'keyword' if len(strange) == 1 else 'keywords'}. "
        f"{' '.join(filter(None, questions))}".rstrip(),
        attempt=elsewhere or "" if all(questions) else f"one of {', '.join(known)}.",
    )
