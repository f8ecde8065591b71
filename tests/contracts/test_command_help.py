"""Every argument of every command says in its help what it takes or does."""

from __future__ import annotations

import argparse

from sfumato.cli import parser

FRAGMENTS = frozenset({"of", "default:", "(default:", "in", "with", "who", "whose"})
"""A help that starts with one of these makes sense only together with the option's name."""


def arguments_of(command, path=()):
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, part in action.choices.items():
                yield from arguments_of(part, (*path, name))
        else:
            word = action.option_strings[-1] if action.option_strings else action.dest
            yield " ".join((*path, word)), action


ARGUMENTS = dict(arguments_of(parser()))


def test_every_argument_has_a_help_that_reads_by_itself():
    words = {name: (action.help or "").split() for name, action in ARGUMENTS.items()}
    assert [name for name, help_ in words.items() if len(help_) < 2 or help_[0] in FRAGMENTS] == []


def test_there_are_arguments_to_check():
    assert len(ARGUMENTS) > 200
