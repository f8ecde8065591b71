"""For the site: examples of docstrings, headed "Example:", as code. The reader of Google's style
knows only "Examples:"."""

from __future__ import annotations

import re
from typing import Any

import griffe


class Examples(griffe.Extension):
    """Renames the heading in every docstring that is read."""

    def on_instance(self, *, obj: griffe.Object | griffe.Alias, **_: Any) -> None:
        if not obj.is_alias and obj.docstring is not None:
            obj.docstring.value = re.sub(
                r"^Example:$", "Examples:", obj.docstring.value, flags=re.MULTILINE
            )
