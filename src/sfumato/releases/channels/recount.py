"""Counting again what was written: the released table against its channels, and the risk of each
channel anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np

from sfumato.bins import Bins
from sfumato.engines import Engine
from sfumato.policy import ChannelRule, Channels, CombinationRule
from sfumato.protection import ChannelAccount, ChannelTolerance, Verdict, judge_channels
from sfumato.wording import agreeing

from ..required_verdicts import RequiredVerdict, shape
from .account_files import read_account, set_of
from .altered_values import Sets, judge_sets, read_sets


@dataclass(frozen=True, eq=False, kw_only=True)
class RecountedChannels:
    """The facts of a release by channels, counted again. `agrees` maps a claim to whether its
    tables agree about it."""

    rows: int
    account: ChannelAccount
    agrees: dict[str, bool]
    verdicts: tuple[Verdict, ...]


def tolerance_of(asked: Channels) -> ChannelTolerance:
    """The tolerances of a policy, as they are judged."""
    return ChannelTolerance.of(
        asked.all_tolerances,
        weights=asked.all_weights,
        bound=asked.bound,
        counts_subjects=asked.reading == "subjects",
        least_not_at_risk=asked.least_not_at_risk,
    )


def recount_channels(table: Engine, folder: Path, asked: Channels) -> RecountedChannels:
    """From the release alone: its three tables and the tolerances of its policy."""
    account, values = read_account(folder, asked)
    bins = Bins.count(table, (asked.label, *(() if asked.compact else asked.fields)))
    told = {
        tuple(labels): count
        for labels, count in zip(bins.tuples(), bins.counts.tolist(), strict=True)
    }
    subjects = account.in_channels()
    expected = {
        (str(channel + 1), *(() if asked.compact else _sets(account, values, channel))): int(
            subjects[channel]
        )
        for channel in np.flatnonzero(subjects > 0).tolist()
    }
    return RecountedChannels(
        rows=table.count_rows(),
        account=account,
        agrees={
            "each row's sets are those of its channel, and channels have as many rows as they say": told
            == expected,
            "every subject of each input channel is in one output channel that has it": account.is_whole(),
        },
        verdicts=_judge(
            account, values, asked, sets=read_sets(table, asked) if asked.altered else None
        ),
    )


def required_of_channels(asked: Channels) -> Iterator[RequiredVerdict]:
    """The requirements of a policy on channels, as the verdicts that a release must have.

    A release of one subject is judged to learn what each verdict is called.
    """
    one, none = np.ones(1, np.int64), np.zeros(1, np.int64)
    counts = np.zeros((1, len(asked.risky_values)), np.int64)
    account = ChannelAccount(sizes=one, counts=counts, channel_of=none, input_of=none, subjects=one)
    values = (("",) * len(asked.fields),)
    for verdict in _judge(account, values, asked, sets={(0, ()): 1}):
        requirement = shape(verdict.requirement)
        yield RequiredVerdict(
            key="channels", model=verdict.model, requirement=requirement, fields=verdict.fields
        )


def _judge(
    account: ChannelAccount,
    values: tuple[tuple[str, ...], ...],
    asked: Channels,
    *,
    sets: Sets | None,
) -> tuple[Verdict, ...]:
    """The verdicts on the tolerances and the rules of a policy."""
    tolerance = tolerance_of(asked)
    return (
        *judge_channels(account, tolerance, asked.fields, max_undisclosed=asked.max_undisclosed),
        *([judge_sets(account, tolerance, sets, asked)] if asked.altered else ()),
        *judge_rules(account, values, asked),
    )


def _sets(account: ChannelAccount, values: tuple[tuple[str, ...], ...], channel: int) -> list[str]:
    """The cell of a channel in each field; an empty cell of the two tables is null, as in any file
    of this kind."""
    members = account.input_of[account.channel_of == channel].tolist()
    fields = range(len(values[0]) if values else 0)
    return [set_of([values[r][f] or None for r in members]) for f in fields]


# The holder's rules about which input channels may be combined, judged on the tables of a release
# alone.
# It shares no code with the solver, which keeps the same rules while it searches.

Values = Sequence[Sequence[str]]


def judge_rules(account: ChannelAccount, values: Values, asked: Channels) -> tuple[Verdict, ...]:
    """A verdict for each rule and for the number of members, over the members that count.

    By the default reading those are members with subjects. The channel of all inputs is bound by no
    rule."""
    channels = list(_bound(account, asked))
    occurring = [{row[f] for row in values} for f in range(len(asked.fields))]
    out = []
    for number, rule in enumerate(asked.rules):
        f = asked.fields.index(rule.field)
        broken = [
            c
            for c, members in channels
            if _breaks(rule, [values[r][f] for r in members], occurring[f])
        ]
        out.append(
            _verdict(
                account,
                broken,
                asked,
                requirement=f"rule {number + 1}: {rule.field} {rule.rule.value}",
            )
        )
    if asked.max_inputs is not None:
        broken = [c for c, members in channels if len(members) > asked.max_inputs]
        out.append(
            _verdict(
                account,
                broken,
                asked,
                requirement=f"at most {asked.max_inputs} input channels in each",
            )
        )
    if asked.max_differing is not None:
        most = asked.max_differing
        broken = [c for c, members in channels if _differing([values[r] for r in members]) > most]
        requirement = f"any two input channels of one differ in at most {most} fields"
        out.append(_verdict(account, broken, asked, requirement=requirement))
    return tuple(out)


def _differing(rows: Sequence[Sequence[str]]) -> int:
    """In how many fields those two of the rows differ that differ most."""
    return max(
        (
            sum(a != b for a, b in zip(one, other, strict=True))
            for one, other in combinations(rows, 2)
        ),
        default=0,
    )


def _bound(account: ChannelAccount, asked: Channels) -> Iterator[tuple[int, list[int]]]:
    """Each output channel that rules bind, with the members that count."""
    named: dict[int, set[int]] = {}
    counting: dict[int, set[int]] = {}
    entries = zip(
        account.channel_of.tolist(),
        account.input_of.tolist(),
        account.subjects.tolist(),
        strict=True,
    )
    for channel, r, subjects in entries:
        named.setdefault(channel, set()).add(r)
        if subjects or asked.reading != "subjects":
            counting.setdefault(channel, set()).add(r)
    people = account.in_channels()
    for channel, members in named.items():
        if people[channel] and len(members) < len(account.sizes):
            yield channel, sorted(counting.get(channel, ()))


def _breaks(rule: ChannelRule, found: Sequence[str], occurring: set[str]) -> bool:
    if rule.rule is CombinationRule.NO_GAPS:
        order = [value for value in rule.values if value in occurring]
        places = sorted({order.index(value) for value in found if value in order})
        return bool(places) and places != list(range(places[0], places[-1] + 1))
    if rule.rule is CombinationRule.SPAN:
        return len(set(found)) > 1 and _too_far(rule, set(found))
    apart = (
        set(found)
        if rule.rule is CombinationRule.ALIKE or not rule.values
        else set(found) & set(rule.values)
    )
    return len(apart) > 1


def _too_far(rule: ChannelRule, found: set[str]) -> bool:
    """Whether values are further apart than the rule has it; one without a place is too far from
    any other."""
    assert rule.most is not None
    try:
        places = [
            Fraction(rule.values.index(value)) if rule.values else Fraction(value)
            for value in found
        ]
    except (ValueError, ZeroDivisionError):
        return True
    return max(places) - min(places) > Fraction(repr(rule.most))


def _verdict(
    account: ChannelAccount, broken: Sequence[int], asked: Channels, *, requirement: str
) -> Verdict:
    people = account.in_channels()
    used = people > 0
    below = int(people[np.array(broken, np.int64)].sum())
    many = int(used.sum())
    return Verdict(
        outcome="fail" if broken else "pass",
        model="channel rules",
        requirement=requirement,
        fields=asked.fields,
        bins=many,
        rows=int(people.sum()),
        smallest=int(people[used].min(initial=int(people.sum()))),
        bins_below=len(broken),
        rows_below=below,
        reason=_reason(len(broken), many),
    )


def _reason(broken: int, many: int) -> str:
    if broken:
        channels = agreeing(many, "output channel", "output channels")
        return f"{broken} of {many} {channels} {agreeing(broken, 'breaks it', 'break it')}"
    return (
        "the only output channel keeps it" if many == 1 else f"all {many} output channels keep it"
    )
