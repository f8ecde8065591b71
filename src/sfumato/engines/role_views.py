"""Role views: views of a database through which a role reads the last release that was made for it,
and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class RoleView:
    """The views of a role: views in `schema` over a release in schema `release`. `tables` maps the
    name of each view to its table. Views called `gone`, which an earlier release had, are
    dropped."""

    role: str
    schema: str
    release: str
    tables: Mapping[str, str]
    gone: tuple[str, ...] = ()


class RoleViews(Protocol):
    """The views of a database. Nothing that a role reads changes but by `change_over`."""

    title: str

    def check_roles(self, roles: Sequence[str], *, schema: str, tables: Sequence[str]) -> None:
        """Refuse roles that are missing, or that may read the source itself."""
        ...

    def has_view(self, schema: str, name: str) -> bool:
        """Whether a schema has a view of that name."""
        ...

    def make_release_schema(self, name: str) -> None:
        """A new schema that only its owner may use."""
        ...

    def drop_release_schema(self, name: str) -> None: ...

    def change_over(self, views: Sequence[RoleView], *, before: Sequence[str]) -> None:
        """Let every role read its new release, all at once, and drop the releases `before`."""
        ...

    def close(self) -> None: ...
