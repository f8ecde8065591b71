"""`synthesize`: a private synthetic table of one source, from its rows to a folder with its manifest.

The order: read the policy, refuse open fields, stage each person's rows as codes in the engine,
select values and ranges privately, measure and fit. Then draw and write, read back, document,
publish. Nothing that is written follows from the source but through noisy measurements of the
account."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import (
    FROM_THE_POLICY,
    PrivacyAccount,
    PrivacyLimit,
    check_noise_source,
    displayed_epsilon,
)
from sfumato.engines import Engine, open_source, read_released_frame
from sfumato.errors import Mistake, PolicyError, Problem, SourceError
from sfumato.policy import (
    PRIVATE,
    SynthesisPolicy,
    has_tables,
    read_synthesis,
    reading_policy,
    synthesis_as_table,
    synthesis_method,
)
from sfumato.runs import claim, interruptible, temporary_folder
from sfumato.synthesis import (
    ForbiddenCells,
    SyntheticRows,
    check_optimiser,
    synthesise,
)

from ..atomic_folder import MANIFEST, aside, check_target
from ..documents import manifest_digest
from ..manifest import Manifest, ReleaseShape, write_manifest
from .coded_stage import CodedStage, FineField, coded_stage
from .engine_table import EngineTable
from .field_codes import (
    MOST_CELLS,
    RangeCoder,
    ValueCoder,
    even_edges,
    steps_of,
)
from .other_run import synthesize_otherwise
from .private_domain import (
    DOMAIN_SHARE,
    cut_range,
    domain_share,
    finest_cells,
    is_long,
    select_values,
)
from .synthetic_release import SyntheticRelease
from .table_file import FORMATS, TABLE, write_made_table
from .useful_noise import check_noise, check_selection, stated_shares, usefulness

STATEMENT: Final = (
    "These rows are synthetic: a model that was measured with noise made them, and no row is a "
    "person's. The account bounds what can be learned about one person from them; it does not hide "
    "what is true of many."
)
DELTA_SHARE: Final = 0.1
Coder = ValueCoder | RangeCoder


def synthesize(
    source: Any = None,
    policy: str | Path | Mapping[str, Any] | SynthesisPolicy | None = None,
    *,
    to: str | Path | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    domains: Mapping[str, Any] | None = None,
    select: tuple[str, ...] | list[str] = (),
    leave_out: tuple[str, ...] | list[str] = (),
    entity: str = "",
    rows_per_person: int = 1,
    account: str | Path = "",
    method: str = "",
    fields: tuple[str, ...] | list[str] = (),
    keep: tuple[str, ...] | list[str] = (),
    copies: int | None = None,
    draws: str = "",
    rows: int | None = None,
    least_rows: int | None = None,
    file_format: str = "csv",
    replace: bool = False,
    progress: Callable[[str], None] = lambda stage: None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    **options: Any,
) -> SyntheticRelease:
    """Make a synthetic table of `source`, into the folder `to` or as a frame.

    By default it is private. With `method="trees"` it is not: trees are fitted to the source, for the
    fields that `fields` names, beside those of `keep`, which stay as they are, in `copies` copies
    (`combine_estimates`). `method="domains"` makes `rows` test rows of `domains`, without a source.

    The policy is a file or a dict with `[synthesis]`, or keywords: `epsilon` and `delta` limit the
    cost of the table to a person. `domains` has the values of each field, as a list or as
    `{"least": 0, "most": 110, "step": 1}`. `select` names fields whose values are selected
    privately, and `leave_out` those that are not synthesised. A field that none of them names is
    refused: a domain that is read from the rows discloses a value that only one person has.

    With `entity`, `rows_per_person` rows of each person are counted; without it, each row is taken
    for a person. `account` is a file that adds up what several releases cost."""
    keywords = {
        "epsilon": epsilon,
        "delta": delta,
        "domains": domains,
        "select": list(select),
        "leave_out": list(leave_out),
        "entity": entity,
        "rows_per_person": rows_per_person if rows_per_person != 1 else None,
        "account": str(account),
        "method": method,
        "fields": list(fields),
        "keep": list(keep),
        "copies": copies,
        "draws": draws,
        "rows": rows,
        "least_rows": least_rows,
    }
    given = {name: value for name, value in keywords.items() if value}
    if file_format not in FORMATS:
        raise Mistake(
            f"A synthetic table was asked for as {file_format}.", attempt="csv or parquet."
        )
    asked = {"synthesis": given} if policy is None else policy
    if not isinstance(asked, SynthesisPolicy) and (
        synthesis_method(asked) != PRIVATE or has_tables(asked)
    ):
        return synthesize_otherwise(
            source,
            asked,
            beside={} if policy is None else given,
            to=None if to is None else Path(to),
            file_format=file_format,
            replace=replace,
            progress=progress,
            created=clock().isoformat(timespec="seconds"),
            options=options,
        )
    settled = _settled(policy, given)
    if source is None:
        raise Mistake(
            "A private synthetic table was asked for.",
            found="No source was given.",
            attempt='its source, or method = "domains" for test rows without one.',
        )
    check_noise_source()
    check_optimiser()
    run = _SynthesisRun(policy=settled, progress=progress, chance=np.random.default_rng())
    with interruptible(), ExitStack() as held:
        if to is not None:
            check_target(Path(to), replace=replace)
            held.enter_context(claim(Path(to)))
        progress("reading the source")
        with open_source(source, policy=reading_policy(asked), **options) as engine:
            made = run.measure(run.read(engine))
        created = clock().isoformat(timespec="seconds")
        if to is None:
            folder = held.enter_context(temporary_folder())
            facts = run.write(folder, made, "parquet", created)
            frame = read_released_frame(folder / f"{TABLE}.parquet", source)
            return run.result(facts, frame=frame, frames=(frame,))
        with aside(Path(to), replace=replace) as folder:
            facts = run.write(folder, made, file_format, created)
        return run.result(facts, folder=Path(to))


def _settled(
    policy: str | Path | Mapping[str, Any] | SynthesisPolicy | None, keywords: Mapping[str, Any]
) -> SynthesisPolicy:
    """The policy that was given, or that of the keywords; epsilon and delta may be given beside a
    file."""
    if policy is None:
        return read_synthesis({"synthesis": {"epsilon": 1.0, **keywords}}, name="of keywords")
    beside = {name: value for name, value in keywords.items() if name in ("epsilon", "delta")}
    if beside != dict(keywords):
        names = ", ".join(name for name in keywords if name not in beside)
        raise Mistake(
            f"A policy was given, and {names} beside it.", attempt="writing it into the policy."
        )
    given = policy if isinstance(policy, SynthesisPolicy) else read_synthesis(policy)
    return replace(given, **beside) if beside else given


@dataclass(eq=False, kw_only=True)
class _SynthesisRun:
    policy: SynthesisPolicy
    progress: Callable[[str], None]
    chance: np.random.Generator
    coders: list[Coder] = field(default_factory=list)
    delta: float = 0.0
    whole: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        policy = self.policy
        self.limit = PrivacyLimit(epsilon=policy.epsilon, delta=policy.delta)
        self.account = PrivacyAccount.of_run(
            epsilon=policy.epsilon,
            delta=policy.delta,
            limit=policy.limit,
            file=policy.folder / policy.account if policy.account else None,
        )
        self.account.note_outside(f"names and declared domains of the fields{FROM_THE_POLICY}")

    def read(self, engine: Engine) -> CodedStage:
        """The rows that are counted, as codes in the engine; nothing is charged yet."""
        policy = self.policy
        names = [info.name for info in engine.fields()]
        _check_fields(policy, names)
        wanted = [name for name in names if name in policy.fields]
        self.check_budget(wanted)
        return coded_stage(engine, policy, wanted)

    def check_budget(self, names: Sequence[str]) -> None:
        """Refuse an epsilon that nothing can be done with, or that the account does not have."""
        policy = self.policy
        self.delta = DELTA_SHARE * policy.delta / max(1, len(policy.select))
        # A selection has the lowest threshold that keeps to its delta, so it uses no more of it.
        self.whole = self.limit.rho(Fraction(self.delta) * len(policy.select))
        check_noise(
            epsilon=policy.epsilon,
            rho=self.whole,
            fields=len(names),
            rows_per_person=policy.rows_per_person,
            people=policy.people,
        )
        check_selection(
            epsilon=policy.epsilon,
            rho=self.domain_rho(names),
            delta=self.delta,
            select=policy.select,
            rows_per_person=policy.rows_per_person,
            people=policy.people,
        )
        self.account.check_left(
            self.whole, f"A synthetic table of epsilon {policy.epsilon:g} was asked for."
        )

    def domain_rho(self, names: Sequence[str]) -> Fraction:
        """The part of the budget of each domain that costs something."""
        return domain_share(sum(_is_costly(name, self.policy) for name in names)) * self.whole

    def measure(self, stage: CodedStage) -> SyntheticRows:
        """Everything private: domains that cost something, then the model."""
        rho = self.domain_rho([each.name for each in stage.fields])
        for fine in stage.fields:
            self.progress(f"coding {fine.name}")
            coder = self._coder(stage, fine, rho)
            self.coders.append(coder)
        table = self._coded(stage)
        self.progress("measuring and fitting")
        return synthesise(table, self.account, rho=self.whole - self.account.rho)

    def _coder(self, stage: CodedStage, fine: FineField, rho: Fraction) -> Coder:
        most = self.policy.rows_per_person
        if fine.domain is None:
            return select_values(
                fine.name,
                fine.values,
                stage.counts[fine.name][1:],
                self.account,
                rho=rho,
                delta=self.delta,
                rows_per_person=most,
            )
        if is_long(fine.domain):
            return cut_range(
                fine.name,
                fine.domain,
                stage.counts[fine.name][: finest_cells(fine.domain)],
                self.account,
                rho=rho,
                rows_per_person=most,
            )
        if fine.domain.is_range:
            edges = even_edges(steps_of(fine.domain), MOST_CELLS)
            return RangeCoder(name=fine.name, domain=fine.domain, edges=edges)
        return ValueCoder(name=fine.name, values=fine.domain.values)

    def _coded(self, stage: CodedStage) -> EngineTable:
        places = {coder.name: n for n, coder in enumerate(self.coders)}
        rules = []
        apart: dict[str, list[frozenset[int]]] = {}
        for rule in self.policy.never:
            named = sorted(rule, key=lambda name: places[name])
            codes = tuple(_codes_of(self.coders[places[name]], rule[name]) for name in named)
            for name, inside in zip(named, codes, strict=True):
                apart.setdefault(name, []).append(inside)
            rules.append(ForbiddenCells(fields=tuple(places[n] for n in named), codes=codes))
        return EngineTable(
            stage=stage,
            fields=tuple(coder.spec(apart.get(coder.name, ())) for coder in self.coders),
            codes=tuple(
                fine.codes_for(coder) for fine, coder in zip(stage.fields, self.coders, strict=True)
            ),
            rows_per_person=self.policy.rows_per_person,
            forbidden=tuple(rules),
        )

    def write(
        self, folder: Path, made: SyntheticRows, file_format: str, created: str
    ) -> dict[str, Any]:
        """Write the table, read it back, and write the manifest; the manifest's facts."""
        self.progress("writing the table")
        beyond = np.zeros(len(self.coders), np.int64)

        def batches() -> Iterator[dict[str, NDArray[np.int64]]]:
            for codes in made.chunks(self.chance):
                for n, (coder, column) in enumerate(zip(self.coders, codes, strict=True)):
                    beyond[n] += int(np.isin(column, coder.outside).sum())
                yield {
                    coder.name: coder.drawn(column, self.chance)
                    for coder, column in zip(self.coders, codes, strict=True)
                }

        columns = {coder.name: coder.column() for coder in self.coders}
        entry = write_made_table(
            folder, TABLE, columns, batches(), rows=made.rows, file_format=file_format
        )
        other = {
            coder.name: int(count) / made.rows
            for coder, count in zip(self.coders, beyond, strict=True)
        }
        facts = self._manifest(entry, made, created, other).as_dict()
        write_manifest(facts, folder / MANIFEST)
        self.digest = manifest_digest(folder)
        return facts

    def _manifest(
        self,
        entry: dict[str, Any],
        made: SyntheticRows,
        created: str,
        other: Mapping[str, float],
    ) -> Manifest:
        account = self.account.as_dict()
        crowded = [c.name for c in self.coders if isinstance(c, RangeCoder) and c.is_crowded]
        ranges = [coder.name for coder in self.coders if isinstance(coder, RangeCoder)]
        beyond = stated_shares(other, ranges)
        listed = stated_shares(other, [name for name in other if name not in ranges])
        outside = {**other, **beyond}
        outcome, reason = usefulness(account["measurements"], made.rows, outside, crowded)
        synthesis = {
            "measured_together": [[self.coders[n].name for n in group] for group in made.groups],
            "bins": {coder.name: bins for coder, bins in zip(self.coders, made.bins, strict=True)},
            "account_is_kept": bool(self.policy.account),
            **({"beyond_range": beyond} if beyond else {}),
            **({"other_values": listed} if listed else {}),
            **({"crowded": crowded} if crowded else {}),
            **({"reason": reason} if reason else {}),
        }
        return Manifest(
            shape=ReleaseShape.SYNTHETIC,
            created=created,
            outcome=outcome,
            sections={
                "statement": STATEMENT,
                "tables": {TABLE: entry},
                "synthesis": synthesis,
                "account": account,
                "policy": synthesis_as_table(self.policy),
            },
        )

    def result(
        self,
        facts: Mapping[str, Any],
        *,
        folder: Path | None = None,
        frame: Any = None,
        frames: tuple[Any, ...] = (),
    ) -> SyntheticRelease:
        return SyntheticRelease(
            manifest=facts,
            rows=facts["tables"][TABLE]["rows"],
            epsilon=self.account.epsilon,
            delta=self.policy.delta,
            epsilon_of_all=displayed_epsilon(self.account.spent(), self.policy.delta),
            folder=folder,
            frame=frame,
            frames=frames,
            digest=self.digest,
            outcome=facts["outcome"],
        )


def _is_costly(name: str, policy: SynthesisPolicy) -> bool:
    return name in policy.select or is_long(policy.domains[name])


def _codes_of(coder: Coder, values: tuple[str, ...]) -> frozenset[int]:
    assert isinstance(coder, ValueCoder)
    return coder.codes_of(values)


def _check_fields(policy: SynthesisPolicy, names: list[str]) -> None:
    """Every field of the source has been decided about, and every decision has its field."""
    if TABLE in names:
        raise SourceError(
            f"The source has a field {TABLE}, which would mark synthetic rows.",
            attempt="another name for it.",
        )
    decided = {*policy.fields, *policy.leave_out, policy.entity}
    problems = [
        Problem(
            where=f"synthesis.domains.{name}",
            found=f"Nobody has said which values {name} may have.",
            attempt=f'a list or a range, select = ["{name}"], which costs '
            f"{DOMAIN_SHARE:.0%} of the budget, or leave_out.",
        )
        for name in names
        if name not in decided
    ]
    problems += [
        Problem(where="synthesis", found=f"The source has no field {name}.")
        for name in sorted(decided - {""} - set(names))
    ]
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}")
