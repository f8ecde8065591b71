"""Registries: every part of one kind, found where its file is and in installed packages; no list is
kept by hand.

A part is a module-level declaration in one file of its room. A registry imports the files of that
room when it is first asked. Then it loads the entry points of installed packages (group
`sfumato.models`, `sfumato.solvers`, …)."""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any, Generic, Protocol, TypeVar

from sfumato.errors import Bug, Mistake, SfumatoError


class Declaration(Protocol):
    """The fields of every declaration of a part: the policy's key for it, and a line that explains
    it."""

    @property
    def key(self) -> str: ...

    @property
    def doc(self) -> str: ...


Part = TypeVar("Part", bound=Declaration)


class Registry(Generic[Part]):
    """All parts of one kind, by key. `room` is the package whose files declare them, `group` that
    of entry points."""

    def __init__(self, kind: str, *, room: str, group: str) -> None:
        self.kind = kind
        self.room = room
        self.group = group
        self._parts: dict[str, Part] = {}
        self._origin: dict[str, str] = {}
        self._loaded = False
        self._loading = threading.RLock()
        self._inside = False

    def declare(self, part: Part, *, origin: str = "") -> Part:
        """Add a part; a key that another part has is refused."""
        if part.key in self._parts and self._parts[part.key] != part:
            raise Mistake(
                f'Two {self.kind}s are called "{part.key}".',
                found=f"One comes from {self._origin[part.key] or 'Sfumato'}, one from "
                f"{origin or 'Sfumato'}.",
                attempt="uninstalling one of the packages.",
            )
        self._parts[part.key] = part
        self._origin[part.key] = origin
        return part

    def all(self) -> Mapping[str, Part]:
        """Every part by its key: those of Sfumato in the order of their files, then those of other
        packages."""
        self._load()
        return dict(self._parts)

    def __getitem__(self, key: str) -> Part:
        self._load()
        return self._parts[key]

    def __contains__(self, key: object) -> bool:
        self._load()
        return key in self._parts

    def __len__(self) -> int:
        self._load()
        return len(self._parts)

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(tuple(self._parts))

    def origin(self, key: str) -> str:
        """The package that brought a part, with its version; empty for Sfumato's own."""
        self._load()
        return self._origin[key]

    def fault(self, key: str, found: str) -> SfumatoError:
        """The error for a part that does not do what it declares: our mistake, or that of the
        package that brought it."""
        origin = self.origin(key)
        if not origin:
            return Bug(f'The {self.kind} "{key}" does not do what it declares. {found}')
        return Mistake(
            f'The {self.kind} "{key}" of {origin} does not do what it declares.',
            found=found,
            attempt="another version of the package, or leaving it out of the policy; nothing was "
            "released.",
        )

    @contextmanager
    def including(self, *parts: Part) -> Iterator[None]:
        """Parts handed over from Python, known for as long as one call takes."""
        self._load()
        before, origins = dict(self._parts), dict(self._origin)
        try:
            for part in parts:
                self.declare(part, origin="Python")
            yield
        finally:
            self._parts, self._origin = before, origins

    def _load(self) -> None:
        """All parts, once. Another thread waits, because half a registry would lack some parts."""
        if self._loaded:
            return
        with self._loading:
            if (
                self._loaded or self._inside
            ):  # a file of the room may ask for its registry while it is imported
                return
            self._inside = True
            try:
                for module in _modules(self.room):
                    for part in _declared(module):
                        self.declare(part)
                for point in sorted(entry_points(group=self.group), key=lambda each: each.name):
                    self._load_outside(point)
                self._loaded = True
            finally:
                self._inside = False

    def _load_outside(self, point: EntryPoint) -> None:
        """A part of another package. One that cannot be loaded is an error: a policy may depend on
        it."""
        package = (
            f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value
        )
        try:
            found = point.load()
        except Exception as error:
            raise Mistake(
                f'The package {package} brings the {self.kind} "{point.name}".',
                found=f"It cannot be loaded: {type(error).__name__}.",
                attempt="another version of the package, or uninstalling it.",
            ) from error
        part = getattr(found, "declaration", found)
        if getattr(part, "key", None) is None:
            raise Mistake(
                f'The package {package} brings the {self.kind} "{point.name}".',
                found="What it names is no declaration.",
                attempt="an entry point that leads to a declaration.",
            )
        self.declare(part, origin=package)


def _modules(room: str) -> Iterator[ModuleType]:
    """The files of a room, and those of its folders, in the order of their names."""
    package = importlib.import_module(room)
    for info in sorted(
        pkgutil.walk_packages(package.__path__, f"{room}."), key=lambda each: each.name
    ):
        yield importlib.import_module(info.name)


def _declared(module: ModuleType) -> Iterator[Any]:
    """The declaration of a file under DECLARATION (or DECLARATIONS, where one file holds kinds of
    one part)."""
    one, several = getattr(module, "DECLARATION", None), getattr(module, "DECLARATIONS", ())
    if one is not None and several:
        raise Bug(f"{module.__name__} declares itself twice.")
    yield from several if one is None else (one,)
