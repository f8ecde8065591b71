"""Claims of a manifest and requirements of its policy, held against what was counted on the
release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sfumato.errors import as_caller_writes
from sfumato.policy import OutsideNeed
from sfumato.protection import Outcome, Verdict
from sfumato.report import table, tag

from .required_verdicts import RequiredVerdict, matches

ORIGINALS = "no original of what was masked is in the files"
"""The claim of scrubbed texts. It is here, so that a table is verified without importing the text
room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One claim: whether it holds, fails, or cannot be seen from the release alone.

    `requirement` is the key of the policy's requirement that the check is about, empty for other
    claims. A requirement under review is undecided, unless a person `accepted` that; any other
    claim under review is one that no folder can prove. `brief` is `found` for a terminal, where
    that is long."""

    claim: str
    outcome: str
    found: str
    requirement: str = ""
    accepted: bool = False
    brief: str = field(default="", repr=False)

    def as_dict(self) -> dict[str, Any]:
        """For programs, which read all of `found`."""
        return {key: value for key, value in asdict(self).items() if key != "brief"}

    @property
    def is_undecided(self) -> bool:
        """Whether it is a requirement that was not judged."""
        return self.outcome == "review" and bool(self.requirement)


def outcome_of(checks: Iterable[Check]) -> Outcome:
    """Fail where a check fails, review where a requirement was not judged, else pass."""
    several = tuple(checks)
    if any(check.outcome == "fail" for check in several):
        return "fail"
    return (
        "review" if any(check.is_undecided and not check.accepted for check in several) else "pass"
    )


class Checks(tuple[Check, ...]):
    """The checks of a release, in order; `outcome` is that of all of them.

    Example:
        >>> Checks([Check(claim="rows", outcome="pass", found="as the manifest says")])
        Checks: pass; 1 holds
    """

    __slots__ = ()

    @property
    def outcome(self) -> Outcome:
        """Fail where a check fails, review where a requirement was not judged, else pass."""
        return outcome_of(self)

    def __repr__(self) -> str:
        holding = sum(each.outcome == "pass" for each in self)
        first = f"Checks: {self.outcome}; {holding} {'holds' if holding == 1 else 'hold'}"
        rest = (each for each in self if each.outcome != "pass")
        return "\n".join(
            (
                first,
                *(f"  {each.outcome}: {each.claim}: {each.brief or each.found}" for each in rest),
            )
        )

    def _repr_html_(self) -> str:
        rows = [(each.outcome, each.claim, each.brief or each.found) for each in self]
        title = tag("p", tag("b", self.outcome), f": {len(self)} checks")
        return str(tag("div", title, table(("outcome", "claim", "found"), rows, caption="Checks")))


def accepted(checks: Iterable[Check], keys: Sequence[str]) -> Checks:
    """The checks, with the undecided requirements that a person named marked as accepted."""
    return Checks(
        replace(check, accepted=True, found=f"{check.found}; accepted as {check.requirement}")
        if check.is_undecided and check.requirement in keys
        else check
        for check in checks
    )


def _not_judged(need: OutsideNeed) -> str:
    """Why a requirement with this need cannot be judged here, and what would help."""
    alone = "cannot be judged from the folder alone"
    return as_caller_writes(
        {
            OutsideNeed.POPULATION: f"{alone}: it needs the population (--population FILE)",
            OutsideNeed.WEIGHTS: f"{alone}: it needs the weights of all rows of the source",
            OutsideNeed.SOURCE: f"{alone}: it needs the source (--source FILE)",
            OutsideNeed.PAIRING: f"{alone}: only the run that made it knew the person of each row",
            OutsideNeed.READER: "only a person who reads the text can say what it still discloses",
            OutsideNeed.PACKAGE: "cannot be judged here: no installed package declares this "
            "protection model",
            OutsideNeed.NOTHING: f"{alone}: the release does not identify the person of a row",
        }[need]
    )


def same(said: object, found: object) -> bool:
    """Whether two values are the same as JSON: 12, 12.0, true and "12" are four values.

    Example:
        >>> same([12, {"a": None}], [12, {"a": None}]), same(12, 12.0), same(1, True)
        (True, False, False)
    """
    if isinstance(said, Mapping) and isinstance(found, Mapping):
        return said.keys() == found.keys() and all(
            same(value, found[key]) for key, value in said.items()
        )
    if isinstance(said, list | tuple) and isinstance(found, list | tuple):
        return len(said) == len(found) and all(map(same, said, found))
    return type(said) is type(found) and said == found


def same_as_said(claim: str, said: object, found: object) -> Check:
    if same(said, found):
        return Check(claim=claim, outcome="pass", found="as the manifest says")
    return Check(claim=claim, outcome="fail", found="not what the manifest says")


def verdict_checks(
    said: Sequence[dict[str, Any]], required: Sequence[RequiredVerdict], found: Sequence[Verdict]
) -> Iterator[Check]:
    """One check for each requirement of the policy, and one for each verdict that it does not ask
    for.

    `said` are the manifest's verdicts, `found` those that could be counted now.
    """
    claims, counted = list(said), list(found)
    absent = [one for one in required if one.needs is OutsideNeed.PACKAGE]
    for one in absent:
        yield Check(
            claim=one.key, outcome="review", found=_not_judged(one.needs), requirement=one.key
        )
    for one in (one for one in required if one.needs is not OutsideNeed.PACKAGE):
        claim = _taken(claims, one)
        verdict = next(
            (
                v
                for v in counted
                if matches(one, model=v.model, requirement=v.requirement, fields=v.fields)
            ),
            None,
        )
        if verdict is not None:
            counted.remove(verdict)
        yield _judged(one, claim, verdict)
    for claim in claims:
        name = f"{claim['model']} ({claim['requirement']})"
        if absent:  # It may be the verdict of a model that is not known here.
            yield Check(
                claim=name,
                outcome="review",
                found=_not_judged(OutsideNeed.PACKAGE),
                requirement=absent[0].key,
            )
            continue
        yield Check(
            claim=name,
            outcome="fail",
            found="the manifest has a verdict that the policy does not require",
        )


def _taken(claims: list[dict[str, Any]], one: RequiredVerdict) -> dict[str, Any] | None:
    for claim in claims:
        if matches(
            one, model=claim["model"], requirement=claim["requirement"], fields=claim["fields"]
        ):
            claims.remove(claim)
            return claim
    return None


def _judged(one: RequiredVerdict, claim: dict[str, Any] | None, verdict: Verdict | None) -> Check:
    """A requirement as it was counted now, as far as it could be, and as in the manifest."""
    if claim is None:
        counted = f"; counted now: {verdict.reason}" if verdict is not None else ""
        found = f"the policy requires it, and the manifest has no verdict on it{counted}"
        return Check(claim=one.name, outcome="fail", found=found, requirement=one.key)
    name = f"{one.model} ({claim['requirement']})"
    if one.needs is OutsideNeed.WEIGHTS:
        return _estimated(one, name, claim, verdict)
    if verdict is None:
        return _unjudged(one, name, claim)
    if same(verdict.as_dict(), claim):
        return Check(claim=name, outcome=verdict.outcome, found=verdict.reason, requirement=one.key)
    if one.needs and verdict.requirement != claim["requirement"] and verdict.outcome == "pass":
        found = (
            f"it holds in what was given, of which the manifest has other numbers: {verdict.reason}"
        )
        return Check(claim=name, outcome="review", found=found, requirement=one.key)
    return Check(
        claim=name, outcome="fail", found=f"counted now: {verdict.reason}", requirement=one.key
    )


def _unjudged(one: RequiredVerdict, name: str, claim: dict[str, Any]) -> Check:
    """A requirement that nobody can judge here is not decided. That a text was scrubbed is a claim
    beside the requirements."""
    if claim["outcome"] not in ("pass", "review"):
        return Check(
            claim=name,
            outcome="fail",
            found="the manifest itself says that it fails",
            requirement=one.key,
        )
    if not _agrees(claim):
        return Check(
            claim=name, outcome="fail", found="its verdict contradicts itself", requirement=one.key
        )
    return Check(
        claim=name,
        outcome="review",
        found=_not_judged(one.needs),
        requirement="" if one.needs is OutsideNeed.READER else one.key,
    )


def _agrees(claim: dict[str, Any]) -> bool:
    """Whether the numbers of a verdict can be those of a release: a verdict that passes counts no
    violation."""
    broken = claim["bins_below"], claim["rows_below"]
    if claim["outcome"] == "pass" and any(broken):
        return False
    return bool(claim["bins_below"] <= claim["bins"] and claim["rows_below"] <= claim["rows"])


def _estimated(
    one: RequiredVerdict, name: str, claim: dict[str, Any], verdict: Verdict | None
) -> Check:
    """A k-map that rests on weights, held against the weights of the released rows alone.

    Those of suppressed rows, and of finer values under a coarser label, are missing from it. A rule
    that holds for the released rows holds, and one that does not may hold all the same."""
    if verdict is not None and verdict.outcome == "pass" and claim["outcome"] == "pass":
        found = f"by the weights of the released rows alone: {verdict.reason}"
        return Check(claim=name, outcome="pass", found=found, requirement=one.key)
    return _unjudged(one, name, claim)
