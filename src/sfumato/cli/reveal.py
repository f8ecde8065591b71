"""`sfumato reveal`: find the original of a pseudonym, for the holder of the key or the lookup
file."""

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
    kept = command.add_argument_group("a register that has who asked, who agreed, and why")
    kept.add_argument("--register", type=Path, metavar="DIR", help="folder of the register")
    kept.add_argument("--as", dest="author", metavar="NAME", help="your name in its charter")
    kept.add_argument("--sign", type=Path, metavar="KEY", help="your key")
    kept.add_argument("--reason", default="", help="reason of the revelation")
    add_json(command, what="the value")


def run(options: argparse.Namespace) -> int:
    from sfumato.errors import Mistake, SecretError
    from sfumato.policy import encrypted_fields, read_policy
    from sfumato.releases import reveal, reveal_by_search, reveal_encrypted

    from .opened_source import key_behind, opened_field

    if options.register is not None and not _agreed(options):
        return 3
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


def _agreed(options: argparse.Namespace) -> bool:
    """Whether somebody agreed in the register that this original is revealed. It is recorded before
    anything is revealed. Where nobody asked yet, it is asked for."""
    from sfumato.errors import Mistake
    from sfumato.register import Register, RevelationStep

    from .register_arguments import given_author

    if not options.author or options.sign is None:
        raise Mistake(
            "A pseudonym was to be revealed under a register.",
            found="It does not say who asks.",
            attempt="--as NAME --sign KEY.",
        )
    register, author = Register(options.register), given_author(options)
    own = [
        each
        for each in register.state().revelations.values()
        if each.asked_by == author.name
        and each.step is not RevelationStep.REVEALED
        and (not each.until or register.today() <= each.until)
        and each.is_of(options.field, options.pseudonym)
    ]
    for each in own:
        if each.step is RevelationStep.AGREED:
            register.use_revelation(each.name, author=author)
            return True
    if not own and not options.reason:
        raise Mistake(
            "A pseudonym was to be revealed under a register.",
            found="It has no reason.",
            attempt="--reason TEXT.",
        )
    asked = (
        own[0]
        if own
        else register.ask_revelation(
            field=options.field, pseudonym=options.pseudonym, reason=options.reason, author=author
        )
    )
    words = f"{asked.name} waits for somebody else: sfumato register reveal DIR {asked.name}."
    if options.json:
        print_json({"revelation": asked.name, "waits": True})
    else:
        print(words)
    return False
