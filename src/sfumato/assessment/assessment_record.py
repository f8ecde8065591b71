"""The common parts of every finished assessment: questions with their answers, a page, and
numbers."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from sfumato.protection import Outcome
from sfumato.report import table, tag

from .page import Judgement
from .page_file import write_private


class AssessmentRecord(ABC):
    """A finished assessment, whatever was assessed."""

    title: str
    outcome: Outcome
    judgements: tuple[Judgement, ...]
    release: str
    """The digest of the manifest of the assessed release; empty where it has none."""

    @abstractmethod
    def page(self) -> str:
        """One HTML page that loads and runs nothing."""

    @abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """All numbers, as values that JSON has."""

    def report(self, to: str | Path, *, replace: bool = False) -> Path:
        """Write the page; an earlier page is kept unless `replace` is true."""
        write_private(Path(to), self.page(), replace=replace)
        return Path(to)

    def write_json(self, to: str | Path, *, replace: bool = False) -> Path:
        """Write the numbers; earlier ones are kept unless `replace` is true."""
        text = json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"
        write_private(Path(to), text, replace=replace)
        return Path(to)

    def __repr__(self) -> str:
        said = (f"  {one.outcome}: {one.question} {one.answer}" for one in self.judgements)
        return "\n".join((f"Assessment of {self.title}: {self.outcome}", *said))

    def _repr_html_(self) -> str:
        rows = [(one.outcome, one.question, one.answer) for one in self.judgements]
        title = tag("p", tag("b", self.outcome), f": {self.title}")
        heads = ("verdict", "question", "answer")
        return str(tag("div", title, table(heads, rows, caption="Assessment")))
