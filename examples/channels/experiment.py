"""The experiment of Garfinkel et al. 2007, section 7, solved with the paper's 2,048 candidates and with priced
output channels.

    python examples/channels/experiment.py            all of it, some three minutes of one core
    python examples/channels/experiment.py --quick    every fifth point

It writes results.json, figures/*.svg and report.html beside this file.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.datasets import input_channels
from sfumato.protection.channel_risk import ChannelTolerance
from sfumato.solvers.channels import ChannelExpansion, ChannelPlan, Inputs

HERE = Path(__file__).parent
TOLERANCES = (1.0, 1.2, 1.4, 1.6, 1.8)
COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)
WAYS = ("priced", "enumerated")


def inputs_at(at_risk: float) -> Inputs:
    """A million subjects in 200 input channels."""
    sizes, counts = input_channels(at_risk)
    return Inputs(
        fields=("x",),
        values=tuple((str(r),) for r in range(len(sizes))),
        sizes=sizes,
        counts=counts,
    )


def tolerance_at(risk_tolerance: float) -> ChannelTolerance:
    """u_1 = u_2 = 0.1 RT, b = 0.15 RT, c_1 = 0.5, c_2 = 1; (5) as the paper reads it, by
    members."""
    limits = {"first": 0.1 * risk_tolerance, "second": 0.1 * risk_tolerance}
    bound = 0.15 * risk_tolerance
    return ChannelTolerance.of(limits, weights={"first": 0.5}, bound=bound, counts_subjects=False)


def measured(
    inputs: Inputs, risk_tolerance: float, way: str, *, count: int = 2048
) -> dict[str, Any]:
    """One solution, with what the paper's tables and figures show of it."""
    solver = ChannelExpansion(
        confidential="v", tolerance=tolerance_at(risk_tolerance), candidates=way, count=count
    )
    started = time.process_time()
    plan = solver.assign(inputs)
    seconds = time.process_time() - started
    return {"rt": risk_tolerance, "way": way, "seconds": seconds, **_facts(plan)}


def _facts(plan: ChannelPlan) -> dict[str, Any]:
    lengths = np.array([len(members) for members in plan.channels])
    people, psi = plan.in_channels, plan.psi
    everything = lengths == len(plan.inputs)
    several = (lengths > 1) & ~everything
    inside = float(people[several].sum())
    return {
        "omega": plan.omega,
        "without_all": float(psi[~everything] @ people[~everything]) / plan.inputs.subjects**2,
        "untold": plan.untold,
        "inputs_each": float(np.average(lengths[several], weights=people[several]))
        if inside
        else 0.0,
        "used": int((lengths > 1).sum()),
        "proven": plan.is_proven,
        "gap": plan.gap,
    }


def sweep(step: int) -> list[dict[str, Any]]:
    """Figures 7, 8 and 11 and Table 5: the share at risk by the tolerance."""
    out = []
    for percent in range(0, 21, step):
        inputs = inputs_at(percent / 100)
        for rt in TOLERANCES:
            out += [{"at_risk": percent / 100, **measured(inputs, rt, way)} for way in WAYS]
    return out


def more_candidates() -> list[dict[str, Any]]:
    """Table 4: 15 % at risk, RT = 1, more and more output channels."""
    inputs = inputs_at(0.15)
    out = [{"count": count, **measured(inputs, 1.0, "enumerated", count=count)} for count in COUNTS]
    for row in out:
        row["unused"] = 1 - row["used"] / row["count"]
    return [*out, {"count": 0, **measured(inputs, 1.0, "priced")}]


def trade_off(step: int) -> list[dict[str, Any]]:
    """Figures 9 and 10: RT from 1.8 down to 1 by one per cent at a time, 5 % and 15 % at risk."""
    out = []
    for at_risk in (0.05, 0.15):
        inputs, rt, number = inputs_at(at_risk), 1.8, 0
        while rt >= 1.0:
            if number % step == 0:
                out.append({"at_risk": at_risk, **measured(inputs, rt, "priced")})
            rt, number = rt * 0.99, number + 1
    return out


def main(words: list[str]) -> None:
    step = 5 if "--quick" in words else 1
    results = {"sweep": sweep(step), "candidates": more_candidates(), "trade_off": trade_off(step)}
    if step == 1:
        (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    from drawing import draw_all

    draw_all(results, HERE)
    slowest = max(row["seconds"] for part in results.values() for row in part)
    priced = [row for part in results.values() for row in part if row["way"] == "priced"]
    proven = sum(row["proven"] for row in priced)
    said = (
        f"{len(priced)} priced solutions, {proven} proven; the slowest of all took "
        f"{slowest:.2f} s of one core."
    )
    sys.stdout.write(said + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    main(sys.argv[1:])
