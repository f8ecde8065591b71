"""Channels in `sfumato search` and `sfumato explore`: the best plan for a policy, and the same with
other tolerances, one after the other. Nothing is released."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sfumato.wording import counted

from .shared_arguments import source_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from sfumato.assessment import ChannelPoint
    from sfumato.policy import Channels, Policy

HELP = "NAME NUMBER sets one of the numbers below, undo, redo, show, done, quit"


def solve_for(options: argparse.Namespace, policy: Policy) -> Callable[[Policy], ChannelPoint]:
    """A function that solves the source under a policy of the same fields; inputs are counted
    once."""
    from sfumato.assessment import solve_setting
    from sfumato.engines import open_source
    from sfumato.releases import count_inputs, try_steps

    assert policy.channels is not None
    with open_source(options.source, policy=policy, **source_options(options)) as opened:
        bins = count_inputs(try_steps(opened, policy).engine, policy, policy.channels)
    return lambda other: solve_setting(bins, other, 1.0)


def search_channels(options: argparse.Namespace, policy: Policy, console: Console) -> int:
    """The best plan for the policy, with its bound."""
    from .shared_arguments import print_json

    found = solve_for(options, policy)(policy)
    if options.json:
        print_json(point_facts(found))
    else:
        show_point(found, console)
    return 1 if found.reason else 0


def point_facts(found: ChannelPoint) -> dict[str, object]:
    """The numbers of a plan, without the setting that led to it."""
    from dataclasses import asdict

    return {name: value for name, value in asdict(found).items() if name != "setting"}


def show_point(found: ChannelPoint, console: Console) -> None:
    if found.reason:
        console.print(found.reason, highlight=False, markup=False)
        return
    proven = (
        "proven least"
        if found.is_proven
        else "no bound"
        if found.least_loss is None
        else f"least possible {found.least_loss:.4f}"
    )
    console.print(
        f"loss {found.loss:.4f} ({proven}); {counted(found.output_channels, 'output channel')}; "
        f"{found.inputs_each:.2f} inputs per subject; nothing disclosed about {found.untold:.1%}; "
        f"{found.at_risk:.1%} of subjects at risk, in "
        f"{counted(found.risky_inputs, 'input channel')}",
        highlight=False,
    )
    if found.over_if_finer is not None:
        console.print(
            f"statistics are coarser: with those of each input channel, a value would be likelier "
            f"than tolerated for {found.over_if_finer:.1%} of subjects",
            highlight=False,
        )


class ChannelWalk:
    """Numbers of `[channels]`, moved by hand, with the plan that each gives."""

    help = HELP

    def __init__(self, policy: Policy, solve: Callable[[Policy], ChannelPoint]) -> None:
        self._solve = solve
        self._past = [(policy, solve(policy))]
        self._undone: list[tuple[Policy, ChannelPoint]] = []

    @property
    def _channels(self) -> Channels:
        asked = self._past[-1][0].channels
        assert asked is not None
        return asked

    def step(self, name: str, to: str) -> None:
        from sfumato.assessment import channel_candidates

        value = int(to) if to.isdigit() else float(to)
        (changed,) = channel_candidates(
            self._past[-1][0], f"channels.{name.removeprefix('channels.')}", [value]
        )
        self._past.append((changed, self._solve(changed)))
        self._undone.clear()

    def undo(self) -> None:
        if len(self._past) > 1:
            self._undone.append(self._past.pop())

    def redo(self) -> None:
        if self._undone:
            self._past.append(self._undone.pop())

    def _numbers(self) -> dict[str, float]:
        asked = self._channels
        numbers = {"bound": asked.bound, "max_inputs": asked.max_inputs}
        return {name: value for name, value in numbers.items() if value is not None}

    def show(self, console: Console) -> None:
        show_point(self._past[-1][1], console)
        limits = {f"tolerance.{name}": limit for name, limit in self._channels.tolerance.items()}
        numbers = ", ".join(
            f"{name} {value:g}" for name, value in (limits | self._numbers()).items()
        )
        console.print(f"{numbers}; or risk_tolerance, which multiplies them", highlight=False)

    def facts(self) -> dict[str, object]:
        return {**self.policy_part(), **point_facts(self._past[-1][1])}

    def policy_part(self) -> dict[str, dict[str, object]]:
        return {"channels": {"tolerance": dict(self._channels.tolerance), **self._numbers()}}
