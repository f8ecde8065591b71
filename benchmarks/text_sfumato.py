"""Sfumato on documents: python -m benchmarks.text_sfumato DOCUMENTS.json SET STEP prints what it
cost as JSON.

SET is a set of detectors; STEP is `find` (find and decide) or `scrub` (put surrogates too). Any
call of the network raises."""

from __future__ import annotations

import json
import resource
import socket
import sys
import time

from benchmarks.text_documents import FIRST


def _no_network(*_: object, **__: object) -> None:
    raise RuntimeError("A network call was made.")


def main(path: str, which: str, step: str) -> None:
    socket.socket.connect = socket.getaddrinfo = _no_network  # type: ignore[assignment, method-assign]
    from sfumato.text.decision import FLOOR, masked
    from sfumato.text.detectors.sets import Detectors, detectors
    from sfumato.text.documents import Document
    from sfumato.text.finder import find, read_ahead
    from sfumato.text.scrubber import scrub

    looking = detectors(Detectors(which))
    masked(Document(FIRST), find(Document(FIRST), looking, threshold=FLOOR))
    if step == "scrub":
        scrub([FIRST], secret=bytes(range(32)), detectors=looking)
    started = time.process_time()
    with open(path, encoding="utf-8") as file:
        texts = json.load(file)
    begun = time.process_time()
    if step == "find":
        documents = read_ahead(
            (Document(text, name=str(number)) for number, text in enumerate(texts)), looking
        )
        found = sum(len(masked(each, find(each, looking, threshold=FLOOR))) for each in documents)
    else:
        numbered = [Document(text, name=str(number)) for number, text in enumerate(texts)]
        done = scrub(numbered, secret=bytes(range(32)), detectors=looking)
        found = sum(len(each.findings) for each in done.documents)
    cpu = time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"start": started, "cpu": cpu, "peak": memory, "found": found, "refused": ""}))


if __name__ == "__main__":
    main(*sys.argv[1:])
