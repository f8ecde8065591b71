"""The gate answers queries about private tables, within the conditions of a recipient's profile. It
is a room beside `releases`.

Names are imported when they are first used: accounts and audits are read without the packages that
serve a gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.lazy_names import lazy_names

if TYPE_CHECKING:
    from .accounts import Right as Right
    from .anchor import Anchor as Anchor
    from .anchor import Head as Head
    from .audit import entries as entries
    from .audit import verify_chain as verify_chain
    from .client import GateClient as GateClient
    from .explanations import AuditSearch as AuditSearch
    from .explanations import as_csv as as_csv
    from .explanations import as_line as as_line
    from .explanations import found as found
    from .gate_opener import Gate as Gate
    from .gate_opener import gate_secret as gate_secret
    from .gate_opener import open_gate as open_gate
    from .gate_opener import open_office as open_office
    from .health import is_answering as is_answering
    from .server import DoorAddresses as DoorAddresses
    from .server import is_loopback as is_loopback
    from .server import serve as serve
    from .server import serve_gate as serve_gate
    from .server import signalled as signalled
    from .settings import Asker as Asker
    from .settings import Settings as Settings
    from .settings_file import read_settings as read_settings
    from .validation.claims import ValidationClaim as ValidationClaim

_HOMES = {
    "accounts": ("Right",),
    "anchor": ("Anchor", "Head"),
    "audit": ("entries", "verify_chain"),
    "client": ("GateClient",),
    "explanations": ("AuditSearch", "as_csv", "as_line", "found"),
    "gate_opener": ("Gate", "gate_secret", "open_gate", "open_office"),
    "health": ("is_answering",),
    "server": ("DoorAddresses", "is_loopback", "serve", "serve_gate", "signalled"),
    "settings": ("Asker", "Settings"),
    "settings_file": ("read_settings",),
    "validation.claims": ("ValidationClaim",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [*_HOME_OF]

__getattr__ = lazy_names(__name__, _HOME_OF)
