"""One slip apart, against the obvious: edit distance with exchanges, by the textbook."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sfumato.text.misspelling import deletions, is_misspelt

words = st.text("abc", max_size=6)


def _distance(one: str, other: str) -> int:
    rows = [
        [i + j if not i or not j else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)
    ]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            rows[i][j] = min(
                rows[i - 1][j] + 1,
                rows[i][j - 1] + 1,
                rows[i - 1][j - 1] + (one[i - 1] != other[j - 1]),
            )
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


@given(words, words)
def test_as_the_textbook(one, other):
    assert is_misspelt(one, other) == (_distance(one, other) == 1)


@given(words, words)
def test_slips_share_a_deletion(one, other):
    assert not is_misspelt(one, other) or deletions(one) & deletions(other)
