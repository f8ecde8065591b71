"""The journal of the state: each change of the memory has a line in the audit, on disk before the
change is made.

A line names what changed (a sum that was spent, an audience's record, an account, a policy) and has
a keyed digest of each. A digest is meaningless to a reader. The required content of the state can
thus be recounted from the audit alone. At opening both are compared. An audit that was edited, cut
or deleted, and a state that was edited or restored, contradict each other, and the gate does not
open.

After a crash between the line and the change, the line is the audit's last one. Its answer was
never sent, so a further line records that the change was not made. A crash causes no other
difference.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from sfumato.errors import ReleaseBroken

from .anchor import RESTORE, Head
from .audit import UNDONE, Audit, check_anchor, check_length, verified
from .state import Changes, GateState, Item

CHANGED: Final = "state changed"
ADOPTED: Final = "state adopted"
"""The kind of the line with all that a state held when the first gate with a journal opened it."""
NAMES: Final = {
    "exposures": "what audiences were shown",
    "spent": "what was spent on noisy numbers",
    "charged": "what was charged for noisy numbers",
    "records": "which answers were given",
    "accounts": "accounts",
    "tokens": "tokens of programs",
    "policies": "versions of policies",
    "facts": "facts about the tables",
}
Digest = str | float


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class StateJournal:
    """Writes the lines; `key` is the gate's own."""

    audit: Audit = field(repr=False)
    key: bytes = field(repr=False)

    @contextmanager
    def ahead_of(self, changes: Changes) -> Iterator[Head]:
        """The line of a change, on disk before what is inside is done."""
        with self.audit.ahead_of(CHANGED, {"changes": self._told(changes)}) as head:
            yield head

    def sealed_end(self) -> tuple[Head, str]:
        head = self.audit.head
        return head, head.seal(self.key)

    def adopt(self, changes: Changes) -> Head:
        self.audit.append(ADOPTED, {"changes": self._told(changes)})
        return self.audit.head

    def _told(self, changes: Changes) -> dict[str, dict[str, Digest | None]]:
        out: dict[str, dict[str, Digest | None]] = {}
        for (table, *key), row in changes.items():
            out.setdefault(table, {})[_named(key)] = (
                None if row is None else self.digest((table, *key), row)
            )
        return out

    def digest(self, item: Item, row: tuple[Any, ...]) -> Digest:
        """Of a sum that was spent the sum itself; of everything else a keyed digest."""
        if item[0] == "spent":
            return float(row[0])
        told = hashlib.blake2b(key=self.key[:32], digest_size=16)
        for part in (*item, *row):
            plain = part if isinstance(part, bytes) else str(part).encode()
            told.update(len(plain).to_bytes(8, "big") + plain)
        return told.hexdigest()


def _named(key: list[str] | tuple[str, ...]) -> str:
    return key[0] if len(key) == 1 else json.dumps(list(key), ensure_ascii=False)


@dataclass(slots=True, kw_only=True)
class JournalRecount:
    """The state by the audit, read from its first line to its last.

    `seen` is the last line that the state has seen: a change that it has was made, whatever was
    written about it later."""

    seen: int = 0
    seen_digest: str = ""
    held: dict[tuple[str, str], Digest] = field(default_factory=dict)
    changes: set[int] = field(default_factory=set)
    """The numbers of the lines whose changes were made."""
    head: Head = field(default_factory=lambda: Head(0, ""))
    answered: Counter[str] = field(default_factory=Counter)
    epsilon: float = 0.0
    _open: tuple[int, Mapping[str, Any]] | None = None
    """A change; the next line records whether it was made."""

    def add(self, entry: Mapping[str, Any]) -> None:
        """One line more."""
        self._settle(made=entry["kind"] != UNDONE)
        self.head = Head(int(entry["number"]), str(entry["digest"]))
        if self.head.lines == self.seen:
            self.seen_digest = self.head.digest
        if entry["kind"] in (CHANGED, ADOPTED):
            self._open = self.head.lines, entry["changes"]
        elif entry["kind"] == "answered":
            self.answered[str(entry.get("rule", ""))] += 1
            self.epsilon += float(entry.get("epsilon", 0.0))

    def end(self) -> int | None:
        """After the last line: its number, where it is of a change that a crash kept from being
        made."""
        number = self._open[0] if self._open is not None else 0
        crashed = number > self.seen
        self._settle(made=not crashed)
        return number if crashed else None

    def _settle(self, *, made: bool) -> None:
        if self._open is None:
            return
        (number, changes), self._open = self._open, None
        if not made and number != self.seen:
            return
        self.changes.add(number)
        for table, items in changes.items():
            for name, digest in items.items():
                if digest is None:
                    self.held.pop((table, name), None)
                else:
                    self.held[table, name] = digest


