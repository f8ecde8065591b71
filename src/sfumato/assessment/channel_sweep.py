"""A sweep over a number of `[channels]`: the risk-utility map of a release with names (Garfinkel,
Gopal and Thompson 2007, Figures 7 to 11). Nothing is released."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sfumato
from sfumato.bins import Bins
from sfumato.engines import Engine
from sfumato.errors import Mistake, NoRecodingFound, PolicyError, Problem
from sfumato.parts import with_question
from sfumato.policy import Policy, policy_as_table, policy_from_table
from sfumato.releases import count_inputs, solve_channels, tolerance_of
from sfumato.report import table
from sfumato.wording import counted

from .channel_trade_off import ChannelPoint, ChannelTradeOff

RISK_TOLERANCE = "channels.risk_tolerance"
ALL_TOLERANCES = "channels.tolerance"
NUMBERS = ("channels.bound", "channels.max_inputs", "channels.max_differing")
"""Of the policy's other numbers those of which more allows more, also where the policy has none."""
LEAST_SECONDS = 1.0
"""Each setting has at least so many, however many there are."""

Step = Callable[[int, int, str], None]


@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelSweep:
    """The trade-off, and what it was made from. Nothing of the data was released."""

    trade_off: ChannelTradeOff
    title: str
    subjects: int
    input_channels: int
    policy: str
    seed: int
    created: str
    folder: Path | None = None

    def as_dict(self) -> dict[str, Any]:
        return {
            "sfumato": sfumato.__version__,
            "created": self.created,
            "table": self.title,
            "subjects": self.subjects,
            "input_channels": self.input_channels,
            "policy": self.policy,
            "seed": self.seed,
            **self.trade_off.as_dict(),
        }

    def __repr__(self) -> str:
        points = counted(len(self.trade_off.points), "setting")
        return f"<ChannelSweep of {self.title}: {points} of {self.trade_off.over}>"

    def _repr_html_(self) -> str:
        rows = [(f"{p.setting:g}", f"{p.loss:.4f}") for p in self.trade_off.solved]
        caption = f"Sweep of {self.title}"
        return str(table((self.trade_off.over, "loss"), rows, caption=caption))


def channel_paths(policy: Policy) -> tuple[str, ...]:
    """The numbers of `[channels]` that a sweep can vary."""
    asked = policy.channels
    assert asked is not None
    several = [f"{ALL_TOLERANCES}.{value}" for value in asked.tolerance]
    further = [
        f"{ALL_TOLERANCES}.{each.name}={value}" for each in asked.also for value in each.tolerance
    ]
    return (RISK_TOLERANCE, ALL_TOLERANCES, *several, *further, *NUMBERS)


def channel_candidates(policy: Policy, path: str, values: Sequence[float]) -> list[Policy]:
    """A policy for each value, lowest first; every problem of all of them at once."""
    if path not in channel_paths(policy):
        options = ", ".join(channel_paths(policy))
        said = with_question(
            f'The policy is for channels and has no number "{path}".', path, channel_paths(policy)
        )
        raise PolicyError(
            [Problem(where="over", found=said, attempt=f"one of {options}.")], name="The sweep"
        )
    if min(values) <= 0:
        raise Mistake(f"{path} was set to 0 or less.", attempt="numbers above 0.")
    out: list[Policy] = []
    problems: list[Problem] = []
    for value in sorted(values):
        made = _changed(policy_as_table(policy), path, value)
        try:
            out.append(policy_from_table(made, folder=policy.folder, name=policy.name))
        except PolicyError as error:
            problems += error.problems
    if problems:
        once = {(problem.where, problem.found): problem for problem in problems}
        raise PolicyError(list(once.values()), name="The sweep")
    return out


def _changed(whole: Any, path: str, value: float) -> dict[str, object]:
    """The policy's table with one number changed. The risk tolerance multiplies every tolerance
    and the bound; no share is above 1."""
    out: dict[str, Any] = deepcopy(dict(whole))
    section: dict[str, Any] = out["channels"]
    limits = dict(section["tolerance"])
    if path == RISK_TOLERANCE:
        limits = {name: min(1.0, limit * value) for name, limit in limits.items()}
        if "bound" in section:
            section["bound"] = section["bound"] * value
        for each in section.get("also", ()):
            own = each["tolerance"].items()
            each["tolerance"] = {name: min(1.0, limit * value) for name, limit in own}
    elif path == ALL_TOLERANCES:
        limits = dict.fromkeys(limits, value)
        for each in section.get("also", ()):
            each["tolerance"] = dict.fromkeys(each["tolerance"], value)
    elif path.startswith(f"{ALL_TOLERANCES}."):
        name = path.removeprefix(f"{ALL_TOLERANCES}.")
        own, of = _tolerance_of(section, limits, name)
        own[of] = value
    else:
        section[path.removeprefix("channels.")] = value
    section["tolerance"] = limits
    return out


def _tolerance_of(
    section: dict[str, Any], limits: dict[str, Any], name: str
) -> tuple[dict[str, Any], str]:
    """The table that holds a tolerance, and its key there. FIELD=VALUE names that of a further
    confidential field."""
    if name in limits:
        return limits, name
    for each in section.get("also", ()):
        for value in each["tolerance"]:
            if name == f"{each['field']}={value}":
                return each["tolerance"], value
    raise AssertionError("channel_paths names no other")


def solve_points(
    engine: Engine, policies: Sequence[Policy], path: str, values: Sequence[float], *, step: Step
) -> tuple[ChannelTradeOff, int, int]:
    """Each setting solved from inputs that are counted once; the trade-off, and how many subjects
    and input channels there are.

    The policy's seconds are those of all settings together: each may take an equal share of what
    the ones before have left."""
    first = policies[0]
    assert first.channels is not None
    bins = count_inputs(engine, first, first.channels)
    points: list[ChannelPoint] = []
    for number, (value, policy) in enumerate(zip(sorted(values), policies, strict=True)):
        step(number, len(policies), f"{path} = {value:g}")
        left = first.channels.seconds - sum(point.seconds for point in points)
        share = max(left / (len(policies) - number), LEAST_SECONDS)
        points.append(solve_setting(bins, _within_seconds(policy, share), value))
    step(len(policies), len(policies), "done")
    return ChannelTradeOff(over=path, points=tuple(points)), bins.rows, len(bins)


def _within_seconds(policy: Policy, seconds: float) -> Policy:
    assert policy.channels is not None
    return replace(policy, channels=replace(policy.channels, seconds=seconds))


def solve_setting(bins: Bins, policy: Policy, setting: float) -> ChannelPoint:
    """The best plan under one policy, or why there is none."""
    assert policy.channels is not None
    started = time.process_time()
    try:
        plan = solve_channels(bins, policy, policy.channels)
    except NoRecodingFound as error:
        return ChannelPoint(setting=setting, reason=f"{error.asked} {error.found}".strip())
    seconds = time.process_time() - started
    return ChannelPoint.of(setting, plan, tolerance_of(policy.channels), seconds=seconds)
