"""Every argument of every command says in its help what it takes or does."""

from __future__ import annotations

import argparse

import pytest

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


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_argument_has_a_help_that_reads_by_itself(name):
    words = (ARGUMENTS[name].help or "").split()
    assert len(words) > 1
    assert words[0] not in FRAGMENTS


def test_there_are_arguments_to_check():
    assert len(ARGUMENTS) > 200
