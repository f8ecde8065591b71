"""A session's variables: those that clients set as a habit, and those by which somebody chooses an
answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from sfumato.errors import NotAdmitted
from sfumato.parts import with_question

from ..settings import Mode

SHAPE: Final = "sfumato.shape"
EPSILON: Final = "sfumato.epsilon"
ANSWER: Final = "sfumato.answer"
LOG_IN: Final = "sfumato.login"
SERVER: Final = "16.0"
VERSION: Final = f"{SERVER} (sfumato)"

FIXED: Final[Mapping[str, str]] = {
    "server_version": VERSION, "server_version_num": "160000", "server_encoding": "UTF8", "integer_datetimes": "on",
    "is_superuser": "off", "in_hot_standby": "off", "max_index_keys": "32", "max_identifier_length": "63",
    "block_size": "8192", "lc_collate": "C", "lc_ctype": "C", "transaction_deferrable": "off", "ssl": "off",
    "default_transaction_deferrable": "off", "max_connections": "100", "wal_level": "minimal",
    "password_encryption": "scram-sha-256", "data_checksums": "off", "segment_size": "131072",
}  # fmt: skip
"""Variables that can be shown and not set."""
USUAL: Final[Mapping[str, str]] = {
    "application_name": "", "client_encoding": "UTF8", "datestyle": "ISO, MDY", "timezone": "UTC",
    "intervalstyle": "postgres", "standard_conforming_strings": "on", "search_path": "public",
    "extra_float_digits": "1", "bytea_output": "hex", "client_min_messages": "notice", "statement_timeout": "0",
    "lock_timeout": "0", "idle_in_transaction_session_timeout": "0", "idle_session_timeout": "0",
    "transaction_isolation": "read committed", "transaction_read_only": "on", "default_transaction_isolation":
    "read committed", "default_transaction_read_only": "on", "session_authorization": "", "role": "none",
    "row_security": "off", "synchronize_seqscans": "on", "xmloption": "content", "check_function_bodies": "on",
    "geqo": "on", "jit": "off", "lc_messages": "C", "lc_monetary": "C", "lc_numeric": "C",
    "lc_time": "C", "tcp_keepalives_idle": "0", "work_mem": "4096kB", "enable_seqscan": "on", "enable_hashjoin": "on",
    "enable_mergejoin": "on", "enable_nestloop": "on", "cursor_tuple_fraction": "0.1", "escape_string_warning": "on",
    "backslash_quote": "safe_encoding", "default_table_access_method": "heap", "default_tablespace": "",
    "plan_cache_mode": "auto", "ssl_renegotiation_limit": "0", "array_nulls": "on",
    "transform_null_equals": "off", "quote_all_identifiers": "off", SHAPE: "", ANSWER: "", LOG_IN: "",
    EPSILON: "",
}  # fmt: skip
"""Variables that may be set, and their defaults."""
REPORTED: Final[Mapping[str, str]] = {
    "server_version": "server_version", "server_encoding": "server_encoding", "client_encoding": "client_encoding",
    "application_name": "application_name", "is_superuser": "is_superuser",
    "session_authorization": "session_authorization", "datestyle": "DateStyle", "intervalstyle": "IntervalStyle",
    "timezone": "TimeZone", "integer_datetimes": "integer_datetimes",
    "standard_conforming_strings": "standard_conforming_strings", "in_hot_standby": "in_hot_standby",
    "default_transaction_read_only": "default_transaction_read_only", "search_path": "search_path",
}  # fmt: skip
"""Variables that are reported to clients unasked, as they spell them."""
_LONGEST: Final = 1_000
_EPSILON: Final = re.compile(r"[0-9]{1,2}(\.[0-9]{1,9})?")
_ONLY: Final[Mapping[str, tuple[str, ...]]] = {
    "client_encoding": ("utf8", "unicode", "utf-8"),
    "standard_conforming_strings": ("on", "true", "1", "yes"),
    "sfumato.answer": ("", *(mode.value for mode in Mode)),
    "role": ("none",),
}


class Variables:
    """The variables of one session.

    Example:
        >>> variables = Variables(user="ann")
        >>> variables.set("TimeZone", "Europe/Oslo"), variables["timezone"]
        ('timezone', 'Europe/Oslo')
        >>> variables.set("client_encoding", "LATIN1")
        Traceback (most recent call last):
            ...
        sfumato.errors.NotAdmitted: The setting 'client_encoding' cannot be that.
          Try utf8, unicode, utf-8.
    """

    def __init__(self, *, user: str) -> None:
        self._usual = {**USUAL, "session_authorization": user}
        self._set: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        """The value of a variable; whatever case it is written in."""
        key = name.lower()
        if key in FIXED:
            return FIXED[key]
        if key not in self._usual:
            raise _unknown(name)
        return self._set.get(key, self._usual[key])

    def set(self, name: str, value: str) -> str:
        """Set a variable; the name under which it is kept. A variable without a meaning at a gate
        is kept and does nothing."""
        key = name.lower()
        if key not in self._usual:
            raise _unknown(name)
        allowed = _ONLY.get(key)
        if key == EPSILON and value and not _EPSILON.fullmatch(value):
            raise NotAdmitted(
                f"The setting {key!r} cannot be that.", code="not-this-value", attempt="0.05."
            )
        if len(value) > _LONGEST or (allowed is not None and value.lower() not in allowed):
            raise NotAdmitted(
                f"The setting {key!r} cannot be that.",
                code="not-this-value",
                attempt=f"{', '.join(each for each in allowed if each)}."
                if allowed
                else "a shorter one.",
            )
        kept = {
            "client_encoding": "UTF8",
            "standard_conforming_strings": "on",
            "datestyle": "ISO, MDY",
        }.get(key, value)
        self._set[key] = kept.lower() if key == ANSWER else kept
        return key

    def reset(self, name: str = "") -> None:
        """As if nobody had set it; all of them where no name is given."""
        if not name:
            self._set.clear()
        elif name.lower() not in self._usual:
            raise _unknown(name)
        else:
            self._set.pop(name.lower(), None)

    @property
    def mode(self) -> Mode | None:
        return Mode(self[ANSWER]) if self[ANSWER] else None

    @property
    def epsilon(self) -> float | None:
        return float(self[EPSILON]) if self[EPSILON] else None

    def all(self) -> dict[str, str]:
        """Every variable and its value."""
        return {**FIXED, **self._usual, **self._set}


def _unknown(name: str) -> NotAdmitted:
    return NotAdmitted(
        with_question(
            f"There is no setting {name.lower()!r}.", name.lower(), (SHAPE, ANSWER, EPSILON)
        ),
        code="unknown-setting",
    )
