"""A table with one row per person: counted, solved, written, counted again, and told about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.bins import LabelledRecoding
from sfumato.engines import Engine, WritePlan
from sfumato.errors import Bug, CandidateFailed, NoRecodingFound
from sfumato.measures import smallest_strict_and_wildcard, utility
from sfumato.policy import Order, Policy, Role
from sfumato.protection import Outcome, overall
from sfumato.report import render
from sfumato.solvers import Solution
from sfumato.wording import counted

from .ads0_after_steps import ads0_after_steps
from .asked import Asked, Release
from .destinations import Destination, destination
from .documents import write_documents
from .facts import report_facts
from .formula_warnings import formula_warnings
from .households import Together, household_facts, household_warnings, keep_together
from .linked import Follows, follows_of, link
from .lookups import recoding_lookups
from .manifest import ONE_TABLE, Manifest, Shape, TableEntry
from .preparing import Prepared, prepare
from .recoding_account import recoding_sections, solver_facts
from .recount import Recount, recount, values_left
from .required import check_all_judged, required_of_bins, required_of_texts
from .stepping import Stepped
from .stored_types import stored_as_text, stored_types_warnings
from .suppression import BINS, HOUSEHOLDS, LeftOut, check_left_out
from .telling import telling_warnings
from .texts.text_step import has_texts, texts_of_one
from .treatments import KEPT, Treatments, recoding_words, treat

if TYPE_CHECKING:
    from .texts.text_lookups import Texts

NAME = ONE_TABLE


def release_one(opened: Engine, decided: Policy, asked: Asked, *, proposed_file: Path | None) -> Release:
    """A table with one row per person."""
    progress = asked.progress
    progress("counting bins")
    stepped = asked.stepped
    pairing = stepped.followed.pairing if stepped is not None else None
    collected = asked.collected or opened
    prepared = prepare(opened, decided, limit=_limit(decided), pairing=pairing)
    opened = prepared.engine
    progress(f"solving with {prepared.solver.name}")
    solved = prepared.solver.solve(prepared.bins, prepared.hierarchies)
    alone = solved.recoding.rows_suppressed(prepared.bins)
    together = keep_together(opened, prepared, solved)
    prepared, solution = together.prepared, together.solution
    _check_rows_left(prepared, solution)
    left_out = _left_out(together, alone, stepped)
    check_left_out(decided, (left_out,))
    treatments = treat(opened, decided, key=asked.key, lookup_file=asked.lookup_file)
    follows = follows_of(decided, prepared.bins, prepared.hierarchies, solution.recoding)
    treatments = link(treatments, follows)
    words = treatments.words | _recoding_words(together)
    texts = texts_of_one(opened, decided, treatments, collected=collected, words=words, progress=progress)
    with destination(asked, opened) as place:
        progress("writing the table")
        _write(opened, together, treatments, place, follows=follows)
        progress("counting what was written")
        with place.opened(NAME) as written:
            sensitive = _released(decided, treatments)
            found = recount(written, prepared.known, prepared.models, sensitive=sensitive, suppressed=follows)
            _check_labels(prepared, together.solution, found)
            if texts is not None:
                found = replace(found, verdicts=(*found.verdicts, *texts.verdicts))
            required = required_of_bins(decided, prepared.known, prepared.rows, bins=found.bins)
            check_all_judged((*required, *required_of_texts(decided.fields)), found.verdicts)
            outcome = _judge(opened, decided, treatments, found, written, texts=texts)
            kept = [name for name in treatments.fields if words[name] == KEPT]
            as_text = stored_as_text(opened, written, [name for name in kept if name not in prepared.known])
            formulas = formula_warnings(written, place.called(NAME), quoted=asked.quote_formulas)
        progress("writing manifest and report")
        noted = (
            *stored_types_warnings(as_text, place.called(NAME)),
            *formulas,
            *(texts.warnings if texts is not None else ()),
        )
        facts = _document(
            opened,
            together,
            treatments,
            found,
            outcome=outcome,
            place=place,
            asked=asked,
            texts=texts,
            left_out=left_out,
            noted=noted,
        )
        digest = place.publish()
    return Release(
        folder=asked.target,
        table=place.called(NAME),
        outcome=outcome,
        verdicts=found.verdicts,
        rows=found.rows,
        rows_suppressed=prepared.rows - found.rows,
        policy=decided,
        proposed_file=proposed_file,
        manifest=facts,
        digest=digest,
    )


def _left_out(together: Together, alone: int, stepped: Stepped | None) -> LeftOut:
    """The rows that are not released, by reason; `alone` are those that the solver left out by itself."""
    prepared = together.prepared
    gone = together.solution.recoding.rows_suppressed(together.planned)
    return LeftOut(
        unit="rows",
        source=prepared.rows,
        by_reason={BINS: alone, HOUSEHOLDS: gone - alone},
        sampled=stepped.sampled_out if stepped is not None else 0,
    )


def _limit(policy: Policy) -> int | None:
    """How many bins are not rolled up. Where a row speaks for itself in its text, it must stay as it was collected."""
    return None if has_texts(policy) and policy.entity is None else policy.solve.max_bins


def _recoding_words(together: Together) -> dict[str, str]:
    prepared = together.prepared
    return recoding_words(together.solution, prepared.bins, prepared.hierarchies)


def _check_rows_left(prepared: Prepared, solution: Solution) -> None:
    """An empty table keeps every requirement and is no use to anyone."""
    if solution.recoding.rows_suppressed(prepared.bins) >= prepared.bins.rows:
        raise NoRecodingFound(
            f"No recoding that {solution.solver} found keeps the requirements and any row.",
            found=f"All {prepared.bins.rows} rows would be suppressed, and the policy's limit allows that.",
            attempt="weaker requirements, or coarser levels; a lower limit on suppressed rows finds this out sooner.",
        )


def _released(policy: Policy, treatments: Treatments) -> tuple[str, ...]:
    return tuple(name for name in policy.named(Role.SENSITIVE) if name in treatments.fields)


def _write(engine: Engine, together: Together, treatments: Treatments, place: Destination, *, follows: Follows) -> None:
    prepared, recoding = together.prepared, together.solution.recoding
    lookups, drop = recoding_lookups(together.planned, prepared.hierarchies, recoding)
    plan = WritePlan(
        fields=tuple(treatments.fields),
        lookups=(*lookups, *treatments.lookups),
        constants=treatments.constants,
        drop=drop,
        follows=follows,
        order=prepared.policy.order,
    )
    written = place.write(engine, plan, NAME)
    expected = prepared.rows - recoding.rows_suppressed(together.planned)
    if written != expected:
        raise Bug(f"{expected} rows were planned and {written} were written.")


def _check_labels(prepared: Prepared, solution: Solution, found: Recount) -> None:
    """Every value read back in a known field is a label of its hierarchy, or one that the recoding made."""
    recoding = solution.recoding
    for column, (name, labels) in enumerate(zip(found.bins.fields, found.bins.labels, strict=True)):
        made = recoding.labels[column] if isinstance(recoding, LabelledRecoding) else ()
        known = prepared.hierarchies[name].level_of_label.keys() | set(made)
        strange = sum(1 for label in labels if label not in known)
        if strange and not (strange == 1 and None in labels):  # CSV reads an empty text back as null.
            raise Bug(f"{name} was written with {counted(strange, 'value')} that its hierarchy does not have.")


def _judge(
    engine: Engine, policy: Policy, treatments: Treatments, found: Recount, written: Engine, *, texts: Texts | None
) -> Outcome:
    """The outcome of the written table; a failing one is refused here, before it gets its name."""
    outcome = overall(found.verdicts)
    left = {name: values_left(engine, written, policy.fields[name]) for name in treatments.replaced}
    broken = [f"{v.model} ({v.requirement}): {v.reason}" for v in found.verdicts if v.outcome == "fail"]
    broken += [f"{name} still has {counted(count, 'original value')}" for name, count in left.items() if count]
    broken += texts.broken(lambda _: written) if texts is not None else []
    if broken:
        again = "another solver, or weaker requirements" if outcome == "fail" else 'replace = "hash" for these fields'
        raise CandidateFailed(
            "The candidate was written, counted again, and breaks what was required.",
            found="; ".join(broken) + ".",
            attempt=f"{again}; the candidate was removed and nothing was released.",
        )
    return "review" if policy.proposed else outcome


def _document(
    engine: Engine,
    together: Together,
    treatments: Treatments,
    found: Recount,
    *,
    outcome: Outcome,
    place: Destination,
    asked: Asked,
    texts: Texts | None,
    noted: tuple[str, ...],
    left_out: LeftOut,
) -> dict[str, Any]:
    """Write manifest, report and policy beside the table; `noted` is what was found while it was written."""
    prepared, solution = together.prepared, together.solution
    policy = prepared.policy
    measured = utility(prepared.bins, prepared.hierarchies, solution.recoding)
    ads0 = ads0_after_steps(prepared, found, followed=asked.stepped.followed if asked.stepped is not None else None)
    words = treatments.words | _recoding_words(together)
    warnings = (*_warnings(together, treatments, found), *telling_warnings(engine, policy, treatments, words))
    created, stepped = asked.created, asked.stepped
    if stepped is not None:
        words, warnings = stepped.words(words), (*warnings, *stepped.warnings)
    warnings = (*warnings, *noted)
    rows = {"source": prepared.rows, "released": found.rows, "suppressed": prepared.rows - found.rows}
    taken = stepped is not None and bool(stepped.taken)
    rows |= stepped.account(prepared.rows) if stepped is not None and taken else {}
    household = household_facts(policy, together.risk)
    facts = Manifest(
        shape=Shape.ONE_ROW_EACH,
        created=created,
        outcome=outcome,
        policy=policy,
        verdicts=found.verdicts,
        tables={NAME: TableEntry(place=place.facts(NAME), rows=rows, left_out=left_out.as_dict(), fields=words)},
        engine=engine.name,
        snapshot=engine.snapshot(),
        solver=solver_facts(prepared, solution),
        warnings=warnings,
        sections={
            **recoding_sections(prepared, solution),
            "utility": measured.as_dict(),
            "ads0": {"holds": ads0.holds, "k_map": ads0.k_map, "reason": ads0.reason},
            **({"household": dict(household)} if household is not None else {}),
            **({"steps": stepped.facts()} if stepped is not None and taken else {}),
            **(texts.facts() if texts is not None else {}),
        },
    ).as_dict()
    page = render(
        report_facts(
            prepared,
            solution,
            found,
            title=engine.title,
            created=created,
            engine=engine.name,
            outcome=outcome,
            utility=measured,
            ads0=ads0,
            words=words,
            warnings=warnings,
            files=place.digests(facts["tables"][NAME]),
        )
    )
    return write_documents(facts, place.folder, policy=policy, page=page)


def _warnings(together: Together, treatments: Treatments, found: Recount) -> tuple[str, ...]:
    """What a person should know before this leaves the house. Counts and field names only."""
    prepared = together.prepared
    policy = prepared.policy
    out = list(household_warnings(policy, tuple(treatments.fields), together.risk))
    if prepared.rolled_up is not None and prepared.rolled_up.is_raised:
        out.append(
            f"More than max_bins = {prepared.rolled_up.limit:,} bins are too many to search. They were rolled up to "
            "coarser levels first, and no finer recoding was searched."
        )
    if policy.proposed:
        out.append("The policy was proposed by a survey and no person has reviewed it.")
    trusted = [n for n in policy.named(Role.QUASI) if n not in prepared.known]
    if trusted:
        out.append(
            f"Not protected, because the profile says this recipient does not link on them: {', '.join(trusted)}."
        )
    out += [
        f"The survey weights in {weight} are released as they are: rows of one stratum often share a weight, which "
        "can tell region, size or group."
        for weight in policy.require.weights
        if treatments.words[weight] == KEPT and weight not in prepared.known
    ]
    texts = [name for name in policy.named(Role.TEXT) if name not in treatments.fields]
    if texts:
        out.append(f"Free text is removed, not released: {', '.join(texts)}.")
    if policy.order is Order.KEEP:
        out.append("Rows are in the order of the source, which can tell who came first (paper 001, section 3.7).")
    for name, count in found.one_valued.items():
        if count:
            out.append(
                f"In {count} of {len(found.bins)} bins every row has the same value of {name}: "
                "who knows the bin knows the value."
            )
    if prepared.known and len(found.bins):
        strict, wildcard = smallest_strict_and_wildcard(found.bins, prepared.known)
        if strict == 1:
            out.append(
                f"The release is not k-anonymous over ({', '.join(prepared.known)}): some row is alone "
                f"(smallest bin 1; {wildcard} when a suppressed cell may match anything)."
            )
    for name, replacer in treatments.replacers.items():
        redrawn = getattr(replacer, "redrawn", 0)
        if redrawn:
            out.append(
                f"{counted(redrawn, 'value')} of {name} drawn again to stay one-to-one may differ in another "
                "release with the same key."
            )
    return tuple(out)
