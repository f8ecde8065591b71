"""The source of a release, opened under its policy: one table, or several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.engines import (
    Database,
    Engine,
    open_database,
    open_several,
    open_source,
    open_undecided,
)
from sfumato.errors import Bug, Mistake, PolicyError, Problem
from sfumato.policy import Membership, Policy, SourceFormat, null_words

from .chosen_solver import with_solver
from .keyword_policy import KeywordPolicy, policy_of_keywords, review_reasons
from .policy_choice import PolicyLike, found_policy, policy_for, policy_for_tables
from .request import ReleaseRequest
from .requirements import with_requirements
from .table_keywords import policy_of_table_keywords


@dataclass(frozen=True, eq=False, kw_only=True)
class OpenedSource:
    """A source with the policy that was found, given or proposed for it, and the request as the
    policy settles it.

    A policy of several tables has a `database`, any other an engine. `proposed_file` is where a
    survey wrote its policy. `surveyed` and `reviews` are what keywords left open."""

    request: ReleaseRequest
    policy: Policy
    database: Database | None = field(default=None, repr=False)
    table: Engine | None = field(default=None, repr=False)
    proposed_file: Path | None = None
    surveyed: Mapping[str, str] = field(default_factory=dict)
    reviews: tuple[str, ...] = ()

    @property
    def engine(self) -> Engine:
        """The only table."""
        if self.table is None:
            raise Bug("a source of several tables was asked for its only one.")
        return self.table


@contextmanager
def open_for_release(request: ReleaseRequest, given: PolicyLike | None) -> Iterator[OpenedSource]:
    """Find the policy, or propose one by a survey, and open the source with it."""
    source, progress = request.source, request.progress
    progress("reading the source")
    if request.keywords:
        with _by_keywords(request) as opened:
            yield opened
        return
    beside = None if request.hands_out else source
    found = found_policy(source, given)
    if found is not None:
        _check_membership(found)
        found = replace(found, source=found.source.with_options(request.options))
        found, request = _agreed(found, request)
    if found is not None and found.tables:
        _check_no_table_named(request)
        names = tuple(found.tables)
        with open_database(
            source, engine=request.engine, policy=found, tables=names, **request.options
        ) as database:
            yield OpenedSource(request=request, policy=found, database=database)
        return
    if found is None:
        with _undecided(request, beside) as opened:
            yield opened
        return
    with open_source(source, engine=request.engine, policy=found, **request.options) as engine:
        yield OpenedSource(request=request, policy=found, table=engine)


@contextmanager
def _undecided(request: ReleaseRequest, beside: Any) -> Iterator[OpenedSource]:
    """The source with a policy that a survey proposes, written beside it where it is a file."""
    with open_undecided(request.source, engine=request.engine, **request.options) as opened:
        request = replace(request, options=dict(opened.options))
        format, progress = SourceFormat().with_options(opened.options), request.progress
        if opened.database is not None:
            policy, file = policy_for_tables(
                beside, opened.database, progress=progress, format=format
            )
            table = None
        else:
            policy, file = policy_for(beside, opened.engine, progress=progress, format=format)
            words = null_words(policy)
            table = opened.engine.with_nulls(words) if words else opened.engine
        policy, request = _agreed(policy, request)
        yield OpenedSource(
            request=request,
            policy=policy,
            database=opened.database,
            table=table,
            proposed_file=file,
        )


@contextmanager
def _by_keywords(request: ReleaseRequest) -> Iterator[OpenedSource]:
    """One table or several, with the policy that keywords describe."""
    source, options, progress = request.source, request.options, request.progress
    format = SourceFormat().with_options(options)
    several = open_several(source, engine=request.engine, **options)
    if several is not None:
        with several as database:
            found = policy_of_table_keywords(
                database, request.keywords, format=format, progress=progress
            )
            yield _settled(request, found, database=database)
        return
    with open_source(source, engine=request.engine, **options) as engine:
        progress("surveying")
        found = policy_of_keywords(engine, request.keywords, format=format)
        words = null_words(found.policy)
        yield _settled(request, found, table=engine.with_nulls(words) if words else engine)


def _settled(
    request: ReleaseRequest,
    found: KeywordPolicy,
    *,
    database: Database | None = None,
    table: Engine | None = None,
) -> OpenedSource:
    """The source with the policy of keywords, which is *proposed* where something is left open."""
    keywords = request.keywords
    request = replace(request, require=keywords.all_records(found.policy))
    policy, request = _agreed(found.policy, request)
    reviews = (*review_reasons(policy, keywords), *found.reviews)
    return OpenedSource(
        request=request,
        policy=replace(policy, proposed=policy.proposed or bool(reviews)),
        database=database,
        table=table,
        surveyed=found.surveyed,
        reviews=reviews,
    )


def _agreed(policy: Policy, request: ReleaseRequest) -> tuple[Policy, ReleaseRequest]:
    """Policy and request agree: either may ask for quoted formulas, and the request may name solver
    and requirements.

    Both are in place before the policy is checked again, since the one may fit only with the other.
    """
    quoted = policy.quote_formulas or request.quote_formulas
    policy = with_solver(policy, request.solver, is_checked=request.require is None)
    policy = with_requirements(policy, request.require)
    agreed = replace(request, quote_formulas=quoted, require=None, solver=None)
    return replace(policy, quote_formulas=quoted), agreed


def _check_no_table_named(request: ReleaseRequest) -> None:
    if request.options.pop("table", ""):
        raise Mistake(
            "One table was asked for, and the policy is for several.",
            attempt="leaving the table out, or a policy for it alone.",
        )


def _check_membership(policy: Policy) -> None:
    """Rows disclose who is among them: a policy that protects that has no release of rows."""
    if policy.membership is Membership.PROTECTED:
        problem = Problem(
            where="membership",
            found="A release of rows cannot hide who is in the table.",
            attempt='noisy numbers at the gate, or membership = "public" with '
            "require.delta_presence.",
        )
        raise PolicyError([problem], name=f"Policy {policy.name}")
