"""The audit writer: the gate's record of each question, on disk before its answer is sent. It never
holds a cell value."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .answers import Answer
from .audit import Audit
from .settings import Asker
from .sql import Question
from .statement_text import kept_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Minutes:
    """The audit's lines about questions. An answer is in them as a keyed digest, which is
    meaningless to others."""

    audit: Audit = field(repr=False)
    secret: bytes = field(repr=False)

    def not_admitted(self, asker: Asker, asked: Question | str, *, code: str, reason: str) -> None:
        """A question that may not be asked so; where it was not even read, its text is recorded in
        the question's place."""
        who = _who(asker, asked) if isinstance(asked, Question) else _text(asker, asked)
        self.audit.append("not admitted", {**who, "code": code, "reason": reason})

    def looked(
        self, asker: Asker, question: Question, *, query: str, shapes: Sequence[str]
    ) -> None:
        self.audit.append(
            "looked", {**_who(asker, question), "query": query, "shapes": list(shapes)}
        )

    def not_answered(
        self,
        asker: Asker,
        question: Question,
        *,
        query: str,
        reason: str,
        closest: Mapping[str, Any],
    ) -> None:
        facts = {"query": query, "reason": reason, "closest": dict(closest)}
        self.audit.append("not answered", {**_who(asker, question), **facts})

    def answered(self, asker: Asker, question: Question, answer: Answer, **facts: Any) -> None:
        told = json.dumps(answer.marked(), default=str).encode()
        self.audit.append(
            "answered",
            {
                **_who(asker, question),
                "query": answer.query,
                "levels": dict(answer.levels),
                "rows": len(answer.rows),
                "withheld": answer.withheld,
                "answer": hashlib.blake2b(told, key=self.secret[:32], digest_size=16).hexdigest(),
                **facts,
            },
        )


def _text(asker: Asker, text: str) -> dict[str, Any]:
    return {"who": asker.name, "profile": asker.profile, "asked": kept_text(text)}


def _who(asker: Asker, question: Question) -> dict[str, Any]:
    return {"who": asker.name, "profile": asker.profile, "asked": question.told()}
