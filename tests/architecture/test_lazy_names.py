"""Packages that import their names when they are first used."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules, walk_packages

import sfumato


def test_no_lazy_name_is_that_of_a_module_of_its_package() -> None:
    """Whoever imports the module first would find it in the place of what the name means."""
    tried = 0
    for each in walk_packages(sfumato.__path__, "sfumato."):
        package = import_module(each.name) if each.ispkg else None
        homes = getattr(package, "_HOME_OF", None)
        if package is None or homes is None:
            continue
        tried += 1
        assert not set(homes) & {module.name for module in iter_modules(package.__path__)}
    assert tried >= 4