def check_state(state: GateState, journal: StateJournal) -> Head:
    """Count the audit again and hold the state against it; `ReleaseBroken` where they contradict
    each other.

    Leftovers of a crash are put right, and a state from before there was a journal is taken into
    it.
    """
    audit, seen = journal.audit, state.seen()
    recount = JournalRecount(seen=seen.lines if seen else 0)
    anchors = _anchors(audit, seen) | _known_end(state, journal, seen)
    for entry in verified(audit.path):
        for where, anchor in anchors.items():
            check_anchor(audit.path, anchor, Head(entry["number"], entry["digest"]), where=where)
        recount.add(entry)
    for where, anchor in anchors.items():
        check_length(audit.path, anchor, recount.head.lines, where=where)
    crashed = recount.end()
    if seen is not None and recount.seen_digest != seen.digest:
        raise _other_line(audit, seen)
    if seen is None and not recount.changes and crashed is None:
        return _adopt(state, journal, recount)
    _check_newer(audit, recount, seen)
    _check_held(state, journal, recount)
    if crashed is not None:
        audit.append(
            UNDONE, {"about": crashed, "reason": "The gate stopped before the change was made."}
        )
    return audit.head


def _anchors(audit: Audit, seen: Head | None) -> dict[str, Head]:
    """The heads that were written down: beside the audit, in the state, and elsewhere where that is
    wanted."""
    found = {f"{audit.beside.path.name} beside it": audit.beside.read()}
    if seen is not None and audit.beside.read() is None:
        raise ReleaseBroken(
            f"{audit.beside.path} is missing.",
            found="It is written beside the audit by every gate.",
            attempt=RESTORE,
        )
    if audit.elsewhere is not None:
        found[f"the anchor {audit.elsewhere.path}"] = head = audit.elsewhere.read()
        if head is None and audit.head.lines:
            raise ReleaseBroken(
                f"The anchor {audit.elsewhere.path} is missing.",
                found=f"The audit has {audit.head.lines:,} lines already.",
                attempt=f"`sfumato audit anchor {audit.path} --to FILE`, once the audit has been "
                "verified.",
            )
    found["the state"] = seen
    return {name: head for name, head in found.items() if head is not None}


def _known_end(state: GateState, journal: StateJournal, seen: Head | None) -> dict[str, Head]:
    """Where the audit ended when the state was last written; a state that has seen a line knows it,
    under a seal."""
    try:
        end = state.end()
    except (ValueError, TypeError):
        end = Head(0, ""), ""
    if end is None and seen is None:
        return {}
    if end is None or not end[0].is_sealed(end[1], journal.key):
        raise ReleaseBroken(
            f"The gate's state in {journal.audit.path.parent} does not record where its "
            "audit ended.",
            found="It is missing there, or lacks the seal of the gate's key.",
            attempt=RESTORE,
        )
    return {"the end that the state knows": end[0]}


def _other_line(audit: Audit, seen: Head) -> ReleaseBroken:
    return ReleaseBroken(
        f"The audit file {audit.path} is not the one that the state belongs to.",
        found=f"Line {seen.lines:,} is not the one that the state has seen.",
        attempt=RESTORE,
    )


def _check_newer(audit: Audit, recount: JournalRecount, seen: Head | None) -> None:
    newer = [number for number in recount.changes if number > recount.seen]
    if newer:
        noun = "change" if len(newer) == 1 else "changes"
        known = (
            f"It has seen {recount.seen:,} lines of the audit"
            if seen
            else "It has seen nothing of the audit"
        )
        raise ReleaseBroken(
            f"The gate's state in {audit.path.parent} is older than its audit.",
            found=f"{known}, and {len(newer):,} {noun} of it are in later lines, the last in "
            f"line {max(newer):,}.",
            attempt=RESTORE,
        )


def _check_held(state: GateState, journal: StateJournal, recount: JournalRecount) -> None:
    """Every item of the state against the audit, by name: sums as they are, everything else by its
    digest."""
    found = {(item[0], _named(item[1:])): journal.digest(item, row) for item, row in state.items()}
    differing = Counter(
        key[0]
        for key in found.keys() | recount.held.keys()
        if found.get(key) != recount.held.get(key)
    )
    if differing:
        told = ", ".join(
            f"{NAMES[table]} ({count:,})" for table, count in sorted(differing.items())
        )
        raise ReleaseBroken(
            f"The gate's state in {journal.audit.path.parent} contradicts its audit.",
            found=f"They differ in {told}.",
            attempt=RESTORE,
        )


def _adopt(state: GateState, journal: StateJournal, recount: JournalRecount) -> Head:
    """A state without a journal: of a new gate, or of one from before there were journals."""
    held = dict(state.items())
    shown = any(item[0] == "exposures" for item in held)
    spent = sum(
        float(row[0])
        for item, row in held.items()
        if item[0] == "spent" and item[1].startswith("everyone of ")
    )
    forgot = (recount.answered["exposure"] and not shown) or recount.epsilon > spent + 1e-6
    if forgot or (held and not recount.head.lines):
        raise ReleaseBroken(
            f"The gate's audit and state in {journal.audit.path.parent} do not belong together.",
            found="The audit has answers that the state does not count."
            if forgot
            else "The state has entries, and the audit is empty.",
            attempt=RESTORE,
        )
    if held:
        head = journal.adopt(held)
        with state.changing():
            state.see(head)
            state.write_end(journal)
    return journal.audit.head
