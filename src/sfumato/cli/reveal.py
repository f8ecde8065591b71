"""`sfumato reveal`: whose pseudonym is this? For the holder of the key or the lookup file."""

from __future__ import annotations

import argparse
from pathlib import Path

from .reading import add_key, add_source, given_key, source_options


def configure(command: argparse.ArgumentParser) -> None:
    add_source(command)
    command.add_argument("field", help="the field the pseudonym stands in")
    command.add_argument("pseudonym")
    command.add_argument("--policy", type=Path, help="policy file (default: beside the data)")
    command.add_argument("--lookup", type=Path, help="file that keeps lookup pseudonyms")
    add_key(command)


def run(options: argparse.Namespace) -> int:
    from sfumato.errors import Mistake, SecretError
    from sfumato.policy import read_policy
    from sfumato.releases import beside, reveal, reveal_by_search
    from sfumato.sources import open_source

    if options.lookup is not None:
        found = reveal(options.pseudonym, lookup_file=options.lookup)
    else:
        key = given_key(options)
        if key is None:
            raise SecretError("Revealing needs the key that made the pseudonyms.", attempt="--key FILE.")
        policy = read_policy(options.policy or beside(options.source))
        if options.field not in policy.fields:
            raise Mistake(f"The policy names no field {options.field}.", attempt=f"one of {', '.join(policy.fields)}.")
        with open_source(options.source, **source_options(options)) as engine:
            found = reveal_by_search(options.pseudonym, engine, field=policy.fields[options.field], key=key)
    if found is None:
        print("No value has this pseudonym under this key.")
        return 1
    print(found)
    return 0
