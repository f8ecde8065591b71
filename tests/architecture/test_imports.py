"""Imports go one way, drivers stay in the engines, and names say what a thing is. Read from the
source, not run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import sfumato

SOURCE = Path(__file__).parents[2] / "src" / "sfumato"
MODULES = sorted(SOURCE.rglob("*.py"))

# Each room may import those of lower floors. Rooms of one floor do not import each other.
FLOORS = (
    ("errors", "lazy_names", "wording", "hash_chain", "confusables"),
    ("runs", "parts", "patterns"),
    ("files",),
    ("keys", "signatures", "hierarchies", "accounting"),
    ("policy",),
    ("engines",),
    ("surveys", "bins"),
    ("protection",),
    ("solvers", "text", "measures", "models", "synthesis", "tabulation"),
    ("report", "techniques"),
    ("releases",),
    ("register",),
    ("scrubbing", "assessment", "gate"),
    ("views",),
    ("cli",),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
ANYWHERE = {
    "datasets"
}  # Tables about nobody, for the demo and the tests; it imports errors at most.
# Keep the pseudonyms that were given out, and what the gate must remember, in SQLite files of their
# own; no source.
OWN_FILES = {
    "accounting/account_book.py",
    "accounting/account_file.py",
    "gate/state.py",
    "register/store.py",
    "releases/identifiers/lookup_file.py",
}
DRIVERS = {"duckdb", "psycopg", "psycopg2", "pyspark", "sqlite3", "sqlalchemy"}


def name_of(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@cache
def tree(path: Path) -> ast.Module:
    """What a file says, read once for all tests."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree(path)))


@cache
def imports(path: Path) -> frozenset[str]:
    """Every module that a file imports, at the top or inside a function, as a full dotted name."""
    return frozenset(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    package = ("sfumato", *path.relative_to(SOURCE).with_suffix("").parts[:-1])
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*start, *([node.module] if node.module else [])))
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def rooms_imported(path: Path) -> set[str]:
    parts = [module.split(".") for module in imports(path)]
    return {
        p[1]
        for p in parts
        if p[0] == "sfumato" and len(p) > 1 and (p[1] in FLOOR or p[1] in ANYWHERE)
    }


def test_every_room_has_its_floor() -> None:
    rooms = {room_of(path) for path in MODULES} - {"__init__", "__main__"}
    assert rooms <= FLOOR.keys() | ANYWHERE


def rooms_allowed(room: str) -> set[str]:
    allowed = {other for other in FLOOR if room in FLOOR and FLOOR[other] < FLOOR[room]} | {
        room,
        "errors",
    }
    if room in FLOOR and FLOOR[room] >= FLOOR["releases"]:
        allowed |= ANYWHERE
    return allowed


def test_imports_go_one_way() -> None:
    inside = (path for path in MODULES if room_of(path) not in ("__init__", "__main__"))
    wrong = {name_of(path): rooms_imported(path) - rooms_allowed(room_of(path)) for path in inside}
    assert not {path: rooms for path, rooms in wrong.items() if rooms}


def test_the_test_sees_relative_and_lazy_imports() -> None:
    seen = set(imports(SOURCE / "engines" / "declarations" / "postgres.py"))
    assert {"sfumato.errors", "sfumato.engines.engine", "sfumato.engines.postgres.engine"} <= seen


def test_errors_import_nothing_of_sfumato() -> None:
    assert rooms_imported(SOURCE / "errors.py") == set()


def test_drivers_only_in_the_engines() -> None:
    outside = (path for path in MODULES if not path.is_relative_to(SOURCE / "engines"))
    used = {
        name_of(path): {module.split(".")[0] for module in imports(path)} & DRIVERS
        for path in outside
    }
    assert {path for path, drivers in used.items() if drivers} <= OWN_FILES


def test_no_driver_is_imported_before_its_engine_is_used() -> None:
    for path in (
        SOURCE / "engines" / "source_opener.py",
        *(SOURCE / "engines" / "declarations").glob("*.py"),
    ):
        assert not {module.split(".")[0] for module in imports(path)} & DRIVERS


def test_no_module_without_a_noun() -> None:
    names = {
        part.removesuffix(".py").lower()
        for path in MODULES
        for part in path.relative_to(SOURCE).parts
    }
    assert not names & {
        "utils",
        "util",
        "helpers",
        "helper",
        "common",
        "core",
        "base",
        "manager",
        "misc",
    }


def test_nothing_is_named_after_a_promise() -> None:
    """Code states which model holds on which bins. Safe Harbor is the name of a rule, not a
    promise."""
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = [
        (name_of(path), node.name)
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, defined)
    ]
    promises = {
        "anonymize",
        "anonymise",
        "anonymized",
        "anonymised",
        "safe",
        "safely",
        "secure",
        "securely",
    }
    assert len(names) > 1_000
    assert not [(path, name) for path, name in names if _words(name) & promises]


def _words(name: str) -> set[str]:
    return set(
        name.replace("SafeHarbor", "").replace("safe_harbor", "").lower().strip("_").split("_")
    )


def test_rooms_are_entered_by_their_front_doors() -> None:
    """What one room offers another stands in the `__init__` of a package, so that a file can move
    without being missed."""
    packages = {
        ".".join(("sfumato", *path.parent.relative_to(SOURCE).parts))
        for path in SOURCE.rglob("__init__.py")
    }
    past = []
    for path in MODULES:
        for node in nodes(path):
            if (
                isinstance(node, ast.ImportFrom)
                and not node.level
                and (node.module or "").startswith("sfumato.")
            ):
                module = str(node.module)
                room = module.split(".")[1]
                if room != room_of(path) and (SOURCE / room).is_dir() and module not in packages:
                    past.append(f"{name_of(path)}: {module}")
    assert past == []


def test_no_room_has_the_name_of_a_public_verb() -> None:
    """Python binds a package in the one above it: the verb would be hidden as soon as the room is
    imported."""
    rooms = {path.relative_to(SOURCE).parts[0].removesuffix(".py") for path in MODULES}
    assert rooms & set(sfumato.__all__) <= {"models"}


def test_a_public_class_name_exists_once() -> None:
    homes: dict[str, list[str]] = {}
    for path in MODULES:
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(name_of(path))
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}
