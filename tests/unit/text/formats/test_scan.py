"""Scans: what is read of them, what is drawn, and that nothing is left beneath a box."""

from __future__ import annotations

from io import BytesIO

import pytest

from sfumato.errors import MissingExtra, SourceError
from sfumato.releases import needs_review
from sfumato.scrubbing import scrub
from sfumato.text.formats import FileReading, format_of, optical_reading, unreadable_pages

Image = pytest.importorskip("PIL.Image", reason="left out: no Tesseract, or no Pillow")
if not optical_reading.can_read():
    pytest.skip("left out: no Tesseract, or no Pillow", allow_module_level=True)

LETTER = "Dear Dr. Lang:\nVirginia Townsend takes metformin 500 mg.\nThe lungs were clear."


def picture(text=LETTER, *, size=(900, 240)):
    from PIL import ImageDraw, ImageFont

    page = Image.new("L", size, 255)
    font = ImageFont.load_default(32)
    ImageDraw.Draw(page).multiline_text((40, 40), text, fill=10, font=font, spacing=14)
    return page


def saved(page, kind, **how):
    out = BytesIO()
    page.save(out, kind, **how)
    return out.getvalue()


def opened(name, content):
    return format_of(name, content).open(content, FileReading())


@pytest.mark.parametrize(("suffix", "kind"), [("png", "PNG"), ("jpg", "JPEG"), ("pdf", "PDF")])
def test_masked_words_are_boxes_and_the_others_stay(suffix, kind, write):
    file = opened(
        f"a.{suffix}", saved(picture(), kind, **({"resolution": 300} if suffix == "pdf" else {}))
    )
    assert [part.text for part in file.parts] == [LETTER]
    made = write(file, {"Lang": "x", "Virginia Townsend": "y"})
    text = opened(f"b.{suffix}", made).parts[0].text
    assert "metformin 500 mg." in text
    assert not [name for name in ("Lang", "Virginia", "Townsend") if name in text]


def test_nothing_is_beneath_a_box_and_nothing_else_is_copied(write):
    """Every point of a masked word is black, and what is no word is white."""
    page = picture()
    from PIL import ImageDraw

    ImageDraw.Draw(page).line((700, 150, 860, 230), fill=0, width=6)  # a signature
    file = opened("a.png", saved(page, "PNG"))
    read = file.read[0]
    drawn = Image.open(BytesIO(write(file, {"Townsend": "x"})))
    masked = next(w for w in read.words if read.text[w.start : w.end] == "Townsend")
    assert set(drawn.crop(masked.box).tobytes()) == {0}
    assert set(drawn.crop((700, 150, 860, 230)).tobytes()) == {255}
    assert drawn.info == {}


def test_a_page_that_cannot_be_read_is_written_empty_and_ends_in_review(write):
    """A page on its side is no text for Tesseract, and nobody judged it."""
    content = saved(picture().rotate(90, expand=True), "PNG")
    file = opened("a.png", content)
    assert unreadable_pages(file) == 1
    blank = Image.open(BytesIO(write(file)))
    assert set(blank.tobytes()) == {255}
    assert needs_review({"found_again": 0, "languages": {"English": 1}, "unreadable_pages": 1})


def test_an_empty_page_is_readable():
    page = Image.new("L", (300, 300), 255)
    assert unreadable_pages(opened("a.png", saved(page, "PNG"))) == 0


def test_a_scan_from_file_to_file(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.png").write_bytes(saved(picture(), "PNG"))
    done = scrub(tmp_path / "in", to=tmp_path / "out", detectors="rules")
    (made,) = (tmp_path / "out").glob("*.png")
    assert done.manifest["scrubbed"]["unreadable_pages"] == 0
    assert done.outcome == "pass"
    assert "Townsend" not in opened("a.png", made.read_bytes()).parts[0].text


def test_a_broken_picture_is_refused():
    with pytest.raises(SourceError, match="cannot be opened"):
        opened("a.png", b"\x89PNG\r\n\x1a\nbroken")


def test_without_the_program_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(optical_reading, "can_read", lambda: False)
    with pytest.raises(MissingExtra, match="tesseract"):
        opened("a.png", saved(picture(), "PNG"))
