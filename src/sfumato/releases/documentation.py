"""The documentation of an agency for each data set (Garfinkel 2016, section 3.3): questions that
the policy and the verdicts answer, beside those that a person answered or left open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sfumato.policy import QUESTIONS, Field, Method, Policy, Role, encrypted_fields
from sfumato.wording import counted, some_of

from .checks import Check, same_as_said

BY_RELEASE, BY_HOLDER, BY_NOBODY = "release", "holder", "nobody"
OPEN = "Not answered: a person answers it in [documentation] of the policy."
MOST_NAMED = 12
_LEADING_BACK = {
    Method.HASH: "by a keyed hash",
    Method.LOOKUP: "by a lookup table",
    Method.SURROGATE: "by surrogates that a key draws",
}

Verdicts = Sequence[Mapping[str, Any]]


def documentation_facts(
    policy: Policy, verdicts: Verdicts, *, software: str
) -> list[dict[str, str]]:
    """Each question with its answer, and who gave it."""
    out = []
    for each in QUESTIONS:
        if each.is_counted:
            answer, by = _COUNTED[each.key](policy, verdicts, software), BY_RELEASE
        else:
            answer = policy.documentation.get(each.key, "")
            answer, by = (answer, BY_HOLDER) if answer else (OPEN, BY_NOBODY)
        out.append({"question": each.question, "answer": answer, "answered_by": by})
    return out


def documentation_check(facts: Mapping[str, Any], policy: Policy) -> Iterator[Check]:
    """The answers follow from policy and verdicts; those of a person are the policy's."""
    yield same_as_said(
        "answers of the documentation are those of policy and verdicts",
        facts["documentation"],
        documentation_facts(policy, facts["verdicts"], software=facts["sfumato"]),
    )


def _fields(policy: Policy) -> dict[str, Field]:
    if not policy.tables:
        return dict(policy.fields)
    return {
        f"{table.name}.{name}": field
        for table in policy.tables.values()
        for name, field in table.fields.items()
    }


def _named(names: Sequence[str]) -> str:
    return some_of(list(names), MOST_NAMED)


def _techniques(policy: Policy, verdicts: Verdicts, software: str) -> str:
    models = list(dict.fromkeys(each["model"] for each in verdicts))
    steps = list(dict.fromkeys(step.technique for step in policy.steps))
    return " ".join(
        (
            f"Protection models: {', '.join(models) or 'none'}."
            f" Solver: {'channels' if policy.channels else policy.solve.solver}.",
            *((f"Techniques: {', '.join(steps)}.",) if steps else ()),
            "The page of each names the publication that it follows and what it does not protect.",
        )
    )


def _software(policy: Policy, verdicts: Verdicts, software: str) -> str:
    return (
        f"Sfumato {software}. Tables were counted again after they were written, and every verdict "
        "rests on that count."
    )


def _tests(policy: Policy, verdicts: Verdicts, software: str) -> str:
    by = {
        outcome: sum(each["outcome"] == outcome for each in verdicts)
        for outcome in ("pass", "review", "fail")
    }
    said = ", ".join(f"{count} {outcome}" for outcome, count in by.items() if count)
    return (
        f"{counted(len(verdicts), 'verdict')} on the written tables: {said or 'none'}. `sfumato "
        "verify` repeats them; `sfumato assess` attacks the release."
    )


def _direct(policy: Policy, verdicts: Verdicts, software: str) -> str:
    names = [name for name, field in _fields(policy).items() if field.role is Role.DIRECT]
    return f"Yes: {counted(len(names), 'field')}: {_named(names)}." if names else "No."


def _quasi(policy: Policy, verdicts: Verdicts, software: str) -> str:
    names = [name for name, field in _fields(policy).items() if field.role is Role.QUASI]
    if not names:
        return "No field is a quasi-identifier by the policy."
    sizes = [each["smallest"] for each in verdicts if each["model"] in _SIZED]
    said = f"{counted(len(names), 'quasi-identifier')}: {_named(names)}."
    if sizes:
        return f"{said} The smallest bin over the fields judged together has {min(sizes):,}."
    return f"{said} No verdict states the size of their bins."


_SIZED = ("k-anonymity", "k-people", "k-map", "bin sizes", "average risk", "maximum risk")


def _map(policy: Policy, verdicts: Verdicts, software: str) -> str:
    ways = [
        f"{name} ({_LEADING_BACK[field.replace.method]})"
        for name, field in _fields(policy).items()
        if field.replace is not None and field.replace.method in _LEADING_BACK
    ]
    ways += [f"{name} (encrypted)" for name in sorted(encrypted_fields(policy))]
    shifted = [name for name, field in _fields(policy).items() if field.shift is not None]
    ways += [f"{name} (dates moved by a number of days that a key draws)" for name in shifted]
    if not ways:
        return "No released value was made with a key or a table that leads back."
    return f"Yes, with the holder: {_named(ways)}."


_COUNTED: Mapping[str, Callable[[Policy, Verdicts, str], str]] = {
    "techniques": _techniques,
    "software": _software,
    "tests": _tests,
    "direct_identifiers": _direct,
    "quasi_identifiers": _quasi,
    "map": _map,
}
