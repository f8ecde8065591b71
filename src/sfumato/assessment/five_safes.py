"""The Five Safes (Garfinkel 2016, section 3.5), answered as far as a policy, a manifest and
counting can answer them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.policy import Order, Policy, Role
from sfumato.report import listed

from .case import Case
from .page import Judgement, SafeQuestion

MOST_NAMED = 8
"""Of more fields the rest are counted; the method lists all of them."""
NO_POLICY = "No policy is at hand, so the intended recipient is unknown."


def five_safes(case: Case, judgements: Sequence[Judgement]) -> tuple[SafeQuestion, ...]:
    """The five questions in the order of Desai, Ritchie and Welpton (2016)."""
    return (
        SafeQuestion(
            name="Safe projects",
            asks="Is this use of the data appropriate?",
            found=tuple(_project(case)),
            for_the_board=(
                "For what will the data be used, and is that use lawful, ethical and known "
                "to the people?",
                "Would less data do, and who has approved the project?",
            ),
        ),
        SafeQuestion(
            name="Safe people",
            asks="Can the recipients be trusted to use it in an appropriate manner?",
            found=tuple(_people(case)),
            for_the_board=(
                "Who exactly receives it, what have they signed, and what happens if they "
                "break it?",
            ),
        ),
        SafeQuestion(
            name="Safe settings",
            asks="Does the place where the data is used limit unauthorised use?",
            found=tuple(_settings(case)),
            for_the_board=(
                "Where will it be kept, who can reach it there, and when will it be destroyed?",
            ),
        ),
        SafeQuestion(
            name="Safe data",
            asks="Is there a disclosure risk in the data itself?",
            found=tuple(_data(case, judgements)),
            for_the_board=(
                "Is somebody among the recipients likely to know more of these people than "
                "is assumed here?",
            ),
        ),
        SafeQuestion(
            name="Safe outputs",
            asks="Are the results non-disclosive?",
            found=tuple(_outputs(case)),
            for_the_board=(
                "Who checks results before they are published, and which other releases "
                "about the same people exist?",
            ),
        ),
    )


def _project(case: Case) -> Iterator[str]:
    policy = case.opened.policy
    if policy is None:
        yield NO_POLICY
        return
    described = policy.profile.description
    yield (
        "The policy releases to the profile "
        f"“{policy.recipient}”{f': {described}' if described else ''}"
    )
    if policy.proposed or case.opened.facts.get("policy", {}).get("proposed"):
        yield (
            "The policy was proposed by a survey, and no person had confirmed it when the "
            "release was made."
        )
    undecided = case.opened.facts.get("open_fields", policy.open_fields)
    if undecided:
        yield f"Open, because nobody had decided what they are: {', '.join(undecided)}."
    removed = [name for name, words in treatments(case).items() if words.startswith("removed")]
    if removed:
        yield f"Not released at all: {', '.join(removed)}."


def _people(case: Case) -> Iterator[str]:
    known = listed(case.subject.known, most=MOST_NAMED)
    yield f"Counted as known to the recipient, and so as a way to find a person: {known}."
    policy = case.opened.policy
    if policy is None:
        yield NO_POLICY
        return
    trusted = _trusted(case, policy)
    if trusted:
        yield f"Trusted not to be linked on, so not protected: {', '.join(trusted)}."
    if policy.recipient == "public":
        yield "Anyone may receive it: the assessment assumes no trust in people."
    yield "What the recipients have signed is not in the policy."


def _trusted(case: Case, policy: Policy) -> list[str]:
    """Quasi-identifiers of the policy that this recipient is not counted as linking on."""
    sight = case.opened.seen.sight
    fields = policy.tables[sight.name].fields if sight is not None else policy.fields
    quasi = [name for name, decided in fields.items() if decided.role is Role.QUASI]
    return [name for name in quasi if name not in case.subject.known]


def _settings(case: Case) -> Iterator[str]:
    facts = case.opened.facts
    if not facts:
        yield "The table has no manifest, so a recipient cannot check what they were given."
    else:
        if any("schema" in table for table in facts["tables"].values()):
            yield (
                "The release is in a schema of a database: whoever may read the schema may copy it."
            )
        else:
            yield "The release is a set of files: once handed over, nothing in them limits copying."
        yield (
            "Its manifest has the digest of every file, so a changed copy can be distinguished from the "
            "original."
        )
    yield "This assessment sees the data and not the place where it is used."


def _data(case: Case, judgements: Sequence[Judgement]) -> Iterator[str]:
    for colour, outcome in (("Red", "fail"), ("Amber", "review")):
        for one in judgements:
            if one.outcome == outcome:
                yield f"{colour}: {one.question} {one.answer}"
    green = sum(one.outcome == "pass" for one in judgements)
    if green:
        yield (
            f"Green: {green} of the {len(judgements)} questions above, which say what was counted."
        )
    known = listed(case.subject.known, most=MOST_NAMED)
    yield f"These answers hold for somebody who knows {known} and nothing else."


def _outputs(case: Case) -> Iterator[str]:
    policy = case.opened.policy
    unit = "people" if case.subject.person else "rows"
    smallest = case.subject.released.smallest
    yield (
        "The release holds records, from which any table can be made. The smallest group "
        "that shares all known fields "
        f"has {smallest:,} "
        f"{unit if smallest != 1 else unit.replace('people', 'person').removesuffix('s')}; "
        "tables "
        "over more fields than these can have smaller cells."
    )
    if policy is not None and policy.order is Order.KEEP:
        yield (
            "Rows are in the order of the source, which can reveal who came first (Sweeney 1997, "
            "section 3.7)."
        )
    elif policy is not None:
        yield "The order of the rows reveals nothing: they are in random order or sorted by content."
    yield ("Results computed from it and earlier releases about the same people were not assessed.")


def treatments(case: Case) -> dict[str, str]:
    """The treatment of each field, by the manifest; with its table where there are several."""
    tables = case.opened.facts.get("tables", {})
    return {
        f"{table}.{name}" if len(tables) > 1 else name: str(words)
        for table, said in tables.items()
        for name, words in said["fields"].items()
    }
