"""`sfumato reveal`: whose pseudonym is this? For the holder of the key or the lookup file."""

from __future__ import annotations

import argparse
from pathlib import Path

from .shared_arguments import (
    add_json,
    add_key,
    add_policy,
    add_source,
    given_key,
    policy_place,
    print_json,
)


def configure(command: argparse.ArgumentParser) -> None:
    add_source(command)
    command.add_argument(
        "field",
        help="the field of the pseudonym; TABLE.FIELD where there are several tables",
    )
    command.add_argument("pseudonym", help="the pseudonym, as it was released")
    add_policy(command)
    command.add_argument("--lookup", type=Path, help="file that keeps lookup pseudonyms")
    add_key(command)
    add_json(command, what="the value")


def run(options: argparse.Namespace) -> int:
    from sfumato.errors import Mistake, SecretError
    from sfumato.policy import encrypted_fields, read_policy
    from sfumato.releases import reveal, reveal_by_search, reveal_encrypted

    from .opened_source import key_behind, opened_field

    if options.lookup is not None:
        found = reveal(options.pseudonym, lookup_file=options.lookup)
    else:
        key = given_key(options)
        if key is None:
            raise SecretError(
                "Revealing needs the key that made the pseudonyms.", attempt="--key FILE."
            )
        policy = read_policy(policy_place(options))
        if not policy.tables and options.field not in policy.fields:
            raise Mistake(
                f"The policy names no field {options.field}.", attempt="a field that it replaces."
            )
        options.field = key_behind(policy, options.field)
        with opened_field(options, policy) as field:
            if field.decided is None:
                raise Mistake(
                    f"The policy names no field {options.field}.",
                    attempt="a field that it replaces.",
                )
            own = policy.of_table(field.table) if policy.tables else policy
            if field.name in encrypted_fields(own):
                found = reveal_encrypted(
                    options.pseudonym, field.engine, policy=own, field=field.name, key=key
                )
            else:
                found = reveal_by_search(
                    options.pseudonym, field.engine, field=field.decided, key=key
                )
    if options.json:
        print_json({"value": found})
    elif found is None:
        print("No value has this pseudonym under this key.")
    else:
        print(found)
    return 0 if found is not None else 1
