"""The continuum of techniques (Sweeney 2000, Fig. 20): how much each distorts the cells of a data
set, all of them in order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import sfumato
from sfumato.engines import Engine, engine_for, open_source
from sfumato.errors import Mistake, SfumatoError
from sfumato.policy import Policy, Role
from sfumato.releases import PolicyLike, found_policy
from sfumato.runs import claim, interruptible
from sfumato.techniques import Cells, KeyedRandom, StepContext
from sfumato.wording import counted

from .continuum_order import ContinuumPlace, TechniqueResult, in_order
from .continuum_recodings import recoding_trials
from .continuum_trials import Trial, are_numbers, measured_fields, step_trials
from .distortion import GONE, Codes, DistortionScale, Draw, distortion
from .page.continuum_page import render_continuum
from .page_file import check_file, write_private

DRAWS = 5
ROWS = 2_000
_FEWEST = 50
_TUPLES = ("sampling", "adding tuples", "scrambling tuples")

Step = Callable[[int, int, str], None]


@dataclass(frozen=True, kw_only=True)
class Continuum:
    """The techniques in order, least distorting first, by the medians of their results; `left_out`
    has what could not be measured and why."""

    title: str
    rows: int
    rows_measured: int
    fields: tuple[str, ...]
    policy: str
    seed: int
    created: str
    places: tuple[ContinuumPlace, ...]
    left_out: dict[str, str]

    def as_dict(self) -> dict[str, Any]:
        own = {
            key: getattr(self, key)
            for key in ("rows", "rows_measured", "policy", "seed", "created", "left_out")
        }
        places = [place.as_dict() for place in self.places]
        said = {"sfumato": sfumato.__version__, "source": self.title, "fields": list(self.fields)}
        return {**said, **own, "places": places}


def continuum(
    source: Any,
    policy: PolicyLike | None = None,
    *,
    to: str | Path | None = None,
    rows: int = ROWS,
    seed: int = 0,
    replace: bool = False,
    engine: str = "",
    step: Step = lambda done, total, what: None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    **options: Any,
) -> Continuum:
    """Measure the entropy distortion of every technique on a data set, and put them in order.

    At most `rows` rows, picked at random, are looked at. Nothing is released: noise and keys are
    drawn for this alone, from `seed`, so that a continuum can be made again. With `to`, a page with
    a chart is written there."""
    decided = _decided(source, policy)
    target = Path(to) if to is not None else None
    with ExitStack() as held:
        held.enter_context(interruptible())
        if target is not None:
            check_file(target, replace=replace)
            held.enter_context(claim(target))
        with open_source(
            source, engine=engine or engine_for(source), policy=decided, **options
        ) as opened:
            title, many = opened.title, opened.count_rows()
            cells = _picked(opened, decided, many, rows=rows, seed=seed)
        found, left_out = _measured(cells, decided, seed=seed, step=step)
        made = Continuum(
            title=title,
            rows=many,
            rows_measured=len(cells),
            fields=tuple(name for name in measured_fields(decided) if name in cells.columns),
            policy=decided.name,
            seed=seed,
            created=clock().isoformat(timespec="seconds"),
            places=in_order(found, about_tuples=_TUPLES),
            left_out=left_out,
        )
        if target is not None:
            write_private(target, _page(made), replace=replace)
        return made


def _page(made: Continuum) -> str:
    return render_continuum(
        made.places,
        title=made.title,
        created=made.created,
        version=sfumato.__version__,
        rows=made.rows,
        measured=made.rows_measured,
        fields=made.fields,
        left_out=made.left_out,
    )


def _decided(source: Any, policy: PolicyLike | None) -> Policy:
    decided = found_policy(source, policy)
    if decided is None:
        raise Mistake(
            "A continuum needs a policy with roles and hierarchies.",
            attempt="sfumato survey SOURCE, which proposes one.",
        )
    if decided.tables:
        raise Mistake(
            "A continuum looks at the fields of one table, and the policy is for several.",
            attempt="a policy for one of them alone.",
        )
    return decided


def _picked(engine: Engine, policy: Policy, many: int, *, rows: int, seed: int) -> Cells:
    """The cells of some rows, as many as asked for, picked at random while all are read."""
    if many < _FEWEST:
        raise Mistake(
            f"A continuum of {engine.title} was asked for.",
            found=f"It has {counted(many, 'row')}, too few to measure a technique.",
            attempt=f"a table with {_FEWEST} rows at least.",
        )
    have = {info.name for info in engine.fields()}
    names = tuple(
        name for name, item in policy.fields.items() if item.role is not Role.TEXT and name in have
    )
    chosen = np.zeros(many, bool)
    chosen[
        np.random.default_rng(seed).choice(many, min(max(rows, _FEWEST), many), replace=False)
    ] = True
    parts, read = [], 0
    for batch in engine.cells(names):
        size = len(batch["row"])
        keep = chosen[read : read + size]
        parts.append({key: column[keep] for key, column in batch.items()})
        read += size
    kinds = {info.name: info.kind for info in engine.fields()}
    columns = {name: np.concatenate([part[f"cell:{name}"] for part in parts]) for name in names}
    return Cells(np.arange(int(chosen.sum())), columns, kinds, {}, engine.title)


def _measured(
    cells: Cells, policy: Policy, *, seed: int, step: Step
) -> tuple[dict[str, list[TechniqueResult]], dict[str, str]]:
    left_out: dict[str, str] = {}
    trials = [*recoding_trials(policy, cells, left_out), *step_trials(policy, cells)]
    scales = {
        name: DistortionScale.of(cells.columns[name], are_numbers=are_numbers(cells, name, policy))
        for name in cells.columns
    }
    codes = {name: scale.read(cells.columns[name]) for name, scale in scales.items()}
    found: dict[str, list[TechniqueResult]] = {}
    refused: dict[tuple[str, str], set[str]] = {}
    for number, trial in enumerate(trials):
        step(number, len(trials), f"{trial.place}: {trial.setting}")
        try:
            draws = _draws(trial, cells, policy, f"{seed} {number}")
        except SfumatoError as error:
            refused.setdefault((trial.place, f"{error.asked} {error.found}".strip()), set()).update(
                trial.fields
            )
            continue
        for name in trial.fields:
            if name in cells.columns:
                lost = distortion(
                    [_paired(codes[name], scales[name], drawn, name) for drawn in draws]
                )
                if lost is not None:
                    found.setdefault(trial.place, []).append(
                        TechniqueResult(
                            field=name, setting=trial.setting, distortion=round(lost, 4)
                        )
                    )
    step(len(trials), len(trials), "done")
    for (place, reason), names in refused.items():
        left_out[f"{place} of {', '.join(sorted(names))}"] = reason
    return found, left_out


def _draws(
    trial: Trial, cells: Cells, policy: Policy, purpose: str
) -> list[tuple[Cells, KeyedRandom]]:
    """The cells after the technique, under several secrets; once, taken twice, where none is
    drawn."""
    out = []
    for number in range(DRAWS if trial.by_chance else 1):
        secret = hashlib.sha256(f"{purpose} {number}".encode()).digest()
        around = StepContext(
            policy=policy,
            chance=KeyedRandom(secret),
            secret=_keys(secret),
            folder=policy.folder,
        )
        out.append((trial.make(cells, around), KeyedRandom(secret + b"pairs")))
    return out if trial.by_chance else out * 2


def _keys(secret: bytes) -> Callable[[str], bytes]:
    """A key for each purpose, in the place of the holder's."""
    return lambda domain: hashlib.sha256(secret + domain.encode()).digest()


def _paired(
    source: Codes, scale: DistortionScale, drawn: tuple[Cells, KeyedRandom], name: str
) -> Draw:
    """Source and released cells side by side. A row that is not released has GONE there; one that
    was made up carries no information about its person, and is paired with a random row of the
    source."""
    after, chance = drawn
    own = after.rows.copy()
    made_up = own < 0
    own[made_up] = chance.integers(len(source), int(made_up.sum()))
    gone = np.setdiff1d(np.arange(len(source)), own[~made_up])
    released = np.concatenate([scale.read(after.columns[name]), np.full(len(gone), GONE, np.int64)])
    return np.concatenate([source[own], source[gone]]), released
