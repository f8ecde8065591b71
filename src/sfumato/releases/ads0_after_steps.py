"""Property 9 of paper 000 on what was written, with what is known of its rows from the steps that were taken."""

from __future__ import annotations

from dataclasses import replace

from sfumato.assess import Ads0, check_ads0
from sfumato.bins import Bins

from .pairing_rows import Followed
from .preparing import Prepared
from .recount import Recount


def ads0_after_steps(prepared: Prepared, found: Recount, *, followed: Followed | None) -> Ads0:
    """The written bins against the population, or the source's people where there is none.

    Without steps, or where these left the quasi-identifiers as they were, each row leads to the one it is about. Where
    they moved them, the subjects are the source's as they were before, and `own` are the rows whose labels still cover
    their own. Where labels that a step made cannot be looked up, nothing is said.
    """
    followed = followed or Followed()
    moved = followed.pairing is not None
    subjects = prepared.bins
    if moved and (prepared.pairing is None or followed.unread):
        return replace(
            check_ads0(found.bins, subjects, (), prepared.hierarchies),
            reason="cannot be said: steps made labels that are not looked up among the source's values",
        )
    own = None
    if prepared.pairing is not None and prepared.known:
        under = prepared.pairing.under(found.bins, prepared.known, prepared.hierarchies)
        own = Bins(found.bins.fields, found.bins.labels, found.bins.codes, under.home)
        subjects = prepared.pairing.subjects.project(prepared.known)
    entities = prepared.population if prepared.population is not None else subjects
    return check_ads0(
        found.bins,
        entities,
        entities.fields,
        prepared.hierarchies,
        subjects=subjects,
        own=own,
        truthful=followed.is_true,
        nulls=prepared.policy.nulls,
    )
