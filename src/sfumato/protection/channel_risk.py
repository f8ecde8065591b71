"""How well a channel discloses a confidential value: the risk of Garfinkel et al. 2007, section 5,
and the verdict on a release of it.

A channel is what a recipient knows about a subject besides the name. An *input channel* is one
combination of the confidentiality-related values; an *output channel* is a set of input channels,
of which one is the subject's own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake
from sfumato.wording import agreeing, counted

from .verdict import Verdict

Counts = NDArray[np.int64]
Reals = NDArray[np.float64]
Flags = NDArray[np.bool_]

NEARLY_ALL = Fraction(9, 10)
"""A channel that this share of all subjects could be in discloses next to nothing of its own
subjects."""
FINEST = 10**9
"""Numbers of a policy are taken as the nearest fraction with a denominator up to this, so that 0.18
is 9/50."""


def exactly(number: float | Fraction) -> Fraction:
    """A number as a person meant it.

    Example:
        >>> exactly(0.1 * 1.8), exactly(1 / 3)
        (Fraction(9, 50), Fraction(1, 3))
    """
    return Fraction(number).limit_denominator(FINEST)


@dataclass(frozen=True, kw_only=True)
class ChannelTolerance:
    """How likely each risky value may be in a channel: u_k, and in sum, weighted by c_k, at most b.

    Values that are not among `values` disclose nothing (the paper's v^0). Without a `bound` the sum
    is not limited. `least_not_at_risk` is the least share of an output channel's subjects in input
    channels that are not risky. With `counts_subjects`, (5) requires of an output channel a subject
    that is not from a risky input channel. Without it, an input channel without subjects is enough,
    as in the paper; a recipient can rule such a channel out.

    Assumes: the recipient knows the number of subjects of each input channel in each output
    channel, and nothing about a subject that singles out a value. Does not protect: what a
    recipient knows of a subject already; a value that is not named; the fields that are released
    beside the channel. Reference: Garfinkel, Gopal and Thompson 2007 (Garfinkel et al. 2007),
    section 5; docs/solvers/channels.md.

    Example:
        >>> asked = ChannelTolerance.of({"flu": 0.25, "cold": 0.5}, bound=0.6)
        >>> sizes, counts = np.array([4, 4]), np.array([[1, 0], [2, 1]])
        >>> asked.risky(sizes, counts).tolist()
        [False, True]
    """

    values: tuple[str, ...] = field(repr=False)
    limits: tuple[Fraction, ...]
    weights: tuple[Fraction, ...] = ()
    bound: Fraction | None = None
    counts_subjects: bool = True
    least_not_at_risk: Fraction | None = None

    @classmethod
    def of(
        cls,
        limits: Mapping[str, float],
        *,
        weights: Mapping[str, float] | None = None,
        bound: float | None = None,
        counts_subjects: bool = True,
        least_not_at_risk: float | None = None,
    ) -> ChannelTolerance:
        """From plain numbers; a value without a weight weighs 1."""
        if not limits:
            raise Mistake(
                "No value has a tolerance.", attempt="one for each value that must not be inferred."
            )
        given = weights or {}
        return cls(
            values=tuple(limits),
            limits=tuple(exactly(limit) for limit in limits.values()),
            weights=tuple(exactly(given.get(value, 1.0)) for value in limits),
            bound=None if bound is None else exactly(bound),
            counts_subjects=counts_subjects,
            least_not_at_risk=None if least_not_at_risk is None else exactly(least_not_at_risk),
        )

    def unsafe_excess(self, risky: Flags) -> Reals:
        """By how much each input channel is beyond the largest share of subjects at risk."""
        assert self.least_not_at_risk is not None
        out: Reals = np.where(
            risky, float(self.least_not_at_risk), float(self.least_not_at_risk) - 1.0
        )
        return out

    def excess(self, sizes: NDArray[Any], counts: NDArray[Any]) -> Reals:
        """By how much each channel is beyond each rule: P(v^k) - u_k, and the weighted sum - b
        where that is limited.

        Differences are taken between whole numbers, so that their sign is exact, zero included."""
        rules = list(zip(np.eye(len(self.values), dtype=int).tolist(), self.limits, strict=True))
        if self.bound is not None:
            rules.append((list(self.weights), self.bound))
        return np.array(
            [_excess(sizes, counts, weights, limit) for weights, limit in rules], float
        ).T.reshape(-1, len(rules))

    def risky(self, sizes: NDArray[Any], counts: NDArray[Any]) -> Flags:
        """Which channels disclose too much: (3) holds for some value, or (4)."""
        found: Flags = np.any(self.excess(sizes, counts) > 0, axis=1)
        return found

    @property
    def bound_is_implied(self) -> bool:
        """Whether the sum is within b wherever every value is within its u_k: then (9) follows from
        (7)."""
        return (
            self.bound is None
            or sum(c * u for c, u in zip(self.weights, self.limits, strict=True)) <= self.bound
        )


def _excess(
    sizes: NDArray[Any], counts: NDArray[Any], weights: list[Any], limit: Fraction
) -> list[float]:
    """Weighted share minus limit, one number for each channel."""
    unit = math.lcm(limit.denominator, *(Fraction(weight).denominator for weight in weights))
    scaled = [int(Fraction(weight) * unit) for weight in weights]
    most = int(limit * unit)
    return [
        (sum(w * count for w, count in zip(scaled, row, strict=True)) - most * size) / (size * unit)
        for size, row in zip(sizes.tolist(), counts.tolist(), strict=True)
    ]


@dataclass(frozen=True, eq=False, kw_only=True)
class ChannelAccount:
    """The counts of a release that determine the risk of each of its channels.

    `sizes[r]` are the subjects of input channel r, `counts[r, k]` those of them with risky value k.
    Entry i means that `subjects[i]` of input channel `input_of[i]` are in output channel
    `channel_of[i]`, also where that is 0.

    Where published statistics are coarser, `statistic_of[r]` is the one that input channel r is
    counted in, and `counts` has a row for each of these, with `statistic_sizes`. Output channel w
    costs `times[w]` what it would cost without weights of fields, that of all inputs
    `largest_times`."""

    sizes: Counts
    counts: Counts
    channel_of: Counts
    input_of: Counts
    subjects: Counts
    statistic_of: Counts | None = None
    statistic_sizes: Counts | None = None
    times: tuple[Fraction, ...] = ()
    largest_times: Fraction = Fraction(1)

    @property
    def known_sizes(self) -> Counts:
        """The subjects of the published statistic of each input channel."""
        if self.statistic_of is None or self.statistic_sizes is None:
            return self.sizes
        found: Counts = self.statistic_sizes[self.statistic_of]
        return found

    @property
    def known_counts(self) -> Counts:
        """How many of these have each risky value: all that a recipient knows of an input
        channel."""
        return self.counts if self.statistic_of is None else self.counts[self.statistic_of]

    @property
    def channels(self) -> int:
        return int(self.channel_of.max(initial=-1)) + 1

    def in_channels(self) -> Counts:
        """How many subjects each output channel has."""
        out: Counts = np.zeros(self.channels, np.int64)
        np.add.at(out, self.channel_of, self.subjects)
        return out

    def breadths(self) -> Counts:
        """psi, (11): how many subjects the input channels of each output channel have; 0 for one
        alone."""
        out: Counts = np.zeros(self.channels, np.int64)
        np.add.at(out, self.channel_of, self.sizes[self.input_of])
        out[np.bincount(self.channel_of, minlength=self.channels) < 2] = 0
        return out

    def cost(self) -> Fraction:
        """Psi, (10): the subjects that a subject can be confused with, summed over subjects, with
        the weights of fields."""
        each = zip(
            self.breadths().tolist(),
            self.in_channels().tolist(),
            self.times or (1,) * self.channels,
            strict=True,
        )
        return sum((breadth * people * times for breadth, people, times in each), Fraction(0))

    def omega(self) -> Fraction:
        """The cost over its largest value: 0 discloses each subject's own channel, 1 nothing but
        membership."""
        return self.cost() / (max(int(self.sizes.sum()), 1) ** 2 * self.largest_times)

    def undisclosed(self) -> int:
        """How many subjects are in channels that nearly everyone could be in."""
        broad = [
            Fraction(breadth, int(self.sizes.sum())) >= NEARLY_ALL
            for breadth in self.breadths().tolist()
        ]
        return int(self.in_channels()[np.array(broad, bool)].sum())

    def has_empty_members(self) -> Flags:
        """Which output channels name an input channel of which they have no subject.

        The channel of all inputs is not among them: the rules do not apply to it.
        """
        out: Flags = np.zeros(self.channels, bool)
        out[self.channel_of[self.subjects == 0]] = True
        out[np.bincount(self.channel_of, minlength=self.channels) == len(self.sizes)] = False
        return out

    def is_whole(self) -> bool:
        """Whether the subjects of each input channel are all in output channels, none of them
        twice."""
        placed: Counts = np.zeros(len(self.sizes), np.int64)
        np.add.at(placed, self.input_of, self.subjects)
        return bool((self.subjects >= 0).all() and (placed == self.sizes).all())


def judge_channels(
    account: ChannelAccount,
    tolerance: ChannelTolerance,
    fields: tuple[str, ...],
    *,
    max_undisclosed: float | None = None,
) -> tuple[Verdict, ...]:
    """The verdicts on (5), (7) and (9), in exact arithmetic; a channel without subjects is none."""
    used = account.in_channels() > 0
    over, total = _beyond(account, tolerance)
    failing = {_requirement_5(tolerance): used & ~_has_harmless(account, tolerance)}
    failing[
        f"(7) no value is more likely than its u for {counted(len(tolerance.values), 'value')}"
    ] = used & over
    if tolerance.bound is not None:
        failing[f"(9) the weighted sum is at most {float(tolerance.bound):g}"] = used & total
    if tolerance.least_not_at_risk is not None:
        failing[f"{float(tolerance.least_not_at_risk):g} or more of each are not at risk"] = (
            used & _too_many_at_risk(account, tolerance)
        )
    if tolerance.counts_subjects:
        failing["each input channel of an output channel has subjects in it"] = (
            used & account.has_empty_members()
        )
    out = [
        _verdict(account, used, broken, requirement=requirement, fields=fields)
        for requirement, broken in failing.items()
    ]
    if max_undisclosed is not None:
        out.append(_disclosure(account, used, max_undisclosed, fields))
    return tuple(out)


def _requirement_5(tolerance: ChannelTolerance) -> str:
    if tolerance.counts_subjects:
        return "(5) each has a subject from an input channel that is not risky"
    return "(5) each has an input channel that is not risky"


def _has_harmless(account: ChannelAccount, tolerance: ChannelTolerance) -> Flags:
    """Mark the output channels that meet (5): by subjects, or by members alone, as in the paper."""
    counted = ~tolerance.risky(account.known_sizes, account.known_counts)[account.input_of]
    if tolerance.counts_subjects:
        counted &= account.subjects > 0
    out: Flags = np.zeros(account.channels, bool)
    out[account.channel_of[counted]] = True
    return out


def _too_many_at_risk(account: ChannelAccount, tolerance: ChannelTolerance) -> Flags:
    """Which output channels have too small a share of subjects from input channels that are not
    risky, in whole numbers. A channel without anybody at risk meets the rule."""
    least = tolerance.least_not_at_risk
    assert least is not None
    at_risk = tolerance.risky(account.known_sizes, account.known_counts)[account.input_of]
    unsafe = np.zeros(account.channels, np.int64)
    np.add.at(unsafe, account.channel_of[at_risk], account.subjects[at_risk])
    return np.array(
        [
            bool(risk) and Fraction(people - risk) < least * people
            for risk, people in zip(
                unsafe.tolist(), map(int, account.in_channels().tolist()), strict=True
            )
        ],
        bool,
    )


def _disclosure(
    account: ChannelAccount, used: Flags, most: float, fields: tuple[str, ...]
) -> Verdict:
    """Whether something is disclosed about enough subjects."""
    subjects, undisclosed = int(account.in_channels().sum()), account.undisclosed()
    holds = undisclosed <= exactly(most) * subjects
    return Verdict(
        outcome="pass" if holds else "fail",
        model="channel risk",
        requirement=f"nothing is disclosed about at most {most:g} of the subjects",
        fields=fields,
        bins=int(used.sum()),
        rows=subjects,
        smallest=int(account.in_channels()[used].min(initial=subjects)),
        bins_below=0,
        rows_below=undisclosed,
        reason=f"nothing is disclosed about {undisclosed} of {subjects} subjects",
    )


def _beyond(account: ChannelAccount, tolerance: ChannelTolerance) -> tuple[Flags, Flags]:
    """Which output channels break (7), and which (9)."""
    values = len(tolerance.values)
    sums = [[Fraction(0)] * values for _ in range(account.channels)]
    entries = (account.channel_of, account.input_of, account.subjects)
    sizes, counts = account.known_sizes.tolist(), account.known_counts.tolist()
    for channel, r, subjects in zip(*(part.tolist() for part in entries), strict=True):
        if subjects:
            for k, count in enumerate(counts[r]):
                if count:
                    sums[channel][k] += Fraction(count * subjects, sizes[r])
    people = account.in_channels().tolist()
    over = [
        any(s > u * m for s, u in zip(row, tolerance.limits, strict=True))
        for row, m in zip(sums, people, strict=True)
    ]
    if tolerance.bound is None:
        return np.array(over, bool), np.zeros(len(over), bool)
    bound = tolerance.bound
    total = [
        sum((c * s for c, s in zip(tolerance.weights, row, strict=True)), Fraction(0)) > bound * m
        for row, m in zip(sums, people, strict=True)
    ]
    return np.array(over, bool), np.array(total, bool)


def _verdict(
    account: ChannelAccount,
    used: Flags,
    failing: Flags,
    *,
    requirement: str,
    fields: tuple[str, ...],
) -> Verdict:
    people = account.in_channels()
    below, rows_below = int(failing.sum()), int(people[failing].sum())
    many, rows = int(used.sum()), int(people.sum())
    reason = (
        "the only output channel keeps it" if many == 1 else f"all {many} output channels keep it"
    )
    if below:
        broken = agreeing(below, "breaks it; it holds", "break it; they hold")
        reason = f"{below} of {many} {agreeing(many, 'output channel', 'output channels')} {broken}"
        reason += f" {rows_below} of {rows} {agreeing(rows, 'subject', 'subjects')}"
    return Verdict(
        outcome="fail" if below else "pass",
        model="channel risk",
        requirement=requirement,
        fields=fields,
        bins=many,
        rows=rows,
        smallest=int(people[used].min(initial=rows)),
        bins_below=below,
        rows_below=rows_below,
        reason=reason,
    )
