"""Opening what is assessed: the release, its source, the policy it was made under, a population and
a control group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.engines import (
    Database,
    Engine,
    TableView,
    is_address,
    is_postgres,
    open_database,
    open_source,
)
from sfumato.errors import Mistake, PolicyError, Problem, SourceError
from sfumato.policy import Policy, check_tables_against, read_policy
from sfumato.releases import (
    MANIFEST,
    ONE_TABLE,
    Check,
    Release,
    ReleaseShape,
    Written,
    manifest_of,
    repeats,
    verify,
    written,
)
from sfumato.releases.tables import OneTable, as_said, as_tables

from .case_view import CaseView, seen_alone, seen_among
from .consistency import check_fewer_rows, check_rows, check_same_fields
from .registers import missing_registers, registers_of
from .release_policy import PolicyFound, policy_of_release
from .request import AssessmentRequest, called, titled


@dataclass(frozen=True, eq=False, kw_only=True)
class OpenedCase:
    """The release and, where it is at hand, its source, each seen as one table. `facts` is the
    manifest, empty where there is none. Where there are several tables, `whole` is the source with
    all of them, and `database` the release with all of its own. `registers` are the tables of
    people that requirements count in, by their keys."""

    title: str
    release: Engine
    seen: CaseView
    source: Engine | None = None
    whole: Database | None = None
    found: PolicyFound | None = None
    facts: Mapping[str, Any] = field(default_factory=dict, repr=False)
    checks: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()
    place: Written | None = None
    registers: Mapping[str, Any] = field(default_factory=dict, repr=False)
    database: Database | None = None

    @property
    def policy(self) -> Policy | None:
        return self.found.policy if self.found is not None else None


@contextmanager
def opened(asked: AssessmentRequest) -> Iterator[OpenedCase]:
    """Everything closed again at the end, also where it ends badly."""
    with ExitStack() as stack:
        if isinstance(asked.release, Release) and asked.release.folder is None:
            place: Written | None = written(stack.enter_context(asked.release.on_disk()))
            asked = replace(asked, policy=asked.policy or asked.release.policy)
        else:
            place = place_of(asked.release)
        yield _release(asked, place, stack) if place is not None else _table(asked, stack)


def place_of(given: Any) -> Written | None:
    """The release with its manifest, if it is one; None for any other table."""
    if isinstance(given, Release):
        return written(given.folder) if given.folder is not None else None
    if is_postgres(given):
        return written(given) if "#" in given else None
    if isinstance(given, str | Path) and not is_address(given):
        return written(given) if (Path(given) / MANIFEST).is_file() else None
    return None


def _release(asked: AssessmentRequest, place: Written, stack: ExitStack) -> OpenedCase:
    facts = manifest_of(place)
    _check_has_its_tables(place, facts)
    asked.progress("checking the release against its manifest")
    found = policy_of_release(asked.policy, facts, folder=place.folder, source=asked.source)
    people = facts["shape"] == ReleaseShape.PEOPLE
    registers = {} if people else _registers(asked, found.policy, place)
    where = str(asked.release) if is_postgres(asked.release) else place.folder
    checks = verify(where, population=next(iter(registers.values()), None))
    if asked.source is not None and not found.hierarchies:
        raise _hierarchies_away(found.policy)
    if people:
        return _of_tables(asked, place, facts, found, checks, stack)
    seen = seen_alone(asked, found.policy, facts)
    release = stack.enter_context(place.opened(facts["tables"][ONE_TABLE]))
    source, notes = (
        None,
        (*seen.notes, *_stepped(facts), *missing_registers(found.policy, registers)),
    )
    if asked.source is not None:
        asked.progress("reading the source")
        source = stack.enter_context(_source(asked, found.policy))
        check_same_fields(release, source)
        notes += _counted(facts["tables"][ONE_TABLE]["rows"], release, source, facts)
    return OpenedCase(
        title=titled(asked.release),
        release=release,
        seen=seen,
        source=source,
        found=found,
        facts=facts,
        checks=checks,
        notes=notes,
        place=place,
        registers=registers,
    )


def _registers(asked: AssessmentRequest, policy: Policy, place: Written) -> dict[str, Any]:
    folder = place.folder if place.folder != Path() else None
    return registers_of(policy, given=asked.population, source=asked.source, release=folder)


def _of_tables(
    asked: AssessmentRequest,
    place: Written,
    facts: Mapping[str, Any],
    found: PolicyFound,
    checks: tuple[Check, ...],
    stack: ExitStack,
) -> OpenedCase:
    """A release of several tables, or of one with several rows per person."""
    policy = found.policy if found.policy.tables else as_tables(found.policy)
    seen = seen_among(asked, policy)
    assert seen.view is not None
    database = stack.enter_context(place.database(tuple(facts["tables"])))
    release = database.view(seen.view)
    registers = _registers(asked, policy, place)
    source, whole = None, None
    notes = (*seen.notes, *_stepped(facts), *missing_registers(policy, registers))
    if asked.source is not None:
        asked.progress("reading the source")
        whole = _whole(asked, policy, single=not found.policy.tables, stack=stack)
        source = whole.view(seen.view)
        check_same_fields(release, source)
        notes += _counted(facts["tables"][seen.table]["rows"], release, source, facts)
    return OpenedCase(
        title=titled(asked.release),
        release=release,
        seen=seen,
        source=source,
        whole=whole,
        found=PolicyFound(policy=policy, came_from=found.came_from, hierarchies=found.hierarchies),
        facts=facts,
        checks=checks,
        notes=notes,
        place=place,
        registers=registers,
        database=database,
    )


def _table(asked: AssessmentRequest, stack: ExitStack) -> OpenedCase:
    """Any table: one before it is released, or a release that other tools made."""
    if asked.policy is None and not asked.known:
        raise _nothing_known(asked.release)
    policy = read_policy(asked.policy) if asked.policy is not None else None
    found = PolicyFound(policy=policy, came_from="given") if policy is not None else None
    if policy is not None and policy.tables:
        return _raw_tables(asked, policy, stack)
    release = stack.enter_context(open_source(asked.release, policy=policy, **_reading(asked)))
    if policy is not None and repeats(release, policy):
        tables = as_tables(policy)
        seen = seen_among(replace(asked, table=""), tables, is_source=True)
        found = PolicyFound(policy=tables, came_from="given")
    else:
        seen = seen_alone(asked, policy, {})
    source = None
    if asked.source is not None:
        asked.progress("reading the source")
        source = stack.enter_context(_source(asked, policy))
        released = check_rows(release, what="the release")
        if not asked.synthetic:
            check_fewer_rows(released, source.count_rows(), title=source.title)
    whole = OneTable(source) if source is not None and seen.sight is not None else None
    registers: dict[str, Any] = {}
    if policy is not None:
        registers = registers_of(policy, given=asked.population, source=asked.source, release=None)
    return OpenedCase(
        title=titled(asked.release),
        release=release,
        seen=seen,
        source=source,
        whole=whole,
        found=found,
        notes=() if policy is None else missing_registers(policy, registers),
        registers=registers,
    )


def _nothing_known(release: Any) -> Mistake:
    """Why a place without a manifest cannot be assessed; often it is the folder above a release."""
    if isinstance(release, str | Path) and not is_address(release):
        folder = Path(release)
        if not folder.exists():
            return SourceError(f"{release} does not exist.", attempt="checking the path.")
        inside = (
            sorted(path.parent.name for path in folder.glob(f"*/{MANIFEST}"))
            if folder.is_dir()
            else []
        )
        if inside:
            return Mistake(
                f"{called(release)} is no release, but has {', '.join(inside[:5])} in it.",
                attempt=f"{folder / inside[0]}.",
            )
    return Mistake(
        f"{called(release)} has no manifest, so the known fields are unknown.",
        attempt="the folder of a release; or, for any other table, --known with the fields that "
        "somebody could "
        "know of a person, or --policy.",
    )


def _raw_tables(asked: AssessmentRequest, policy: Policy, stack: ExitStack) -> OpenedCase:
    """Several tables before they are released."""
    if asked.source is not None:
        raise Mistake(
            "Several tables without a manifest were given together with a source.",
            found="Only a release of Sfumato states the person of each row.",
            attempt="the folder of the release, or one table at a time with a policy for it alone.",
        )
    seen = seen_among(asked, policy, is_source=True)
    assert seen.view is not None
    options = {name: value for name, value in asked.options.items() if name != "table"}
    database = stack.enter_context(
        open_database(asked.release, policy=policy, tables=tuple(policy.tables), **options)
    )
    _check_tables(database, policy)
    return OpenedCase(
        title=titled(asked.release),
        release=database.view(seen.view),
        seen=seen,
        found=PolicyFound(policy=policy, came_from="given"),
        database=database,
    )


def _check_tables(database: Database, policy: Policy) -> None:
    names = {
        name: [info.name for info in database.view(TableView(table=name)).fields()]
        for name in database.tables()
    }
    check_tables_against(
        policy, {name: fields for name, fields in names.items() if name in policy.tables}
    )


def _whole(asked: AssessmentRequest, policy: Policy, *, single: bool, stack: ExitStack) -> Database:
    """The source as all of its tables; as one table with several rows per person where that is what
    it is."""
    if single:
        return OneTable(stack.enter_context(_source(asked, as_said(policy))))
    options = {name: value for name, value in asked.options.items() if name != "table"}
    database = stack.enter_context(
        open_database(asked.source, policy=policy, tables=tuple(policy.tables), **options)
    )
    _check_tables(database, policy)
    return database


def _source(asked: AssessmentRequest, policy: Policy | None) -> Engine:
    engine = open_source(asked.source, policy=policy, **_reading(asked))
    try:
        check_rows(engine, what="the source")
    except BaseException:
        engine.close()
        raise
    return engine


def _reading(asked: AssessmentRequest) -> dict[str, Any]:
    return {**asked.options, **({"table": asked.table} if asked.table else {})}


def _counted(
    said: Mapping[str, int], release: Engine, source: Engine, facts: Mapping[str, Any]
) -> tuple[str, ...]:
    """Rows of both, held against each other and against the manifest. Steps of the policy may have
    added some."""
    rows, released = source.count_rows(), check_rows(release, what="the release")
    if not facts.get("steps"):
        check_fewer_rows(released, rows, title=source.title)
    if "source" in said and said["source"] != rows:
        return (
            f"The source has {rows:,} rows now and had {said['source']:,} when the release "
            "was made: before and after compare two states of it.",
        )
    return ()


def _stepped(facts: Mapping[str, Any]) -> tuple[str, ...]:
    steps = [str(step["technique"]).replace("_", " ") for step in facts.get("steps", ())]
    if not steps:
        return ()
    return (
        "Before the table was recoded, steps of the policy changed cells or rows of it "
        f"({', '.join(steps)}): a row may be untrue of its person, and an inference from it "
        "may be wrong.",
    )


def _check_has_its_tables(place: Written, facts: Mapping[str, Any]) -> None:
    if place.folder != Path() and any(
        "schema" in table for table in facts.get("tables", {}).values()
    ):
        raise Mistake(
            f"{place.title} has the documents of a release whose tables are in a database.",
            attempt="postgresql://host/database#SCHEMA in place of the folder.",
        )


def _hierarchies_away(policy: Policy) -> PolicyError:
    problem = Problem(
        where="hierarchies",
        found="some are in files that are not with the release, so the labels of the "
        "source's values are unknown.",
        attempt="--policy with the policy file beside these files.",
    )
    return PolicyError([problem], name=f"Policy {policy.name}")
