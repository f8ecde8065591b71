"""The adviser: which fields a policy loses, what each field costs, and which changes bring fields
back. Everything is computed by searching; nothing is released or loosened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.engines import Engine, engine_for, open_database, open_source
from sfumato.errors import Mistake
from sfumato.policy import KEPT_WEIGHT, Policy, Role
from sfumato.report import table, tag
from sfumato.wording import counted, some_of

from .advice_budget import COSTS, FIRST, SCREENING, SECONDS, SPREAD, TimeBudget
from .advice_changes import (
    PolicyChange,
    another_solver,
    bounded_recipient,
    coarser_hierarchy,
    leave_out,
    more_suppression,
    smaller_k,
    with_best,
)
from .advice_trials import PolicyTrial, PolicyTrials, Trials
from .policy_choice import PolicyLike, found_policy
from .prepared_source import known_fields, repeats
from .table_trials import TableTrials

MOST_COSTED = 12
"""Fields whose cost is searched for: those with the most different values."""
MOST_COSTED_TABLES = 4
"""Of several tables, whose searches take longer."""
SIZES = (1, 2, 3, 5, 8)
"""How many fields are left out together, in trials."""
LEAST_COST = 0.005
LEAST_GAIN = 0.02
"""A field that costs less is not left out, and a change that brings less is not advised."""
MOST_CHANGES = 3
MOST_NAMED = 6
_LAST = ("recipient", "k")
"""Kinds of weaker changes, in the order in which they are named."""

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldCost:
    """The mean share of the other fields that would be kept in addition, if this one were not
    released; on a sample of the bins."""

    name: str
    cost: float


@dataclass(frozen=True, kw_only=True)
class Advised:
    """A change, with the result of following it."""

    change: PolicyChange
    trial: PolicyTrial
    back: tuple[str, ...]
    precision_before: float | None

    @property
    def policy(self) -> Policy:
        """The policy with this change."""
        return self.change.policy

    @property
    def words(self) -> str:
        """The change, the fields that are useful again and the precision, in one sentence."""
        back = (
            f"{_shortened(self.back)} {'come' if self.back[1:] else 'comes'} back, "
            if self.back
            else ""
        )
        before = "none" if self.precision_before is None else f"{self.precision_before:.2f}"
        return f"{self.change.words}: {back}precision {before} → {self.trial.precision:.2f}"


@dataclass(frozen=True, kw_only=True, repr=False)
class Advice:
    """The fields that a policy loses, and changes that keep them, the best first.

    `trial` is the policy as it is; it is None where the policy has no recoding. `costs` are measured
    on a sample, and each of `changes` has the changed `policy`."""

    policy: Policy
    trial: PolicyTrial | None
    costs: tuple[FieldCost, ...] = ()
    changes: tuple[Advised, ...] = ()
    searches: int = 0
    skipped: int = 0
    """Searches that the budget of time left out."""

    @property
    def lost(self) -> tuple[str, ...]:
        return self.trial.lost if self.trial is not None else ()

    @property
    def is_short(self) -> bool:
        """Whether some change was searched for in less time than a release would take."""
        return any(each.trial.sample for each in self.changes)

    @property
    def outcome(self) -> str:
        """pass where nothing is lost, fail where there is no recoding, else review."""
        if self.trial is None:
            return "fail"
        return "review" if self.lost else "pass"

    def __repr__(self) -> str:
        lost = f"; lost: {_shortened(self.lost)}" if self.lost else ""
        return "\n".join((f"Advice on {self.policy.name}: {self.outcome}{lost}", *self._lines()))

    def _lines(self) -> Iterator[str]:
        for place, each in enumerate(self.changes):
            rows = counted(each.trial.rows_suppressed, "row")
            yield f"  changes[{place}]: {each.words}; {rows} left out [{each.change.protection}]"

    def _repr_html_(self) -> str:
        rows = [
            (each.words, counted(each.trial.rows_suppressed, "row"), each.change.protection)
            for each in self.changes
        ]
        lost = f"; lost: {_shortened(self.lost)}" if self.lost else ""
        title = tag("p", tag("b", self.outcome), f": {self.policy.name}{lost}")
        heads = ("change", "left out", "protection")
        return str(tag("div", title, table(heads, rows, caption="Advice")))

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        return {
            "policy": self.policy.name,
            "outcome": self.outcome,
            "searches": self.searches,
            "searches_left_out": self.skipped,
            "found": None if self.trial is None else _trial_as_dict(self.trial),
            "lost": list(self.lost),
            "costs": [{"field": each.name, "cost": each.cost} for each in self.costs],
            "changes": [
                {
                    "change": each.change.words,
                    "protection": each.change.protection,
                    "left_out": list(each.change.left_out),
                    "back": list(each.back),
                    "in_words": each.words,
                    **_trial_as_dict(each.trial),
                }
                for each in self.changes
            ],
        }


def _trial_as_dict(trial: PolicyTrial) -> dict[str, Any]:
    return {
        "precision": trial.precision,
        "rows": trial.rows,
        "rows_suppressed": trial.rows_suppressed,
        "recoding": trial.choice,
        "fields": {use.name: {"loss": use.loss, "lost": use.is_lost} for use in trial.uses},
    }


def advise(
    source: Any,
    policy: PolicyLike | None = None,
    *,
    engine: str = "",
    progress: Progress = lambda _: None,
    seconds: float = SECONDS,
    **options: Any,
) -> Advice:
    """Name the fields that a policy loses, what each field costs, and changes that keep them.

    `source` is a frame or anything that `release` reads, of one table or several. `policy` is a
    policy, a dict, a text or a file: by default, the file beside the source. The policy is searched
    as it is, without each of its costly fields, and with changes. The best changes are searched for
    on the whole source, as a release would. Nothing is released, and no policy is changed.
    `progress` is called with each stage, the first with an estimate. `seconds` of CPU time are a
    budget: a search that would not end within it is left out.

    Example:
        >>> import sfumato
        >>> advice = sfumato.advise("people.csv", "people.toml")  # doctest: +SKIP
        >>> advice.changes[0].policy.save("advised.toml")  # doctest: +SKIP
    """
    decided = found_policy(source, policy)
    if decided is None:
        raise Mistake(
            "Advice is about a policy, and none was given.",
            attempt="made.policy of a release, or sfumato.survey(source).policy.",
        )
    _check_shape(decided)
    engine = engine or engine_for(source)
    if decided.tables:
        names = tuple(decided.tables)
        with open_database(
            source, engine=engine, policy=decided, tables=names, **options
        ) as database:
            trials = TableTrials(database, decided, seconds=FIRST * seconds)
            return _Adviser(trials, decided, progress, TimeBudget(seconds)).run()
    with open_source(source, engine=engine, policy=decided, **options) as opened:
        return advise_table(opened, decided, progress=progress, seconds=seconds)


def advise_table(
    engine: Engine,
    policy: Policy,
    *,
    progress: Progress = lambda _: None,
    seconds: float = SECONDS,
) -> Advice:
    """Advice on a policy for a table that is open."""
    _check_shape(policy)
    budget = TimeBudget(seconds)
    if policy.require.each("k_m") or repeats(engine, policy):
        trials = TableTrials(engine, policy, seconds=FIRST * seconds)
        return _Adviser(trials, policy, progress, budget).run()
    return _Adviser(PolicyTrials(engine, policy), policy, progress, budget).run()


def _check_shape(policy: Policy) -> None:
    if policy.channels is not None:
        raise Mistake(
            "Advice was asked for a release by channels.",
            found="Changes are tried on recodings of bins.",
            attempt="sfumato sweep, which compares settings of channels.",
        )


def _known(policy: Policy) -> tuple[str, ...]:
    """The quasi-identifiers that the recipient may know, as TABLE.FIELD where there are several
    tables."""
    if not policy.tables:
        return known_fields(policy)
    return tuple(
        f"{name}.{field}"
        for name, said in policy.tables.items()
        for field, decided in said.fields.items()
        if decided.role is Role.QUASI
    )


@dataclass(kw_only=True)
class _Scale:
    """How trials are compared: by the share of each known field of the policy that is left, those
    that it keeps counting more; a field that is not released counts as lost."""

    names: tuple[str, ...]
    keep: tuple[str, ...]
    weights: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.weights = {name: KEPT_WEIGHT if name in self.keep else 1.0 for name in self.names}

    def score(self, trial: PolicyTrial | None, *, without: Sequence[str] = ()) -> float:
        names = [name for name in self.names if name not in without]
        total = sum(self.weights[name] for name in names)
        if trial is None or not total:
            return 0.0
        useful = (trial.kept(name) * trial.is_useful(name) for name in names)
        weighed = zip(useful, names, strict=True)
        return sum(share * self.weights[name] for share, name in weighed) / total


class _Adviser:
    """One run."""

    def __init__(
        self, trials: Trials, policy: Policy, progress: Progress, budget: TimeBudget
    ) -> None:
        self.policy, self.progress, self.trials, self.budget = policy, progress, trials, budget
        self.known = _known(policy)
        self.scale = _Scale(names=self.known, keep=policy.keep)
        self.is_slow = isinstance(trials, TableTrials)
        self.most_costed = MOST_COSTED_TABLES if self.is_slow else MOST_COSTED
        self.sizes = SIZES[:2] if self.is_slow else SIZES
        self.screened: dict[str, PolicyTrial] = {}

    def run(self) -> Advice:
        number = min(len(self.known), self.most_costed) + len(self.sizes) + 5
        self.progress(
            f"searching as the policy says; then {number} searches of {self.trials.quick} and "
            f"up to {MOST_CHANGES} whole ones, as far as {self.budget.seconds:g} CPU seconds go"
        )
        found = self.budget.timed("whole", lambda: self.trials.asked(self.policy))
        if found is not None and not found.lost:
            return Advice(policy=self.policy, trial=found, searches=self.trials.done)
        costs = tuple(self._costs())
        changes = self._promised(found, self._screened(costs, found))
        return Advice(
            policy=self.policy,
            trial=found,
            costs=tuple(sorted(costs, key=lambda each: -each.cost)),
            changes=changes,
            searches=self.trials.done,
            skipped=self.budget.skipped,
        )

    def _quick(self, policy: Policy) -> PolicyTrial | None:
        return self.budget.timed("quick", lambda: self.trials.sampled(policy))

    def _costs(self) -> Iterator[FieldCost]:
        """The gain of the others without each of the fields that are dearest to distinguish."""
        if not self.budget.allows("whole" if self.is_slow else "quick", upto=COSTS):
            return
        usual = self._quick(with_best(self.policy))
        values = {use.name: use.labels_before for use in usual.uses} if usual is not None else {}
        dear = sorted(self.known, key=lambda name: -values.get(name, 0))
        candidates = [name for name in dear if name not in self.policy.keep][: self.most_costed]
        for place, name in enumerate(candidates, 1):
            if not self.budget.allows("quick", upto=COSTS):
                continue
            self.progress(f"searching without {name} ({place} of {len(candidates)})")
            change = leave_out(self.policy, [name])
            trial = self._quick(change.policy) if change.fits else None
            if trial is None:
                continue
            others = [each for each in self.known if each != name]
            gain = [
                trial.kept(each) - (usual.kept(each) if usual is not None else 0.0)
                for each in others
            ]
            yield FieldCost(name=name, cost=sum(gain) / max(len(gain), 1))

    def _dear(self, costs: Sequence[FieldCost], found: PolicyTrial | None) -> list[str]:
        """The fields that cost most; those with the most values where no cost was searched for."""
        if costs or found is None:
            ordered = sorted(costs, key=lambda each: -each.cost)
            return [each.name for each in ordered if each.cost > LEAST_COST]
        most = sorted(found.uses, key=lambda use: -use.labels_before)
        return [use.name for use in most if use.name not in self.policy.keep]

    def _screened(
        self, costs: Sequence[FieldCost], found: PolicyTrial | None
    ) -> list[PolicyChange]:
        """The changes worth a whole search, the best first; weaker ones last."""
        if not self.budget.allows("quick", upto=SCREENING):
            return []
        base = self.scale.score(found if self.is_slow else self._quick(self.policy))
        dear = self._dear(costs, found)
        sizes = [size for size in self.sizes if size <= len(dear)]
        closed = dict.fromkeys(self._with_twins(dear[:size]) for size in sizes)
        sets = [leave_out(self.policy, names) for names in closed if names]
        others = [
            another_solver(self.policy),
            coarser_hierarchy(self.policy, self.trials.values(self.known)),
            more_suppression(self.policy),
        ]
        scored: list[tuple[float, PolicyChange]] = []
        for change in (*sets, *others):
            if change is None or not change.fits or change.policy == self.policy:
                continue
            if not self.budget.allows("quick", upto=SCREENING):
                continue
            self.progress(f"searching with a change: {change.words}")
            trial = self._quick(change.policy)
            if trial is not None:
                self.screened[change.words] = trial
            scored.append((self.scale.score(trial), change))
        better = sorted((each for each in scored if each[0] > base), key=lambda each: -each[0])
        out, kinds = [], set[str]()
        for _, change in better:
            if change.kind not in kinds:  # the best of each kind
                kinds.add(change.kind)
                out.append(change)
        weaker = [bounded_recipient(self.policy), smaller_k(self.policy)]
        last = [change for change in weaker if change is not None and change.fits]
        return [*out[: MOST_CHANGES - 1], *last]

    def _with_twins(self, names: Sequence[str]) -> tuple[str, ...]:
        """The fields with those that determine them, which would disclose the omitted one; without
        a field that one to be kept determines."""
        out: list[str] = []
        for name in names:
            telling = [each for each in self.trials.telling(name) if each in self.known]
            if not set(telling) & set(self.policy.keep):
                out += [name, *telling]
        return tuple(dict.fromkeys(out))

    def _adds(self, trial: PolicyTrial, reference: PolicyTrial | None) -> bool:
        """Whether a change brings more than another solver alone: a better score, or a field."""
        if reference is None or self.scale.score(trial) - self.scale.score(reference) >= LEAST_GAIN:
            return True
        return any(trial.is_useful(name) and not reference.is_useful(name) for name in self.known)

    def _followed(self, change: PolicyChange) -> PolicyTrial | None:
        """The whole source with a change; by a short search of it where no longer one fits."""
        if self.budget.allows("whole", spread=SPREAD if self.is_slow else 1.0):
            self.progress(f"searching the whole table: {change.words}")
            return self.budget.timed("whole", lambda: self.trials.whole(change.policy))
        if not self.is_slow:  # A short search of one table has a sample of its bins only.
            return None
        if change.words not in self.screened and self.budget.allows("quick"):
            self.progress(f"searching shortly: {change.words}")
            return self._quick(change.policy)
        return self.screened.get(change.words)

    def _promised(
        self, found: PolicyTrial | None, changes: Sequence[PolicyChange]
    ) -> tuple[Advised, ...]:
        """The changes that bring something on the whole table, with what they bring."""
        before, out = self.scale.score(found), list[tuple[float, Advised]]()
        reference = found
        for change in sorted(changes, key=lambda each: each.kind != "solver"):
            if len(out) == MOST_CHANGES:
                break
            trial = self._followed(change)
            if trial is None:
                continue
            lost = self.known if found is None else found.lost
            back = tuple(name for name in lost if trial.is_useful(name))
            gain = self.scale.score(trial) - before
            if gain < LEAST_GAIN or not self._adds(trial, reference):
                continue
            if change.kind == "solver":  # Every other change has this solver too.
                reference = trial
            precision = None if found is None else found.precision
            out.append(
                (gain, Advised(change=change, trial=trial, back=back, precision_before=precision))
            )

        def place(each: tuple[float, Advised]) -> tuple[int, float]:
            change = each[1].change
            return (_LAST.index(change.kind) if change.is_weaker else -1, -each[0])

        ordered = sorted(out, key=place)
        return tuple(advised for _, advised in ordered[:MOST_CHANGES])


def _shortened(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    if len(names) <= MOST_NAMED:
        return _listed(names)
    return some_of(names, MOST_NAMED)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + (" and " if names[1:] else "") + names[-1] if names else ""
