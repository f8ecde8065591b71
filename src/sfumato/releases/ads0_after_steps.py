"""Property 9 of Sweeney 2000, checked on the written table. The steps determine which rows still
lead to their own person."""

from __future__ import annotations

from dataclasses import replace

from sfumato.bins import Bins
from sfumato.measures import Ads0, check_ads0

from .prepared_source import PreparedSource
from .release_recount import Recount
from .row_pairs import FollowedRows


def ads0_after_steps(
    prepared: PreparedSource, found: Recount, *, followed: FollowedRows | None
) -> Ads0:
    """The written bins against the population, or the source's people where there is none.

    Without steps, or where these left the quasi-identifiers as they were, each row leads to the one
    it is about. Where they moved them, the subjects are the source's as they were before, and `own`
    are the rows whose labels still cover their own. The check is then repeated over the fields that
    are still true: a recipient who reads the manifest links on these. Where labels that a step made
    cannot be looked up, the result is empty."""
    followed = followed or FollowedRows()
    moved = followed.pairing is not None
    subjects = prepared.bins
    if moved and (prepared.pairing is None or followed.unread):
        return replace(
            check_ads0(found.bins, subjects, (), prepared.hierarchies),
            reason="undecided: steps made labels that are not looked up among the source's values",
        )
    found_all = _checked(prepared, found.bins, subjects, followed=followed)
    kept = prepared.pairing.kept(prepared.known) if prepared.pairing is not None else ()
    if not found_all.holds or not kept or kept == prepared.known:
        return found_all
    # Whoever is told that the other fields were changed leaves them out, and looks up what is still
    # true.
    found_kept = _checked(prepared, found.bins.project(kept), subjects, followed=followed)
    return found_all if found_kept.holds else found_kept


def _checked(
    prepared: PreparedSource, released: Bins, subjects: Bins, *, followed: FollowedRows
) -> Ads0:
    """The check over the fields of `released`."""
    own, fields = None, released.fields
    if prepared.pairing is not None and prepared.known:
        under = prepared.pairing.under(released, fields, prepared.hierarchies)
        own = Bins(fields, released.labels, released.codes, under.home)
        subjects = prepared.pairing.subjects.project(fields)
    entities = prepared.populations.get("k_map", subjects)
    return check_ads0(
        released,
        entities,
        tuple(name for name in entities.fields if name in fields),
        prepared.hierarchies,
        subjects=subjects,
        own=own,
        truthful=followed.is_true,
        nulls=prepared.policy.nulls,
    )
