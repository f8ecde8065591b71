"""Records of the exact answers of gates, as the register keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .answer_checks import AnswerCheck, version_of
from .gate_answers import AnswerScope, GateAnswers, is_finer, no_people
from .replay import replayed
from .signed_moves import SignedMoves


class AnswerRecords(SignedMoves):
    """The answers of gates, judged with all that their groups hold, and recorded."""

    def check_answers(self, scopes: Sequence[AnswerScope]) -> AnswerCheck:
        """The present holdings of the groups of some scopes, for judging exact answers of a
        gate."""
        return AnswerCheck.of(self.state(), self._store, scopes)

    def show_answers(self, answers: Sequence[GateAnswers], *, check: AnswerCheck) -> bool:
        """Record what a gate has shown with its next answer; False, and nothing is recorded, where
        a group would then hold too much. `check` is read anew if anything changed since."""
        scopes = [each.scope for each in answers]
        with self._store.writing() as writing:
            state = replayed(writing.moves())
            if check.version != version_of(state.head.number, writing, scopes):
                check = AnswerCheck.of(state, writing, scopes)
            if not check.keeps(answers):
                return False
            for each in answers:
                writing.put_answers(
                    each.scope.line, each.record or no_people(), keep=state.answers.values()
                )
        return True

    def is_fresh(self, check: AnswerCheck, scopes: Sequence[AnswerScope]) -> bool:
        """Whether nothing was recorded since a check was read."""
        return check.version == version_of(self._store.newest(), self._store, scopes)

    def restore_answers(self, answers: Sequence[GateAnswers]) -> None:
        """Record the answers in a gate's own state, whatever they break. Of two records the finer
        is kept, and both where neither is."""
        with self._store.writing() as writing:
            state, known = replayed(writing.moves()), writing.answers()
            for each in answers:
                line, record = each.scope.line, each.record or no_people()
                before = writing.answer_record(known[line]) if line in known else None
                if before is not None and is_finer(before, record):
                    continue
                keep = state.answers.values()
                if before is not None and not is_finer(record, before):
                    older = replace(each.scope, gate=f"{each.scope.gate} before")
                    writing.put_answers(older.line, before, keep=keep)
                writing.put_answers(line, record, keep=keep)

    def answers(self) -> Mapping[str, str]:
        """Digests of what gates have shown, by gate and group."""
        return self._store.answers()
