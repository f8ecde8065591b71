"""`make bench`: run every benchmark, or those named: python -m benchmarks [NAME ...].

`python -m benchmarks before-after --before REF` compares two versions instead, and is never run by
`make bench`."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec

BENCHMARKS = (
    "installation",
    "release_adult",
    "hospital",
    "lattice_search",
    "lattice_growth",
    "growth",
    "checks",
    "local_adult",
    "suda2",
    "risk",
    "usefulness",
    "kept_fields",
    "small_bins",
    "attacks",
    "channels",
    "map_methods",
    "synthesis",
    "synthesis_size",
    "synthesis_fallback",
    "synthesis_trees",
    "synthesis_linked",
    "synthesis_audit",
    "tabulate",
    "ledger",
    "text",
    "clinical_facts",
    "gate",
    "gate_load",
    "gate_questions",
    "validation",
)


def main(names: list[str]) -> int:
    if names[:1] == ["before-after"]:
        return int(import_module("benchmarks.before_after").main(names[1:]))
    if any(not name.isidentifier() or find_spec(f"benchmarks.{name}") is None for name in names):
        print(f"usage: python -m benchmarks [NAME ...]\n\nNames: {', '.join(BENCHMARKS)}.")
        return 0 if names[0] in ("-h", "--help") else 2
    for name in names or BENCHMARKS:
        import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
