"""E-mail: header, bodies, attachments; and what is left out."""

from __future__ import annotations

import email
from email.message import EmailMessage

import pytest

from sfumato.errors import SourceError
from sfumato.scrubbing import scrub
from sfumato.text.formats.eml import Eml
from sfumato.text.formats.parts import FileReading


def message(**headers):
    out = EmailMessage()
    out["From"] = "Virginia Townsend <virginia.townsend@example.org>"
    out["To"] = "Dr. Patrick Hayes <phayes@example.org>"
    out["Subject"] = "Virginia Townsend, MRN 32-841-09787"
    out["Date"] = "Fri, 05 Jan 2024 10:30:00 +0000"
    out["Message-ID"] = "<townsend.1@example.org>"
    out.set_content("Dear Dr. Hayes,\nplease call me at 617-473-1214.\nVirginia Townsend\n")
    out.add_alternative("<p>Dear Dr. <b>H</b>ayes, I am well.</p>", subtype="html")
    for name, content in (
        ("Townsend.txt", b"RE: Virginia Townsend, seen by Dr. Hayes."),
        ("face.png", b"\x89PNG..."),
    ):
        out.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return out


def test_every_part_that_can_be_read_is_one():
    opened = Eml().open(message().as_bytes(), FileReading())
    assert [part.place for part in opened.parts] == ["header", "text", "text", "attachment 3, text"]
    assert any("attachment of another format" in what for what in opened.left_out)
    assert any("header line" in what for what in opened.left_out)


def test_nothing_of_the_people_is_left_in_what_is_unpacked(tmp_path):
    (tmp_path / "mail.eml").write_bytes(message().as_bytes())
    done = scrub(tmp_path / "mail.eml", to=tmp_path / "out")
    (written,) = (tmp_path / "out").glob("*.eml")
    made = email.message_from_bytes(written.read_bytes())
    contents = [part.get_payload(decode=True) or b"" for part in made.walk()]
    whole = b"".join([written.read_bytes(), *contents])
    for secret in (b"Townsend", b"townsend", b"Virginia", b"Hayes", b"473-1214", b"32-841", b"PNG"):
        assert secret not in whole
    assert [part.get_filename() for part in made.walk() if part.get_filename()] == [
        "attachment-3.txt"
    ]
    assert done.outcome == "pass"


def test_a_forwarded_message_is_read(tmp_path):
    outer = EmailMessage()
    outer["Subject"] = "Fwd"
    outer.set_content("See below.")
    outer.add_attachment(message())
    (tmp_path / "mail.eml").write_bytes(outer.as_bytes())
    scrub(tmp_path / "mail.eml", to=tmp_path / "out")
    (written,) = (tmp_path / "out").glob("*.eml")
    whole = written.read_bytes()
    for part in email.message_from_bytes(whole).walk():
        inner = part.get_payload(decode=True) or b""
        whole += inner
        for nested in email.message_from_bytes(inner).walk() if b"Subject:" in inner else ():
            whole += nested.get_payload(decode=True) or b""
    assert b"Townsend" not in whole
    assert b"Hayes" not in whole


def test_the_same_bytes_for_the_same_message():
    from sfumato.text.replacement import ReplacedDocument

    opened = Eml().open(message().as_bytes(), FileReading())
    same = [ReplacedDocument(text=part.text, replacements=()) for part in opened.parts]
    assert opened.written(same) == opened.written(same)


def test_what_is_no_message_is_refused():
    with pytest.raises(SourceError):
        Eml().open(b"\x00\x01", FileReading())
