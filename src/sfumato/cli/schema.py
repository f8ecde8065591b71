"""`sfumato schema`: the JSON Schema of policies or manifests, so that editors complete and check
them."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from .shared_arguments import add_json


def configure(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "kind", choices=("policy", "manifest"), metavar="KIND", help="policy, or manifest"
    )
    command.add_argument(
        "--to",
        type=Path,
        metavar="FILE",
        help="write the schema to this file (default: the screen)",
    )
    add_json(command, what="the schema")


def run(options: argparse.Namespace) -> int:
    from sfumato.files import write_whole

    text = json.dumps(_schema(options.kind), indent=2, ensure_ascii=False)
    if options.to is None:
        print(text)
    else:
        write_whole(options.to, f"{text}\n")
    return 0


def _schema(kind: str) -> dict[str, Any]:
    if kind == "policy":
        from sfumato.policy import policy_schema

        return policy_schema()
    from sfumato.releases import manifest_schema

    return manifest_schema()
