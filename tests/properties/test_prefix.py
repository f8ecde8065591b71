"""Codes are cut column by column as they are cut one by one."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from sfumato.hierarchies import Prefix

CODES = st.text("0123ab", min_size=1, max_size=7)


@given(
    st.lists(CODES | st.none(), min_size=1, unique=True, max_size=12),
    st.sampled_from([(4, 2), (3,), (6, 5, 1)]),
    st.sampled_from(["*", "", "#"]),
    st.sampled_from([0, 5]),
)
def test_each_code_keeps_its_first_characters(
    values: Sequence[str | None], keep: tuple[int, ...], fill: str, length: int
) -> None:
    found = Prefix(keep, fill, length).bind(values)
    for level, kept in enumerate(keep, start=1):
        for code, value in enumerate(values):
            assert found.labels[level][found.up[level][code]] == _cut(value, kept, fill, length)


def _cut(value: str | None, kept: int, fill: str, length: int) -> str | None:
    if value is None:
        return None
    code = value[:length].rjust(length, "0") if length else value
    return code[:kept].ljust(len(code), fill) if fill else code[:kept]
