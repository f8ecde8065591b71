"""The record of an attack: its story, its success, that of a guess, and what follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from .rates import Rate, RateEstimate, excess

Outcome = Literal["beats its baseline", "does not beat its baseline", "undecided"]

BEATS: Outcome = "beats its baseline"
HOLDS: Outcome = "does not beat its baseline"
UNDECIDED: Outcome = "undecided"
FEWEST = 10
"""A rate over fewer attempts than this is not judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """The attacker, their knowledge, their method, and a mere guess."""

    attacker: str
    knows: str
    tries: str
    guess: str

    def as_dict(self) -> dict[str, str]:
        return {
            "attacker": self.attacker,
            "knows": self.knows,
            "tries": self.tries,
            "guess": self.guess,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackRun:
    """One attack, run. It names nobody and holds no value.

    `claims` are the attempts in which the attacker made a claim. `rate` is the share of all
    attempts that were right. `baseline` is a guess without the release, and `control` the same
    attack on people who are not in it. `risk` is what the release adds over the control group, or
    over the baseline without one. A number that could not be measured is None, and `reason` is why.
    `got` is the result in one sentence.

    `certain` are the claims that follow with certainty from the release, and not without it. One is
    one too many, however few they are among the attempts. `precision` is what the release adds to a
    claim, among claims alone. `guess`, `outside` and `what` are what it was judged with."""

    name: str
    title: str
    story: Story
    attempts: int
    claims: int
    rate: Rate | None
    baseline: Rate | None
    control: Rate | None
    risk: RateEstimate | None
    outcome: Outcome
    reason: str
    got: str
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    certain: int = 0
    precision: RateEstimate | None = None
    guess: float | None = None
    outside: Rate | None = None
    what: str = "right"

    @property
    def successes(self) -> int | None:
        return None if self.rate is None else self.rate.successes

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "story": self.story.as_dict(),
            "attempts": self.attempts,
            "claims": self.claims,
            "successes": self.successes,
            "certain": self.certain,
            "precision": None if self.precision is None else self.precision.as_dict(),
            "rate": None if self.rate is None else self.rate.as_dict(),
            "baseline": None if self.baseline is None else self.baseline.as_dict(),
            "control": None if self.control is None else self.control.as_dict(),
            "risk": None if self.risk is None else self.risk.as_dict(),
            "outcome": self.outcome,
            "reason": self.reason,
            "got": self.got,
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacks:
    """All attacks on one release, in the order in which they were run."""

    runs: tuple[AttackRun, ...]
    targets: int
    seed: int
    seconds: float

    def __iter__(self) -> Iterator[AttackRun]:
        return iter(self.runs)

    def __getitem__(self, name: str) -> AttackRun:
        return next(run for run in self.runs if run.name == name)

    @property
    def beaten(self) -> tuple[AttackRun, ...]:
        """The attacks that got more out of the release than a guess would have."""
        return tuple(run for run in self.runs if run.outcome == BEATS)

    def as_dict(self) -> dict[str, Any]:
        return {
            "targets": self.targets,
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
            "runs": [run.as_dict() for run in self.runs],
        }


def judged(
    name: str,
    title: str,
    story: Story,
    *,
    claims: int,
    rate: Rate,
    baseline: Rate,
    control: Rate | None = None,
    what: str = "right",
    notes: tuple[str, ...] = (),
    certain: int = 0,
    guess: float | None = None,
    outside: Rate | None = None,
) -> AttackRun:
    """A run that could be measured.

    It beats its baseline in three cases. A claim is `certain`. Its whole interval is above the
    baseline's, and above the control group's where there is one. Claims, however few, are clearly
    more often right than a `guess` about the same people, and than claims about people `outside`.
    Without `guess`, or with a control group without claims, claims are not judged by themselves."""
    claimed = Rate(successes=rate.successes, attempts=claims)
    is_judged = guess is not None and (control is None or outside is not None)
    precision = _precision(claimed, guess) if guess is not None and is_judged else None
    outcome, reason = HOLDS, "there was nothing to claim"
    by_claims = False
    if certain:
        outcome, reason = (
            BEATS,
            f"{_several(certain, 'claim')} {_follow(certain)} with certainty, and not without it",
        )
    elif claims:
        outcome, reason = _judge(rate, baseline, control)
        if (
            outcome != BEATS
            and precision is not None
            and precision.low > 0
            and _is_above(claimed, outside)
        ):
            outcome, by_claims = BEATS, True
            reason = (
                f"{claimed.successes:,} of {claims:,} claims are right; on average, a guess is "
                f"right in {guess or 0:.1%} of cases"
            )
    return AttackRun(
        name=name,
        title=title,
        story=story,
        attempts=rate.attempts,
        claims=claims,
        rate=rate,
        baseline=baseline,
        control=control,
        risk=excess(rate, baseline if control is None else control),
        outcome=outcome,
        reason=reason,
        got=_got(claims, rate, None if by_claims else baseline, what),
        notes=notes,
        certain=certain,
        precision=precision,
        guess=guess,
        outside=outside,
        what=what,
    )


def _precision(claimed: Rate, chance: float) -> RateEstimate | None:
    """The gain of a claim by the release over a guess of this chance; None without a claim, or
    where a guess is sure."""
    if not claimed.attempts or chance >= 1:
        return None
    low, value, high = (
        (share - chance) / (1 - chance) for share in (claimed.least, claimed.value, claimed.high)
    )
    return RateEstimate(value=max(value, 0.0), low=max(low, 0.0), high=max(high, 0.0))


def _is_above(claimed: Rate, outside: Rate | None) -> bool:
    """Whether claims are clearly more often right than those about people who are not in the
    release."""
    return outside is None or not outside.attempts or claimed.least > outside.high


def _follow(certain: int) -> str:
    return "follows from the release" if certain == 1 else "follow from the release"


def unsaid(
    name: str,
    title: str,
    story: Story,
    *,
    reason: str,
    attempts: int = 0,
    claims: int = 0,
    got: str = "",
) -> AttackRun:
    """A run that could not be measured, and why."""
    return AttackRun(
        name=name,
        title=title,
        story=story,
        attempts=attempts,
        claims=claims,
        rate=None,
        baseline=None,
        control=None,
        risk=None,
        outcome=UNDECIDED,
        reason=reason,
        got=got or "No attempt was made.",
    )


def deduced(
    name: str,
    title: str,
    story: Story,
    *,
    attempts: int,
    certain: int,
    outcome: Outcome,
    reason: str,
    got: str,
) -> AttackRun:
    """A run whose claims follow with certainty or are not made, so that no rate is estimated."""
    run = unsaid(name, title, story, reason=reason, attempts=attempts, claims=certain, got=got)
    return replace(run, outcome=outcome, certain=certain)


def _judge(rate: Rate, baseline: Rate, control: Rate | None) -> tuple[Outcome, str]:
    if rate.attempts < FEWEST:
        return (
            UNDECIDED,
            f"only {_several(rate.attempts, 'attempt')} could be made, and a rate needs {FEWEST}",
        )
    if rate.low <= baseline.high:
        return HOLDS, "its rate is not clearly above that of a guess"
    if control is None:
        return BEATS, "its rate is clearly above that of a guess"
    if rate.low <= control.high:
        return (
            HOLDS,
            "it does as well on people who are not in the release, so what it learns is "
            "not about its people",
        )
    return (
        BEATS,
        "its rate is clearly above that of a guess, and above that on people who are not "
        "in the release",
    )


def _got(claims: int, rate: Rate, baseline: Rate | None, what: str) -> str:
    """The result, in one sentence; without a baseline where the reason names the one that claims
    were judged by."""
    attempts = _several(rate.attempts, "attempt")
    if not claims:
        return f"In none of {attempts} was there anything to claim."
    found = f"{_several(claims, 'claim')} in {attempts}, {rate.successes:,} of them {what}"
    if baseline is None:
        return f"{found}."
    return f"{found}; a guess: {baseline.successes:,} of {baseline.attempts:,}."


def _several(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
