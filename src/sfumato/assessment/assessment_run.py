"""The verb `assess`: what can be learned from a release, what was lost, and a page on which a board
can decide."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

import sfumato
from sfumato.errors import Mistake, as_caller_writes
from sfumato.protection import Verdict
from sfumato.releases import (
    MANIFEST,
    UNMEASURED,
    PolicyLike,
    manifest_digest,
    manifest_of,
    written,
)
from sfumato.runs import claim, interruptible

from . import verdict_limits
from .assessment import Assessment
from .assessment_record import AssessmentRecord
from .assessment_verdicts import REQUIRED, about_ads0, about_the_release, judged_again, worst
from .case import Case, case
from .case_measures import CaseMeasures, estimated_seconds, measured
from .channel_assessment import ChannelAssessment, assess_channels, is_by_channels
from .closeness_verdict import about_closeness
from .five_safes import five_safes
from .headline_figures import remembered
from .interval_verdict import about_intervals
from .lattice_picture import lattice_picture
from .lost_fields import constant_fields, known_field_uses
from .method_tables import accounts, said_time
from .page import AssessmentFacts, Judgement
from .page_file import check_file
from .request import AssessmentRequest, Estimated, Moved, Progress
from .risk_verdicts import about_attacks, about_groups, about_risk
from .synthetic import SyntheticAssessment, assess_synthetic, is_synthetic
from .unicity_verdicts import about_unicity
from .usefulness_verdict import about_usefulness


def is_measured(release: Any) -> bool:
    """Whether a release is of a shape that an assessment measures."""
    if not isinstance(release, str | PathLike) or not (Path(release) / MANIFEST).is_file():
        return True
    return manifest_of(written(Path(release)))["shape"] not in UNMEASURED


def assess(
    release: Any,
    *,
    source: Any = None,
    policy: PolicyLike | None = None,
    population: Any = None,
    control: Any = None,
    known: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    weight: str = "",
    household: str = "",
    sampling_fraction: float | None = None,
    population_size: int | None = None,
    table: str = "",
    second: Any = None,
    synthetic: bool = False,
    attacks: bool = True,
    quick: bool = False,
    to: str | Path | None = None,
    json: str | Path | None = None,
    replace: bool = False,
    seed: int = 0,
    progress: Progress = lambda stage: None,
    moved: Moved = lambda share: None,
    estimated: Estimated = lambda seconds: None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    **options: Any,
) -> Assessment | ChannelAssessment | SyntheticAssessment:
    """Assess a release, alone or against its source, a population and a control group.

    `release` is the folder of a release, postgresql://host/database#schema, or a finished
    `Release`. It may also be any table together with a policy or the fields that are `known` of a
    person: one that has not been released yet, or one that other tools made. Of several tables it
    is the person's, or `table` with all that is known of the person.

    With the `source`, before and after are compared; hierarchies are built as the release built
    them. `quick` judges the release by itself, without its source, special uniques and attacks, and
    is green in nothing that it omits. `estimated` is called with an estimate of its CPU seconds. A
    release by channels is assessed by what its channels let infer, together with a `second` one of
    the same people where it is named. A synthetic table, or any table that is called `synthetic`,
    is assessed by what it keeps of its source. It is also assessed by what it discloses about the
    source's people and not about the control group. The page is written to `to` and the numbers to
    `json`, whole or not at all, and over a file only with `replace`."""
    _check_targets(to, json, replace=replace)
    if not is_measured(release):
        raise Mistake(
            "An assessment was asked for.",
            found="The release has letters or tables of counts, and nothing here measures how easily "
            "a person is found in them.",
            attempt="sfumato verify; for letters also sfumato scrub FOLDER --review DIR, by which a person "
            "reads them.",
        )
    if synthetic or is_synthetic(release):
        given = {
            "policy": policy,
            "population": population,
            "known": known,
            "weight": weight,
            "household": household,
            "sampling_fraction": sampling_fraction,
            "population_size": population_size,
            "table": table,
            "second": second,
        }
        _check_unlooked_at(
            given,
            "Synthetic rows were",
            found="They belong to nobody, and are compared with a source and a control group.",
            attempt="leaving these out; --sensitive names fields to predict.",
        )
        with interruptible(), _claimed(to, json):
            of_rows = assess_synthetic(
                release,
                source=source,
                control=control,
                sensitive=_names(sensitive),
                attacks=attacks and not quick,
                seed=seed,
                created=clock().isoformat(timespec="seconds"),
                progress=progress,
                moved=moved,
                options=options,
            )
            of_rows = dataclasses.replace(of_rows, release=digest_of(release))
            _write(of_rows, to, json, replace=replace)
        return of_rows
    if is_by_channels(release):
        given = {
            "population": population,
            "control": control,
            "known": known,
            "sensitive": sensitive,
            "weight": weight,
            "household": household,
            "sampling_fraction": sampling_fraction,
            "population_size": population_size,
            "table": table,
        }
        _check_unlooked_at(
            given,
            "A release by channels was",
            found="Its inference follows from its own tables.",
            attempt="leaving these out; --second names another release of the same people.",
        )
        with interruptible(), _claimed(to, json):
            progress("reading the channels")
            by_channels = assess_channels(
                release, second=second, created=clock().isoformat(timespec="seconds")
            )
            by_channels = dataclasses.replace(by_channels, release=digest_of(release))
            _write(by_channels, to, json, replace=replace)
        return by_channels
    if second is not None:
        raise Mistake(
            "Two releases are assessed together where both are by channels.",
            attempt="sfumato intrude RELEASE --second OTHER.",
        )
    asked = AssessmentRequest(
        release=release,
        source=None if quick else source,
        policy=policy,
        population=population,
        control=control,
        known=_names(known),
        sensitive=_names(sensitive),
        weight=weight,
        household=household,
        sampling_fraction=sampling_fraction,
        population_size=population_size,
        table=table,
        attacks=attacks and not quick,
        quick=quick,
        seed=seed,
        progress=progress,
        moved=moved,
        options=options,
    )
    with interruptible(), _claimed(to, json):
        progress("opening the release")
        with case(asked) as opened:
            estimated(estimated_seconds(opened))
            made = _assessed(opened, created=clock().isoformat(timespec="seconds"))
        found = dataclasses.replace(made, release=digest_of(release))
        if to is not None:
            progress("writing the page")
        _write(found, to, json, replace=replace)
    return found


def digest_of(release: Any) -> str:
    """The digest of a release's manifest, by which a register knows what was assessed."""
    place = getattr(release, "folder", release)
    try:
        return manifest_digest(Path(place)) if isinstance(place, str | Path) else ""
    except OSError:
        return ""


