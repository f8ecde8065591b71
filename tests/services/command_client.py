"""Hands a command to the server of `command_server.py` and ends as the command does.

It stands for `sfumato` or `python`: it imports little, so that it starts in a hundredth of a
second."""

import json
import os
import signal
import socket
import struct
import sys


def number(connection: socket.socket, kind: str) -> int:
    told = b""
    while len(told) < 4:
        more = connection.recv(4 - len(told))
        if not more:
            sys.exit("the server of commands is gone")
        told += more
    return int(struct.unpack(kind, told)[0])


class Signals:
    """Passes signals on to the command; those that come before it runs wait for it."""

    def __init__(self) -> None:
        self.child = 0
        self.waiting: list[int] = []
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, self.pass_on)

    def pass_on(self, which: int, frame: object) -> None:
        if self.child:
            os.kill(self.child, which)
        else:
            self.waiting.append(which)

    def reach(self, child: int) -> None:
        self.child = child
        for which in self.waiting:
            os.kill(child, which)


def main() -> None:
    signals = Signals()
    place, *words = sys.argv[1:]
    facts = {"words": words, "folder": os.getcwd(), "variables": dict(os.environ)}
    text = json.dumps(facts).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(place)
        socket.send_fds(connection, [struct.pack("!I", len(text))], [0, 1, 2])
        connection.sendall(text)
        signals.reach(number(connection, "!I"))
        for each in (0, 1, 2):
            os.close(each)  # A reader of the command's output waits for the command alone.
        code = number(connection, "!i")
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


main()
