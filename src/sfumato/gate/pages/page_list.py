"""The rooms of the gate: which pages there are, for whom, and the heading of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..accounts import MAY_ASK, GateAccount, Right

EVERYBODY: Final = frozenset(Right)
LOOK_AFTER: Final = frozenset((Right.ADMINISTRATOR, Right.BOARD, Right.STEWARD))


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """One page. Its name is its address, its part in `parts/` and its script in `assets/`."""

    name: str
    title: str
    lead: str
    rights: frozenset[Right]
    of_register: bool = False
    """Whether only a gate with a register has it in its menu."""

    @property
    def path(self) -> str:
        return f"/{self.name}"


ROOMS: Final = (
    Room(
        name="ask",
        title="Ask",
        lead="You get rows or numbers as exactly as your profile and all earlier answers allow.",
        rights=MAY_ASK,
    ),
    Room(
        name="plan",
        title="Plan",
        lead="Name all tables that a project needs: they are decided together, answered once and "
        "reserved.",
        rights=MAY_ASK,
    ),
    Room(
        name="validate",
        title="Validate",
        lead="You found a number on a synthetic copy: ask whether it holds in the real table, within "
        "a margin.",
        rights=MAY_ASK,
    ),
    Room(
        name="link",
        title="Link",
        lead="Upload records of your own, and get further fields of the same people as far "
        "as your profile allows.",
        rights=MAY_ASK,
    ),
    Room(
        name="history",
        title="History",
        lead="Your questions, their outcomes, and the remaining budget for noisy numbers.",
        rights=MAY_ASK,
    ),
    Room(
        name="audit",
        title="Audit",
        lead="Every question and every answer, recorded before the answer was sent.",
        rights=frozenset((Right.STEWARD, Right.BOARD)),
    ),
    Room(
        name="changes",
        title="Changes",
        lead="Changes of policies and terms that wait for a second person to agree.",
        rights=frozenset((Right.ADMINISTRATOR, Right.BOARD, Right.STEWARD)),
    ),
    Room(
        name="tables",
        title="Tables",
        lead="The roles of the fields, and the conditions under which they are released.",
        rights=frozenset((Right.ADMINISTRATOR, Right.BOARD, Right.STEWARD)),
    ),
    Room(
        name="applications",
        title="Applications",
        lead="Ask for data, and see what the board decided about it.",
        rights=EVERYBODY,
        of_register=True,
    ),
    Room(
        name="reviews",
        title="Reviews",
        lead="Applications that wait for your vote or your decision, and pseudonyms to be revealed. "
        "Nobody sees a vote before all are in.",
        rights=LOOK_AFTER,
        of_register=True,
    ),
    Room(
        name="releases",
        title="Releases",
        lead="Every release about these people, who holds it, and what each group can learn from "
        "all that it holds.",
        rights=LOOK_AFTER,
        of_register=True,
    ),
    Room(
        name="due",
        title="Due",
        lead="Agreements, decisions and memberships that end, and votes that wait.",
        rights=LOOK_AFTER,
        of_register=True,
    ),
    Room(
        name="accounts",
        title="Accounts",
        lead="The accounts of the gate, with their rights and profiles.",
        rights=frozenset((Right.ADMINISTRATOR,)),
    ),
    Room(
        name="programs",
        title="Programs",
        lead="Tokens for programs that ask in your name, and how to connect them.",
        rights=EVERYBODY,
    ),
)
HOME: Final = {
    Right.RECIPIENT: "/ask",
    Right.STEWARD: "/audit",
    Right.BOARD: "/changes",
    Right.ADMINISTRATOR: "/accounts",
}
"""The page after the log-in."""


def rooms_of(account: GateAccount, *, register: bool = False) -> tuple[Room, ...]:
    """The rooms in somebody's menu, with those of a register where the gate has one.

    Example:
        >>> [room.name for room in rooms_of(GateAccount(name="ann", right=Right.RECIPIENT))]
        ['ask', 'plan', 'validate', 'link', 'history', 'programs']
    """
    return tuple(
        room
        for room in ROOMS
        if account.right in room.rights and (register or not room.of_register)
    )
