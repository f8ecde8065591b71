"""A sweep: candidates over one number of the policy, each measured on its bins, none written
(Garfinkel et al. 2007, section 7)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from dataclasses import replace as with_changes
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sfumato
from sfumato.engines import Engine, engine_for, open_source
from sfumato.errors import Mistake, NoRecodingFound, TargetError
from sfumato.policy import OutsideNeed, Policy
from sfumato.releases import (
    PolicyLike,
    PreparedSource,
    found_policy,
    keep_together,
    prepare,
    solver_for,
    try_steps,
)
from sfumato.report import table
from sfumato.runs import claim, interruptible
from sfumato.wording import counted

from .channel_sweep import ChannelSweep, channel_candidates, solve_points
from .page.channel_sweep_page import render_channel_sweep
from .page.ru_map_page import render_ru_map
from .page_file import check_file, write_private
from .sweep_candidates import CountedOnce, models_again
from .sweep_measures import Measures
from .sweep_settings import Over, candidates, read_over
from .utility.ru_map import RISKS, UTILITIES, RuMap, RuPoint

PAGE, NUMBERS = "sweep.html", "sweep.json"

Step = Callable[[int, int, str], None]


@dataclass(frozen=True, kw_only=True, repr=False)
class Sweep:
    """The map, and what it was made from. Nothing of the data was released."""

    map: RuMap
    title: str
    rows: int
    known: tuple[str, ...]
    policy: str
    seed: int
    created: str
    folder: Path | None = None

    def as_dict(self) -> dict[str, Any]:
        return {
            "sfumato": sfumato.__version__,
            "created": self.created,
            "table": self.title,
            "rows": self.rows,
            "known": list(self.known),
            "policy": self.policy,
            "seed": self.seed,
            "risk_means": RISKS[self.map.risk],
            "utility_means": UTILITIES[self.map.utility],
            **self.map.as_dict(),
        }

    def __repr__(self) -> str:
        points = counted(len(self.map.points), "candidate")
        rows = counted(self.rows, "row")
        return f"<Sweep of {self.title}: {points} over {rows}, {self.map.risk} risk>"

    def _repr_html_(self) -> str:
        rows = [
            (f"{point.setting:g}", point.solver, *_place_cells(self.map.on(point)))
            for point in self.map.points
        ]
        headings = ("setting", "solver", "risk", "utility")
        return str(table(headings, rows, caption=f"Sweep of {self.title}"))


def _place_cells(place: tuple[float, float] | None) -> tuple[str, str]:
    """Risk and utility of a candidate; nothing where there is no recoding."""
    return ("–", "–") if place is None else (f"{place[0]:.4f}", f"{place[1]:.4f}")


def sweep(
    source: Any,
    policy: PolicyLike | None = None,
    *,
    over: Over,
    solvers: Sequence[str] = (),
    risk: str = "highest",
    utility: str = "information",
    to: str | Path | None = None,
    replace: bool = False,
    engine: str = "",
    step: Step = lambda done, total, what: None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    **options: Any,
) -> Sweep | ChannelSweep:
    """Solve `source` under `policy` again and again, with another number each time, and map risk
    against utility.

    `over` is a requirement of the policy and the numbers to try: "k=2,3,5,10,20", or
    {"t_closeness.t": [0.1, 0.2]}. `solvers` are those to compare, by default the policy's. Bins are
    counted once. A number for which there is no recoding stays on the map as such. With `to`,
    sweep.html and sweep.json are written into that folder.

    For a policy with [channels], `over` is one of its numbers, such as
    "channels.risk_tolerance=1,1.2,1.4". The map is then that of loss against tolerance."""
    path, values = read_over(over)
    _check_axes(risk, utility)
    decided = found_policy(source, policy)
    if decided is None:
        raise Mistake(
            "A sweep varies a policy, and none was given.",
            attempt="sfumato survey SOURCE, which proposes one.",
        )
    if decided.tables:
        raise Mistake(
            "A sweep looks at the recodings of one table, and the policy is for several.",
            attempt="a policy for the person's table alone.",
        )
    paired = [declared.key for declared, _ in decided.require.needing(OutsideNeed.PAIRING)]
    if paired:
        raise Mistake(
            f"A sweep judges candidates by their bins, and {', '.join(paired)} needs the "
            "person of each row.",
            attempt="a policy without it, whose release is then judged by it.",
        )
    folder = Path(to) if to is not None else None
    if decided.channels is not None:
        policies = _channel_policies(decided, path, values, solvers)
        with _held(folder, replace=replace):
            reading = {"engine": engine or engine_for(source), **options}
            found = _sweep_channels(
                source, policies, path, values, step=step, clock=clock, reading=reading
            )
            made_channels = with_changes(found, folder=folder)
            if folder is not None:
                page = render_channel_sweep(made_channels, version=sfumato.__version__)
                _write(page, made_channels.as_dict(), folder, replace=replace)
            return made_channels
    asked = candidates(decided, path, values, solvers)
    with _held(folder, replace=replace):
        with open_source(
            source, engine=engine or engine_for(source), policy=decided, **options
        ) as opened:
            swept = _swept(
                CountedOnce(try_steps(opened, decided).engine),
                decided,
                asked,
                path,
                values,
                step=step,
            )
            points, (origin, rows, known) = swept
            title = opened.title
        made = Sweep(
            map=RuMap(over=path, points=tuple(points), risk=risk, utility=utility, source=origin),
            title=title,
            rows=rows,
            known=known,
            policy=decided.name,
            seed=decided.solve.seed,
            created=clock().isoformat(timespec="seconds"),
            folder=folder,
        )
        if folder is not None:
            page = render_ru_map(
                made.map,
                title=made.title,
                created=made.created,
                version=sfumato.__version__,
                rows=made.rows,
                known=made.known,
            )
            _write(page, made.as_dict(), folder, replace=replace)
        return made


@contextmanager
def _held(folder: Path | None, *, replace: bool) -> Iterator[None]:
    """A run that can be interrupted, and its folder while it is written."""
    with ExitStack() as held:
        held.enter_context(interruptible())
        if folder is not None:
            for name in (PAGE, NUMBERS) if folder.exists() else ():
                check_file(folder / name, replace=replace)
            held.enter_context(claim(folder))
        yield


def _channel_policies(
    decided: Policy, path: str, values: Sequence[int | float], solvers: Sequence[str]
) -> list[Policy]:
    if solvers:
        raise Mistake(
            "Channels have a solver of their own, and others were named.",
            attempt="leaving --solver out.",
        )
    return channel_candidates(decided, path, values)


def _sweep_channels(
    source: Any,
    policies: Sequence[Policy],
    path: str,
    values: Sequence[int | float],
    *,
    step: Step,
    clock: Callable[[], datetime],
    reading: dict[str, Any],
) -> ChannelSweep:
    first = policies[0]
    with open_source(source, policy=first, **reading) as opened:
        stepped = try_steps(opened, first).engine
        trade_off, subjects, inputs = solve_points(stepped, policies, path, values, step=step)
        return ChannelSweep(
            trade_off=trade_off,
            title=opened.title,
            subjects=subjects,
            input_channels=inputs,
            policy=first.name,
            seed=first.solve.seed,
            created=clock().isoformat(timespec="seconds"),
        )


def _check_axes(risk: str, utility: str) -> None:
    for given, known, what in ((risk, RISKS, "risk"), (utility, UTILITIES, "utility")):
        if given not in known:
            raise Mistake(f'No {what} is called "{given}".', attempt=f"one of {', '.join(known)}.")


def _swept(
    engine: CountedOnce,
    decided: Policy,
    asked: dict[str, list[Policy]],
    path: str,
    values: Sequence[int | float],
    *,
    step: Step,
) -> tuple[list[RuPoint], tuple[RuPoint | None, int, tuple[str, ...]]]:
    points: list[RuPoint] = []
    origin: RuPoint | None = None
    known: tuple[str, ...] = ()
    total, counted = sum(map(len, asked.values())), 0
    for solver, policies in asked.items():
        prepared, failure = _prepared(engine.as_engine(), policies)
        measures = Measures(prepared, seed=decided.solve.seed) if prepared else None
        if measures is not None and prepared is not None and origin is None:
            origin, known = measures.source(), prepared.known
        for value, candidate in zip(values, policies, strict=True):
            step(counted, total, f"{path} = {value:g} with {solver}")
            if measures is None or prepared is None:
                points.append(RuPoint(setting=value, solver=solver, reason=failure))
            else:
                points.append(_point(prepared, measures, candidate, value))
            counted += 1
    step(total, total, "done")
    return points, (origin, engine.as_engine().count_rows(), known)


def _prepared(engine: Engine, policies: Sequence[Policy]) -> tuple[PreparedSource | None, str]:
    """The bins, under the first of the policies that the table is large enough for; else why there
    are none."""
    reason = ""
    for policy in policies:
        try:
            return prepare(engine, policy, limit=policy.solve.max_bins), ""
        except NoRecodingFound as error:
            reason = reason or _told(error)
    return None, reason


def _point(
    prepared: PreparedSource, measures: Measures, policy: Policy, value: int | float
) -> RuPoint:
    """One candidate, from the bins that all of them share."""
    started = time.process_time()
    models = models_again(prepared, policy)
    solver = solver_for(policy, models, prepared.known, numeric=prepared.numeric)
    mine = with_changes(prepared, policy=policy, models=models, solver=solver)
    try:
        together = keep_together(mine.engine, mine, solver.solve(mine.bins, mine.hierarchies))
    except NoRecodingFound as error:
        return RuPoint(setting=value, solver=policy.solve.solver, reason=_told(error))
    found = measures.of(together.prepared.bins, together.solution, setting=value)
    return with_changes(found, solver=policy.solve.solver, seconds=time.process_time() - started)


def _told(error: NoRecodingFound) -> str:
    return f"{error.asked} {error.found}".strip()


def _write(page: str, numbers: dict[str, Any], folder: Path, *, replace: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = f"{error.strerror or 'The system refused'}."
        raise TargetError(
            f"{folder} cannot be made.", found=why, attempt="another folder with --to."
        ) from None
    write_private(folder / PAGE, page, replace=replace)
    write_private(
        folder / NUMBERS,
        json.dumps(numbers, indent=2, allow_nan=False) + "\n",
        replace=replace,
    )
