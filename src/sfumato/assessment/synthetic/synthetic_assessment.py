"""Assess a synthetic table against its source and people who are not in it: what it keeps, and what
it discloses. Distance to the closest record gives no verdict: it does not measure the risk of the
nearest person."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import sfumato
from sfumato.engines import open_source
from sfumato.errors import MissingExtra, Mistake
from sfumato.measures import MembershipGap
from sfumato.protection import Outcome
from sfumato.releases import (
    MANIFEST,
    SYNTHETIC_TABLE,
    Check,
    ReleaseShape,
    SyntheticRelease,
    manifest_of,
    verify,
    written,
)

from ..assessment_record import AssessmentRecord
from ..assessment_verdicts import worst
from ..attacks import Attacks, run_attacks
from ..case import case
from ..page import Judgement
from ..request import AssessmentRequest
from .coded_rows import CodedRows, SharedValues, coded_rows
from .marginal_distance import Association, MarginalDistance, associations, marginal_distances
from .membership import membership_gap
from .model_use import (
    Propensity,
    QueryErrors,
    TrainedModel,
    propensity,
    query_errors,
    trained_models,
    usual_targets,
)
from .partial_copies import PartialCopies, partial_copies
from .reencoded_fields import reencoded_fields
from .row_copies import Copies, copies
from .synthetic_judgements import (
    about_account,
    about_attacks_with_control,
    about_compared_fields,
    about_copies,
    about_membership,
    about_partial_copies,
    about_shared_values,
    about_use,
)

ATTACKS = ("singling out", "linkability", "inference")
"""The attacks of Giomi et al. (2022), which do not require that a row is a person's."""
TARGETS = 500
MOST_KNOWN = 20
"""Of more fields, so many are known to an attacker: the others add nothing but time."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SyntheticAssessment(AssessmentRecord):
    """The result of an assessment of a synthetic table."""

    title: str
    outcome: Outcome
    judgements: tuple[Judgement, ...]
    distances: tuple[MarginalDistance, ...]
    associations: tuple[Association, ...] = field(repr=False)
    queries: QueryErrors
    copies: Copies
    partial_copies: PartialCopies
    shared_values: tuple[SharedValues, ...]
    membership: MembershipGap | None
    propensity: Propensity | None
    models: tuple[TrainedModel, ...]
    attacks: Attacks | None
    rows: Mapping[str, int]
    fields: tuple[str, ...]
    account: Mapping[str, Any] | None
    created: str
    release: str = ""
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def page(self) -> str:
        """One HTML page that loads and runs nothing."""
        from ..page.synthetic_page import render_synthetic_assessment

        return render_synthetic_assessment(self, version=sfumato.__version__)

    def as_dict(self) -> dict[str, Any]:
        return {
            "sfumato": sfumato.__version__,
            "created": self.created,
            "title": self.title,
            "outcome": self.outcome,
            "release": self.release,
            "rows": dict(self.rows),
            "judgements": [one.as_dict() for one in self.judgements],
            "distances": [one.as_dict() for one in self.distances],
            "associations": [
                {"fields": list(one.fields), "source": one.source, "made": one.made}
                for one in self.associations
            ],
            "queries": self.queries.as_dict(),
            "copies": self.copies.as_dict(),
            "partial_copies": self.partial_copies.as_dict(),
            "shared_values": [one.as_dict() for one in self.shared_values],
            "membership": None if self.membership is None else self.membership.as_dict(),
            "propensity": None if self.propensity is None else self.propensity.as_dict(),
            "models": [one.as_dict() for one in self.models],
            "attacks": None if self.attacks is None else self.attacks.as_dict(),
            "left_out": dict(self.left_out),
            "notes": list(self.notes),
        }


def is_synthetic(release: Any) -> bool:
    """Whether this is the folder of a synthetic table, or a finished one."""
    if isinstance(release, SyntheticRelease):
        return True
    if not isinstance(release, str | PathLike) or not (Path(release) / MANIFEST).is_file():
        return False
    return bool(manifest_of(written(Path(release)))["shape"] == ReleaseShape.SYNTHETIC)


def assess_synthetic(
    release: Any,
    *,
    source: Any,
    control: Any = None,
    sensitive: Sequence[str] = (),
    attacks: bool = True,
    seed: int = 0,
    created: str,
    progress: Callable[[str], None] = lambda stage: None,
    moved: Callable[[float], None] = lambda share: None,
    options: Mapping[str, Any] | None = None,
) -> SyntheticAssessment:
    """Measure a synthetic table: the folder of one, a finished one, or a table of another tool."""
    if source is None:
        raise Mistake(
            "An assessment of a synthetic table without its source was asked for.",
            found="Utility and disclosure are measured against the source.",
            attempt=(
                "--source with the table that it was made from; sfumato verify adds up its account."
            ),
        )
    given = dict(options or {})
    with ExitStack() as stack:
        progress("reading the tables")
        place = _place(release)
        engines = [stack.enter_context(place.opened())]
        engines += [
            stack.enter_context(open_source(one, **given))
            for one in (source, control)
            if one is not None
        ]
        rows = coded_rows(
            engines[0],
            engines[1],
            engines[2] if control is not None else None,
            without=(SYNTHETIC_TABLE,),
        )
    return _assessed(
        _SyntheticCase(
            place=place,
            rows=rows,
            source=source,
            control=control,
            sensitive=_targets(sensitive, rows),
            attacks=attacks,
            seed=seed,
            progress=progress,
            moved=moved,
            options=given,
        ),
        created=created,
    )


@dataclass(frozen=True, kw_only=True)
class _Place:
    """The place of the synthetic rows, and the files beside them."""

    title: str
    table: Any
    folder: Path | None = None
    facts: Mapping[str, Any] | None = None

    def opened(self) -> Any:
        return open_source(self.table)

    def checks(self) -> tuple[Check, ...]:
        return () if self.folder is None else verify(self.folder)


def _place(release: Any) -> _Place:
    if isinstance(release, SyntheticRelease) and release.folder is None:
        return _Place(title="synthetic rows", table=release.frame)
    place: Any = release.folder if isinstance(release, SyntheticRelease) else release
    if not is_synthetic(place):
        return _Place(
            title=Path(place).name if isinstance(place, str | PathLike) else "rows", table=place
        )
    folder = Path(place)
    facts = manifest_of(written(folder))
    if SYNTHETIC_TABLE not in facts["tables"]:
        raise Mistake(
            "An assessment of several synthetic tables was asked for.",
            found="One table at a time is measured.",
            attempt="--synthetic with one of its files, and the table that it stands for as source.",
        )
    return _Place(
        title=folder.resolve().name,
        table=folder / str(facts["tables"][SYNTHETIC_TABLE]["file"]),
        folder=folder,
        facts=facts,
    )


def _targets(named: Sequence[str], rows: CodedRows) -> tuple[str, ...]:
    strange = [name for name in named if name not in rows.fields]
    if strange:
        raise Mistake(
            f"{', '.join(strange)} is no field that all tables have.",
            attempt=f"one of {', '.join(rows.fields[:10])}.",
        )
    return tuple(named) or usual_targets(rows)


@dataclass(frozen=True, kw_only=True)
class _SyntheticCase:
    place: _Place
    rows: CodedRows
    source: Any
    control: Any
    sensitive: tuple[str, ...]
    attacks: bool
    seed: int
    progress: Callable[[str], None]
    moved: Callable[[float], None]
    options: Mapping[str, Any]


def _assessed(asked: _SyntheticCase, *, created: str) -> SyntheticAssessment:
    rows, seed, left_out = asked.rows, asked.seed, {}
    asked.progress("comparing marginals")
    distances = marginal_distances(rows, seed=seed)
    pairs, queries, copied = associations(rows), query_errors(rows, seed=seed), copies(rows)
    found: tuple[Propensity | None, tuple[TrainedModel, ...]] = (None, ())
    try:
        asked.progress("training models")
        found = propensity(rows, seed=seed), trained_models(rows, asked.sensitive, seed=seed)
    except MissingExtra as missing:
        left_out["models"] = missing.asked
    asked.progress("attacking membership")
    gap = membership_gap(rows, seed=seed) if asked.attacks else None
    parts = partial_copies(rows, seed=seed)
    attacked, why_not = _attacked(asked) if asked.attacks else (None, "")
    facts = asked.place.facts
    account = facts.get("account") if facts is not None else None
    epsilon = float(account["epsilon"]) if account is not None else None
    judgements = (
        *about_account(asked.place.checks(), private=account is not None),
        *about_membership(gap, epsilon=epsilon),
        *about_copies(copied),
        *about_shared_values(rows.shared_values, control=len(rows.control) > 0),
        *about_partial_copies(parts),
        *about_compared_fields(rows.left_out, reencoded_fields(rows)),
        *about_attacks_with_control(attacked, why_not),
        *about_use(distances),
    )
    return SyntheticAssessment(
        title=asked.place.title,
        outcome=worst(judgements),
        judgements=judgements,
        distances=distances,
        associations=pairs,
        queries=queries,
        copies=copied,
        partial_copies=parts,
        shared_values=rows.shared_values,
        membership=gap,
        propensity=found[0],
        models=found[1],
        attacks=attacked,
        rows={
            "synthetic": len(rows.made),
            "source": len(rows.source),
            "control": len(rows.control),
        },
        fields=rows.fields,
        account=account,
        created=created,
        left_out=left_out,
        notes=_notes(rows),
    )


def _notes(rows: CodedRows) -> tuple[str, ...]:
    if not rows.left_out:
        return ()
    names = ", ".join(rows.left_out)
    return (f"Not compared, because a table lacks them or hardly a value repeats: {names}.",)


def _attacked(asked: _SyntheticCase) -> tuple[Attacks | None, str]:
    """Singling out, linkability and inference, against people of the source and others; or why they
    could not be tried."""
    if asked.control is None:
        return None, ""
    sensitive = asked.sensitive[:1]
    known = tuple(name for name in asked.rows.fields if name not in sensitive)[:MOST_KNOWN]
    if not known:
        return None, ""
    request = AssessmentRequest(
        release=asked.place.table,
        source=asked.source,
        control=asked.control,
        known=known,
        sensitive=sensitive,
        synthetic=True,
        seed=asked.seed,
        progress=asked.progress,
        moved=asked.moved,
        options=asked.options,
    )
    try:
        with case(request) as opened:
            return run_attacks(opened.subject, targets=TARGETS, only=ATTACKS, moved=asked.moved), ""
    except Mistake as reason:  # Such as a field that the tables write differently.
        return None, reason.asked.rstrip(".")
