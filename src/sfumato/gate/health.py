"""Whether the gate that a file opens answers: for the health check of a container or a watcher."""

from __future__ import annotations

import ssl
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Final

from .settings import Settings

PATH: Final = "/log-in"
"""A page that everybody may see, and that opens no session and writes no audit."""
_EVERY_ADDRESS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def is_answering(settings: Settings, *, seconds: float = 5) -> bool:
    """Whether the gate's log-in page answers within so many seconds, asked from this machine.

    Example:
        >>> from pathlib import Path
        >>> is_answering(Settings(folder=Path("state"), tables={}, http_port=1), seconds=1)
        False
    """
    with closing(_connection(settings, seconds=seconds)) as connection:
        try:
            connection.request("GET", PATH)
            return connection.getresponse().status == 200
        except (OSError, HTTPException):
            return False


def _connection(settings: Settings, *, seconds: float) -> HTTPConnection:
    """The certificate is for the name that people use, not for this machine: nothing secret is
    sent, so it is not checked."""
    host = _EVERY_ADDRESS.get(settings.host, settings.host)
    if settings.certificate is None:
        return HTTPConnection(host, settings.http_port, timeout=seconds)
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return HTTPSConnection(host, settings.http_port, timeout=seconds, context=context)
