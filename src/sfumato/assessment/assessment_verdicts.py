"""Verdicts on the measurements, green, amber or red: a question each, its answer in words, and its
rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.bins import Bins
from sfumato.errors import Problem, as_caller_writes
from sfumato.measures import Ads0
from sfumato.policy import Policy, Role
from sfumato.protection import Outcome, Verdict
from sfumato.releases import recount, vacuous_rules
from sfumato.releases.tables import sights
from sfumato.wording import counted, some_of

from .case import Case, unknown_fields
from .page import Judgement

REQUIRED = "Does it keep what the policy requires?"
MOST_NAMED = 5
"""Further fields are counted, not named."""


def worst(judgements: Sequence[Judgement]) -> Outcome:
    """One red makes it red, one amber amber; without a question nothing is green."""
    outcomes = {one.outcome for one in judgements}
    if "fail" in outcomes:
        return "fail"
    return "review" if "review" in outcomes or not outcomes else "pass"


def judged_again(case: Case) -> tuple[Verdict, ...]:
    """The verdicts of the policy's models on the release as it is now."""
    if not case.models:
        return ()
    return recount(case.subject.release, case.required, case.models).verdicts


def about_the_release(case: Case, verdicts: Sequence[Verdict]) -> Iterator[Judgement]:
    """The verdicts before anything is measured: the manifest's claims and the policy's
    requirements."""
    facts = case.opened.facts
    if facts:
        yield _as_described(case)
    yield _required(case, verdicts)
    policy = case.opened.policy
    if policy is not None:
        yield from _other_tables(case, policy)
    yield from _forgotten(case)
    yield from _open_fields(case)
    if policy is not None and _was_proposed(case, policy):
        yield Judgement(
            question="Has a person decided about the policy?",
            outcome="review",
            answer="It was proposed by a survey of the data, and nobody had confirmed it when the "
            "release was made.",
            rule="Amber until a person has read the policy and deleted its line ‘proposed = true’.",
            advice="Read the policy, correct it, and delete its line ‘proposed = true’.",
        )


def _open_fields(case: Case) -> Iterator[Judgement]:
    """The fields that nobody had decided about when the release was made."""
    policy = case.opened.policy
    own = policy.open_fields if policy is not None else ()
    undecided = tuple(case.opened.facts.get("open_fields", own))
    if undecided:
        yield Judgement(
            question="Has a person decided about every field?",
            outcome="review",
            answer=f"{counted(len(undecided), 'field is', 'fields are')} open: "
            f"{some_of(undecided, MOST_NAMED)}.",
            rule="Amber until a person has decided what each field is and deleted its line "
            "‘open = true’.",
        )


def _forgotten(case: Case) -> Iterator[Judgement]:
    """Whether fields that the policy counts as unknown make rows unique for somebody who knows
    them."""
    others = [
        name
        for name in unknown_fields(case.opened, Role.INSENSITIVE)
        if case.subject.release.profile(name).distinct > 1
    ]
    if not others:
        return
    before = Bins.count(case.subject.release, case.subject.known)
    bins = Bins.count(case.subject.release, (*case.subject.known, *others))
    alone = int((bins.counts == 1).sum()) - int((before.counts == 1).sum())
    named = some_of(others, MOST_NAMED)
    if alone:
        more = "more " if (before.counts == 1).any() else ""
        answer = (
            f"{alone:,} {more}of {bins.rows:,} rows are unique for somebody who also knows {named} "
            "of a person."
        )
    else:
        answer = f"No more rows are unique for somebody who also knows {named} of a person."
    yield Judgement(
        question="What if more is known of people than the policy says?",
        outcome="review" if alone else "pass",
        answer=answer,
        rule="Amber where a row is unique over the known fields and those called insensitive: "
        "decide whether somebody "
        "could know these, and make them quasi-identifiers if so.",
        advice="Make insensitive fields that somebody could know quasi-identifiers.",
    )


def _other_tables(case: Case, policy: Policy) -> Iterator[Judgement]:
    """One table is assessed at a time. Where others are about people too, the answer is
    incomplete."""
    seen = sights(policy) if len(policy.tables) > 1 else {}
    others = [
        name
        for name, sight in seen.items()
        if sight.person is not None and name != case.opened.seen.table
    ]
    if others:
        yield Judgement(
            question="Was every table assessed?",
            outcome="review",
            answer=f"No: this assessment covers {case.opened.seen.table}. "
            f"{', '.join(others)} also {'has' if len(others) == 1 else 'have'} rows "
            "of people.",
            rule=as_caller_writes(
                "Amber where other tables have rows of people: each is assessed by itself, "
                "with --table."
            ),
            advice=as_caller_writes("Assess the other tables too, with --table."),
        )


