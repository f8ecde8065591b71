"""`sfumato search`: the optimal recoding, or all most specific ones, without releasing anything."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .shared_arguments import add_policy, add_source, policy_place

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.policy import Policy
    from sfumato.releases import PreparedSource


def configure(command: argparse.ArgumentParser) -> None:
    add_source(command)
    add_policy(command)
    command.add_argument(
        "--all-minimal", action="store_true", help="find all most specific recodings that pass"
    )
    command.add_argument("--objective", default="", help="loss function (default: the policy's)")
    command.add_argument(
        "--seconds", type=float, default=float("inf"), help="CPU seconds after which to stop"
    )
    command.add_argument(
        "--work",
        type=int,
        help="number of nodes after which to stop; gives the same answer on every machine",
    )
    command.add_argument(
        "--gap", type=float, default=0.0, help="stop when best and bound are this close"
    )
    command.add_argument("--json", action="store_true", help="print the result as JSON")
    command.add_argument("--picture", type=Path, help="draw the lattice into this SVG file")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.policy import read_policy

    from .opened_source import prepared_for

    console = Console(stderr=options.json)
    policy = read_policy(policy_place(options))
    if policy.channels is not None:
        return _search_channels(options, policy, console)
    prepared = prepared_for(options, policy, limit=policy.solve.max_bins)
    found = (
        _minimal(prepared, options) if options.all_minimal else _optimal(prepared, options, console)
    )
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        _show(found, console)
    return 0


def _search_channels(options: argparse.Namespace, policy: Policy, console: Console) -> int:
    from sfumato.errors import Mistake

    from .channel_search import search_channels

    if options.all_minimal or options.picture or options.objective:
        raise Mistake(
            "Channels have no lattice of recodings.",
            attempt="leaving out --all-minimal, --picture and --objective.",
        )
    return search_channels(options, policy, console)


def _optimal(
    prepared: PreparedSource, options: argparse.Namespace, console: Console
) -> dict[str, Any]:
    from time import process_time

    from sfumato.errors import Mistake
    from sfumato.files import write_whole
    from sfumato.solvers import Optimal, scope_of
    from sfumato.solvers.lattice import Lattice, picture_of_search, proof_of

    from .progress import search_progress

    policy = prepared.policy
    objective = options.objective or policy.solve.objective
    started = process_time()
    with search_progress(console) as progress:
        found = Optimal(
            models=prepared.models,
            max_suppression=policy.require.max_suppression,
            objective=objective,
            weights=policy.weights(prepared.known),
            seconds=options.seconds,
            work=options.work,
            gap=options.gap,
            progress=progress,
        ).search(prepared.bins, prepared.hierarchies)
    seconds = process_time() - started
    lattice = Lattice.over(prepared.bins.fields, prepared.hierarchies)
    if options.picture:
        if not lattice.enumerable:
            raise Mistake("A lattice this large cannot be drawn.", attempt="leaving --picture out.")
        write_whole(options.picture, picture_of_search(lattice, found.checked, found.levels))
    scope = scope_of(policy.weights(prepared.known), prepared.hierarchies)
    proof = proof_of(found, objective, searched_from=lattice.starts_by_name, scope=scope)
    return {
        "nodes": [_Measure(prepared).node(found.levels, found.loss, found.suppressed_rows)],
        "objective": objective,
        "bound": found.bound,
        "complete": found.complete,
        "proof": proof.as_dict(),
        "visited": found.visited,
        "lattice": found.lattice_size,
        "cpu_seconds": seconds,
    }


def _minimal(prepared: PreparedSource, options: argparse.Namespace) -> dict[str, Any]:
    from time import process_time

    from sfumato.files import write_whole
    from sfumato.solvers import Minimal
    from sfumato.solvers.lattice import picture_of_minimal

    policy = prepared.policy
    started = process_time()
    objective = options.objective or policy.solve.objective
    found = Minimal(
        models=prepared.models,
        max_suppression=policy.require.max_suppression,
        objective=objective,
        seconds=options.seconds,
        work=options.work,
    ).search(prepared.bins, prepared.hierarchies)
    seconds = process_time() - started
    if options.picture:
        write_whole(options.picture, picture_of_minimal(found))
    nodes = sorted(found.nodes, key=lambda node: node.loss)
    measure = _Measure(prepared)
    return {
        "nodes": [measure.node(node.levels, node.loss, node.suppressed_rows) for node in nodes],
        "objective": objective,
        "bound": None,
        "complete": found.complete and not any(found.lattice.starts),
        "undecided": found.undecided,
        "stopped_by": found.stopped,
        "searched_from": found.lattice.starts_by_name,
        "visited": found.visited,
        "lattice": found.lattice_size,
        "cpu_seconds": seconds,
    }


class _Measure:
    """The worth of a node besides its score, from its rolled-up bins."""

    def __init__(self, prepared: PreparedSource) -> None:
        from sfumato.solvers.lattice import Checker, Lattice, objective_for

        self._lattice = Lattice.over(prepared.bins.fields, prepared.hierarchies)
        self._ncp = objective_for("ncp", prepared.bins, prepared.hierarchies)
        self._precision = objective_for("precision", prepared.bins, prepared.hierarchies)
        limit = prepared.policy.require.max_suppression
        self._checker = Checker(
            prepared.bins, prepared.hierarchies, prepared.models, self._ncp, max_suppression=limit
        )

    def node(self, levels: tuple[int, ...], score: float, suppressed: int) -> dict[str, Any]:
        rolled = self._checker.roll_up.at(levels)
        failing = self._checker.failing(rolled)
        named = self._lattice.named(levels)
        return {
            "levels": named,
            "node": "".join(str(level) for level in named.values()),
            "score": score,
            "ncp": self._ncp.score(rolled, failing),
            "precision": 1 - self._precision.score(rolled, failing),
            "rows_suppressed": suppressed,
        }


def _show(found: dict[str, Any], console: Console) -> None:
    from rich.table import Table

    fields = list(found["nodes"][0]["levels"]) if found["nodes"] else []
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in (*fields, found["objective"], "NCP", "precision", "rows suppressed"):
        table.add_column(heading, justify="right")
    for node in found["nodes"]:
        table.add_row(
            *(str(level) for level in node["levels"].values()),
            f"{node['score']:.5f}",
            f"{node['ncp']:.4f}",
            f"{node['precision']:.4f}",
            f"{node['rows_suppressed']:,}",
        )
    console.print(table)
    console.print(
        f"{found['visited']:,} of {found['lattice']:,} nodes counted, "
        f"{found['cpu_seconds']:.2f} CPU seconds",
        highlight=False,
    )
    console.print(_proven(found), highlight=False, soft_wrap=True)


def _proven(found: dict[str, Any]) -> str:
    """The proof of the search, and the recodings that it covers."""
    if "proof" in found:
        return str(found["proof"]["in_words"])
    start = ", ".join(f"{name} {level}" for name, level in found["searched_from"].items() if level)
    among = f" at or above {start}" if start else ""
    if found["undecided"]:
        return (
            f"Stopped by {found['stopped_by']}: {found['undecided']:,} recodings{among} "
            "are undecided, so that others "
            "may be more specific."
        )
    return f"Proven to be all most specific recodings{among}."
