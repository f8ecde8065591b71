"""The holder's rules about which input channels may be combined, judged on the tables of a release
alone.

It shares no code with the solver, which keeps the same rules while it searches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sfumato.policy import ChannelRule, Channels, CombinationRule
from sfumato.protection import ChannelAccount, Verdict
from sfumato.wording import agreeing

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
    return tuple(out)


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
    apart = (
        set(found)
        if rule.rule is CombinationRule.ALIKE or not rule.values
        else set(found) & set(rule.values)
    )
    return len(apart) > 1


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
