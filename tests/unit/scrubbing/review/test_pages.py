"""The pages: everything of a document is text and never markup, nothing is hidden, and only our own
script may run."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from sfumato.scrubbing.review import write_review
from sfumato.scrubbing.review.entries import ON_PURPOSE, Certainty, Group, entries_of
from sfumato.scrubbing.review.escaped_text import shown
from sfumato.text.bids import Bid
from sfumato.text.decision import Decision, Purpose, decide
from sfumato.text.documents import Document
from sfumato.text.kinds import ReferenceKind
from sfumato.text.scrubber import scrub
from sfumato.text.unusualness import Unusualness

SECRET = bytes(range(7, 39))
EVIL = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)> Dr. "
    "Weiss\u2028\u202eih\u202c \"'&amp;\x00\r\n"
)


class Back(HTMLParser):
    """Reads a shown text as a browser and the page's script do: text, and labelled characters by
    their number."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.text, self.tags = "", []

    def handle_starttag(self, name, attributes):
        self.tags.append(name)
        self.text += chr(int(dict(attributes)["data-c"], 16))

    def handle_data(self, data):
        self.text += data


@given(st.text(st.characters(exclude_categories=())))
def test_a_shown_text_can_be_read_back_and_holds_no_markup_of_its_own(text):
    back = Back()
    back.feed(shown(text))
    back.close()
    assert back.text == text
    assert set(back.tags) <= {"i"}


def page_of(tmp_path, *documents, **given_):
    done = scrub(documents, secret=SECRET)
    return write_review(
        tmp_path / "r", documents, done.documents, purpose="direct", **given_
    ).read_text("utf-8")


def test_a_letter_with_a_script_in_it_is_only_text(tmp_path):
    page = page_of(tmp_path, Document(EVIL, name=EVIL, person=EVIL), title=EVIL)
    assert page.count("<script>") == 1
    assert "<img" not in page
    assert "onerror=alert" in page.replace("&#x27;", "'")
    assert not any(mark in page for mark in "\u2028\u202e\u202c\x00\r")
    assert 'data-c="202e"' in page
    file = json.loads((tmp_path / "r" / "review.json").read_text("utf-8"))
    assert file["documents"][0]["name"] == EVIL


def test_the_policy_lets_only_the_pages_own_script_and_style_run(tmp_path):
    page = page_of(tmp_path, Document("Dr. Weiss came."))
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for name in ("script", "style"):
        inner = re.search(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert not re.search(r'(src|href)="(?!#)', page)
    assert ' style="' not in page


def test_the_page_tells_who_found_what_and_why_without_a_script(room):
    page = (room.folder / "review.html").read_text("utf-8")
    for entry in entries_of(room.documents[0], room.done.documents[0]):
        assert str(shown(entry.reason)) in page
        assert entry.detector.replace("+", ", ") in page
        assert str(shown(entry.put or entry.text)) in page


def test_every_entry_of_the_file_is_on_the_page_as_it_is_in_the_file(room):
    page = (room.folder / "review.html").read_text("utf-8")
    found = re.findall(r'data-f="([^"]*)"', page)
    told = sorted(
        json.dumps(json.loads(each.replace("&quot;", '"').replace("&#x27;", "'"))) for each in found
    )
    filed = sorted(
        json.dumps(each) for document in room.read()["documents"] for each in document["findings"]
    )
    assert told == filed


def test_unusual_documents_come_first_then_uncertain_ones(tmp_path):
    documents = [Document("Dr. Weiss came.", name=name) for name in ("plain", "doubtful", "odd")]
    done = list(scrub(documents, secret=SECRET).documents)
    done[2] = replace(done[2], unusualness=Unusualness(score=0.9, stands_out=True))
    unsure = replace(done[1].decisions[0], finding=replace(done[1].decisions[0].finding, score=0.5))
    done[1] = replace(done[1], decisions=(unsure,))
    page = write_review(tmp_path / "r", documents, done, purpose="direct").read_text("utf-8")
    assert re.findall(r'<th scope="row"><a href="#d\d">(\w+)', page) == ["odd", "doubtful", "plain"]
    assert "Unusual in this collection" in page
    assert "1 uncertain" in page


def test_many_documents_go_on_pages_of_their_own(tmp_path):
    documents = [
        Document(f"Dr. Weiss came for the {n}th time.", name=f"note {n}") for n in range(450)
    ]
    done = scrub(documents[:1], secret=SECRET).documents[0]
    at = slice(4, 9)
    assert documents[7].text[at] == "Weiss"
    page = write_review(tmp_path / "r", documents, [done] * 450, purpose="direct")
    pages = sorted((tmp_path / "r" / "pages").iterdir())
    assert len(pages) == 3
    index = page.read_text("utf-8")
    assert "<script></script>" in index
    links = re.findall(r'href="pages/(page-\d+\.html)#(d\d+)"', index)
    assert len(links) == 450
    texts = {path.name: path.read_text("utf-8") for path in pages}
    assert all(f'id="{anchor}"' in texts[name] for name, anchor in links)


def test_a_text_of_ten_megabytes_is_shown_in_windows_on_small_pages(tmp_path):
    line = "She is doing well on her present dose of insulin without any new complaints.\n"
    text = line * 130_000
    place = text.index("She", 5_000_000)
    decision = Decision(
        finding=Bid(place, place + 3, ReferenceKind.NAME, 0.9, "x", "because"),
        masks=True,
        reason="asked",
    )
    [done] = scrub([Document(text)], secret=SECRET, decisions=[[decision]]).documents
    page = write_review(tmp_path / "r", [Document(text)], [done], purpose="direct")
    pages = sorted(page.parent.glob("pages/*.html"))
    assert all(path.stat().st_size < 2_000_000 for path in pages)
    together = "".join(path.read_text("utf-8") for path in pages)
    assert together.count("<mark") == 1
    assert together.count("without any new complaints") >= 130_000


def test_every_kind_has_a_group_and_reasons_to_keep_are_those_of_deciding():
    assert {Group.of(kind) for kind in ReferenceKind} == set(Group)
    note = Document("two tablets")
    [shared] = decide(note, [Bid(0, 11, ReferenceKind.QUANTITY, 0.9, "x")])
    [indirect] = decide(note, [Bid(0, 11, ReferenceKind.TOWN, 0.9, "x")], purpose=Purpose.DIRECT)
    [keep] = decide(note, [Bid(0, 11, None, 0.9, "x")], purpose=Purpose.DIRECT)
    assert {shared.reason, indirect.reason, keep.reason} == ON_PURPOSE
    assert Certainty.of(0.5) is Certainty.UNCERTAIN
