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
    from sfumato.policy import Policy

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
    from dataclasses import asdict

    from .shared_arguments import print_json

    found = solve_for(options, policy)(policy)
    if options.json:
        numbers = {name: value for name, value in asdict(found).items() if name != "setting"}
        print_json(numbers)
    else:
        show_point(found, console)
    return 1 if found.reason else 0


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


class ChannelWalk:
    """Numbers of `[channels]` set by hand, with what each does to the plan."""

    def __init__(self, policy: Policy, solve: Callable[[Policy], ChannelPoint]) -> None:
        self._solve = solve
        self._past = [(policy, solve(policy))]
        self._undone: list[tuple[Policy, ChannelPoint]] = []

    @property
    def policy(self) -> Policy:
        return self._past[-1][0]

    def move(self, name: str, value: float) -> None:
        from sfumato.assessment import channel_candidates

        (changed,) = channel_candidates(self.policy, f"channels.{name}", [value])
        self._past.append((changed, self._solve(changed)))
        self._undone.clear()

    def undo(self) -> None:
        if len(self._past) > 1:
            self._undone.append(self._past.pop())

    def redo(self) -> None:
        if self._undone:
            self._past.append(self._undone.pop())

    def show(self, console: Console) -> None:
        asked = self.policy.channels
        assert asked is not None
        numbers = {f"tolerance.{name}": limit for name, limit in asked.tolerance.items()}
        if asked.bound is not None:
            numbers["bound"] = asked.bound
        if asked.max_inputs is not None:
            numbers["max_inputs"] = asked.max_inputs
        show_point(self._past[-1][1], console)
        told = ", ".join(f"{name} {value:g}" for name, value in numbers.items())
        console.print(f"{told}; or risk_tolerance, which multiplies them", highlight=False)


def explore_channels(options: argparse.Namespace, policy: Policy, console: Console) -> int:
    """Read one line after the other until `done` or `quit`."""
    import sys

    from sfumato.errors import SfumatoError

    walk = ChannelWalk(policy, solve_for(options, policy))
    console.print(HELP)
    walk.show(console)
    while True:
        try:
            line = input("> " if sys.stdin.isatty() else "").strip()
        except EOFError:
            return 0
        if line in ("quit", "q"):
            return 0
        if line == "done":
            _keep(walk.policy, console)
            return 0
        try:
            if line == "undo":
                walk.undo()
            elif line == "redo":
                walk.redo()
            elif line and line != "show":
                name, value = line.rsplit(maxsplit=1)
                walk.move(name, int(value) if value.isdigit() else float(value))
            walk.show(console)
        except ValueError:
            console.print(HELP)
        except SfumatoError as error:
            console.print(str(error), markup=False)


def _keep(policy: Policy, console: Console) -> None:
    import json

    asked = policy.channels
    assert asked is not None
    limits = ", ".join(f"{json.dumps(name)} = {u:g}" for name, u in asked.tolerance.items())
    console.print("To release this, write into the policy:", highlight=False)
    print(f"[channels]\ntolerance = {{ {limits} }}")
    for name, value in (("bound", asked.bound), ("max_inputs", asked.max_inputs)):
        if value is not None:
            print(f"{name} = {value:g}")