@contextmanager
def _claimed(*paths: str | Path | None) -> Iterator[None]:
    """Hold a lock on these files, so that no other run writes to them."""
    with ExitStack() as held:
        for path in paths:
            if path is not None:
                held.enter_context(claim(Path(path)))
        yield


def _write(
    found: AssessmentRecord, to: str | Path | None, json: str | Path | None, *, replace: bool
) -> None:
    if to is not None:
        found.report(to, replace=replace)
    if json is not None:
        found.write_json(json, replace=replace)


def _check_unlooked_at(given: Mapping[str, Any], what: str, *, found: str, attempt: str) -> None:
    """Options that an assessment of this kind does not use are refused, not ignored."""
    named = [name.replace("_", "-") for name, value in given.items() if value not in (None, "", ())]
    if named:
        raise Mistake(
            f"{what} to be assessed with {', '.join(named)}.", found=found, attempt=attempt
        )


def _assessed(opened: Case, *, created: str) -> Assessment:
    verdicts = judged_again(opened)
    found = measured(opened)
    judgements = _judgements(opened, verdicts, found)
    facts = _facts(opened, verdicts, found, judgements, created=created)
    return Assessment(
        title=facts.title,
        outcome=facts.outcome,
        judgements=judgements,
        verdicts=verdicts,
        ads0=found.ads0,
        results=found.results,
        left_out=found.left_out,
        notes=opened.notes,
        facts=facts,
    )