def _was_proposed(case: Case, policy: Policy) -> bool:
    return bool(case.opened.facts.get("policy", {}).get("proposed", policy.proposed))


def _as_described(case: Case) -> Judgement:
    """Digests, rows, fields and links, as in the manifest."""
    checks = [check for check in case.opened.checks if not _is_verdict(case, check.claim)]
    failed = [check.claim for check in checks if check.outcome == "fail"]
    seen = [check for check in checks if check.outcome == "pass"]
    if failed:
        answer = (
            f"No: {', '.join(failed)} {'is' if len(failed) == 1 else 'are'} not as the "
            "manifest says."
        )
    else:
        answer = f"Yes: {len(seen)} claims of the manifest were checked and hold."
    return Judgement(
        question="Is this the release that its manifest describes?",
        outcome="fail" if failed else "pass",
        answer=answer,
        rule="Red where a file, a number of rows, a field or a link is not as the manifest says.",
        anchor="method",
        advice="Share only the files that the manifest describes, or release again.",
    )


def _is_verdict(case: Case, claim: str) -> bool:
    """Whether a check is about a requirement, which is judged by itself."""
    said = {
        f"{one['model']} ({one['requirement']})" for one in case.opened.facts.get("verdicts", ())
    }
    return claim in said


def _required(case: Case, verdicts: Sequence[Verdict]) -> Judgement:
    """Every requirement, judged by the release alone, and by the source too where it is at hand."""
    found = {
        check.claim: check.outcome for check in case.opened.checks if _is_verdict(case, check.claim)
    }
    found |= {f"{verdict.model} ({verdict.requirement})": verdict.outcome for verdict in verdicts}
    broken = [claim for claim, outcome in found.items() if outcome == "fail"]
    broken += [
        f"{problem.where.removeprefix('require.')}, which any release would meet,"
        for problem in _vacuous(case)
    ]
    undecided = [claim for claim, outcome in found.items() if outcome == "review"]
    outcome: Outcome = "fail" if broken else "review" if undecided or not found else "pass"
    if broken:
        answer = f"No: {', '.join(broken)} broken."
    elif undecided:
        decided = len(found) - len(undecided)
        answer = (
            f"{decided} of {len(found)} hold; not decided with the given tables: "
            f"{', '.join(undecided)}."
        )
    elif not found:
        answer = "Nothing was required" + (
            ", because no policy was given." if case.opened.policy is None else "."
        )
    else:
        answer = f"Yes: {f'all {len(found)} requirements hold' if len(found) > 1 else 'the one requirement holds'}, "
        answer += "counted again."
    return Judgement(
        question=REQUIRED,
        outcome=outcome,
        answer=answer,
        rule="Red where a requirement is broken, or any release would meet it; amber where none "
        "was named or one cannot be decided here.",
        anchor="required" if verdicts else "",
        advice="Correct the requirements of the policy, and release again.",
    )


def _vacuous(case: Case) -> list[Problem]:
    """Requirements that protect nobody, because they count values of numbers that all differ."""
    policy = case.opened.policy
    if policy is None or policy.tables:
        return []
    return list(vacuous_rules(policy, case.subject.release))


def about_ads0(found: Ads0 | None, *, by_register: bool) -> Iterator[Judgement]:
    """Property 9 of Sweeney 2000. Against a register, a row that points to one person is a person
    found."""
    if found is None:
        return
    where = "the population" if by_register else "the source"
    who = where if by_register else f"{where}, as if there were a register of just these people"
    nobody = f"{found.pointing_to_nobody:,} of {found.tuples:,} rows fit nobody in {where}."
    strange = found.pointing_to_nobody == found.tuples or (
        by_register and found.pointing_to_nobody > 0
    )
    outcome: Outcome = "review" if strange else "pass"
    if not found.holds:
        outcome = "fail" if by_register else "review"
        answer = (
            f"Yes: {found.offending:,} of {found.tuples:,} rows point to one person only in {who}."
        )
    elif found.pointing_to_nobody == found.tuples:
        answer = f"Undecided: {nobody}"
    else:
        answer = (
            f"No: each row that points to a person in {who} points to others too, or is not unique."
        )
    if strange and found.pointing_to_nobody < found.tuples:
        answer += f" {nobody}"
    yield Judgement(
        question="Does a row point to one person only?",
        outcome=outcome,
        answer=answer,
        rule="Amber where some row does, compared with the source; red, compared with a "
        "population (ADS₀, Sweeney 2000). Amber too where rows fit nobody, as no row "
        "about people of the population should.",
        anchor="ads0",
        advice="Coarsen the known fields until no row points to one person.",
    )
