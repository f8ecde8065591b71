"""What a manifest says of moved dates and of texts that were left out is exactly what the policy
leads to."""

from __future__ import annotations

import pytest

from sfumato.policy import policy_from_table
from sfumato.releases.dates import describe_shift
from sfumato.releases.manifest_agreement import words_check

POLICY = policy_from_table({
    "entity": "id",
    "fields": {
        "id": {"role": "direct"},
        "admitted": {"role": "insensitive", "shift": {"days": 30}},
        "note": {"role": "text", "replace": "remove"},
    },
    "require": {"k": 2},
})  # fmt: skip
SHIFT = describe_shift(POLICY.fields["admitted"].shift, kept=False)
TRUE = {"id": "removed", "admitted": SHIFT, "note": "removed: free text"}


def outcome(words):
    facts = {"recoding": {"kind": "global", "levels": {}}, "shape": "one row each"}
    return words_check(facts, words, POLICY, distinct={}, rows=3).outcome


def test_the_words_of_a_release_hold():
    assert outcome(TRUE) == "pass"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("admitted", "intervals kept", "intervals perturbed by up to a fifth"),
        ("admitted", "30 days", "3 days"),
        ("note", "removed: free text", "removed: free text, which names nobody"),
    ],
)
def test_other_words_do_not(name, old, new):
    assert outcome({**TRUE, name: TRUE[name].replace(old, new)}) == "fail"