def _judgements(
    opened: Case, verdicts: Sequence[Verdict], found: CaseMeasures
) -> tuple[Judgement, ...]:
    """Every question that could be answered, and whether some measure was omitted."""
    out = [*about_the_release(opened, verdicts), *about_usefulness(opened)]
    holds = any(one.question == REQUIRED and one.outcome == "pass" for one in out)
    out += about_risk(
        found.results["risk"], opened.opened.policy, unseen=_unseen(opened, found), holds=holds
    )
    out += about_closeness(found.results.get("closeness"))
    out += about_unicity(
        found.results.get("unicity"),
        found.results.get("identifying_sets"),
        left_out=found.left_out.get("unicity", "").rstrip("."),
    )
    out += about_intervals(found.results.get("intervals"))
    out += about_groups(found.results.get("groups"))
    out += about_ads0(found.ads0, by_register=opened.subject.population is not None)
    out += about_attacks(
        found.results.get("attacks"), left_out=found.left_out.get("attacks", "").rstrip(".")
    )
    if opened.asked.quick:
        out.append(
            Judgement(
                question="Was everything measured?",
                outcome="review",
                answer="No: the quick assessment looks at the release alone, without "
                "attacks, special uniques and loss.",
                rule=as_caller_writes(
                    "Amber until everything was measured. Assess again without --quick."
                ),
                advice=as_caller_writes("Assess again without --quick, and with the source."),
            )
        )
    if found.not_installed:
        out.append(
            Judgement(
                question="Was everything measured?",
                outcome="review",
                answer=f"No. {' '.join(found.not_installed)}",
                rule="Amber until everything was measured. To install it: pip install "
                "'sfumato[assess]'.",
                advice="Install what is missing: pip install 'sfumato[assess]'.",
            )
        )
    return tuple(out)


def _unseen(opened: Case, found: CaseMeasures) -> tuple[str, ...]:
    """Fields that the policy calls sensitive, that are released, and that were not measured."""
    released = {info.name for info in opened.subject.release.fields()}
    seen = {*opened.subject.sensitive}
    if "closeness" in found.results:
        seen |= set(found.results["closeness"].fields)
    rest = (name for name in opened.opened.seen.sensitive if name not in seen)
    return tuple(name for name in rest if name in released)


def _facts(
    opened: Case,
    verdicts: tuple[Verdict, ...],
    found: CaseMeasures,
    judgements: tuple[Judgement, ...],
    *,
    created: str,
) -> AssessmentFacts:
    subject, place = opened.subject, opened.opened.place
    original = subject.original
    table = opened.opened.seen.table
    said = said_time(created)
    return AssessmentFacts(
        title=f"{opened.opened.title}, {table}"
        if table and table != "release"
        else opened.opened.title,
        created=said,
        version=sfumato.__version__,
        outcome=worst(judgements),
        unit="people" if subject.person is not None else "rows",
        known=subject.known,
        sensitive=subject.sensitive,
        released=_everyone(opened),
        source=None if original is None else _everyone(opened, source=True),
        has_manifest=bool(opened.opened.facts),
        judgements=judgements,
        questions=five_safes(opened, judgements),
        verdicts=verdicts,
        results=found.results,
        left_out=found.left_out,
        ads0=found.ads0,
        accounts=accounts(opened, created=said, limits=verdict_limits.RULES),
        cards=tuple(remembered(opened, found)),
        constant=constant_fields(opened),
        uses=known_field_uses(opened, found),
        charts=not opened.asked.quick,
        notes=opened.notes,
        warnings=tuple(opened.opened.facts.get("warnings", ())),
        picture=lattice_picture(place.folder)
        if place is not None and place.folder != Path()
        else "",
    )


def _everyone(opened: Case, *, source: bool = False) -> int:
    """The people of the release or of the source, each once."""
    subject = opened.subject
    engine = subject.source if source else subject.release
    assert engine is not None
    if subject.person is None:
        return engine.count_rows()
    return int(engine.frequencies((), person=subject.person).counts.sum())


def _names(given: Sequence[str]) -> tuple[str, ...]:
    """Names of fields; one text is several separated by commas."""
    several = given.split(",") if isinstance(given, str) else given
    return tuple(name.strip() for name in several if name.strip())


def _check_targets(to: str | Path | None, json: str | Path | None, *, replace: bool) -> None:
    """Check before any work that the results can be written."""
    paths = [Path(path) for path in (to, json) if path is not None]
    if len(paths) == 2 and paths[0].resolve() == paths[1].resolve():
        raise Mistake(
            "The page and the numbers cannot be written to one file.", attempt="two files."
        )
    for path in paths:
        check_file(path, replace=replace)
