"""The review of texts in a real browser: what a person does with keys and mouse is in the file that
they save."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from devtools import DevTools, chromium

from sfumato.scrubbing.review import apply_review, write_review
from sfumato.text.detectors.sets import Detectors, detectors
from sfumato.text.documents import Document
from sfumato.text.scrubber import scrub

SECRET = bytes(range(7, 39))
RULES = detectors(Detectors.RULES)
EVIL = "<script>document.body.dataset.ran = 'yes'</script>"
LETTER = (
    "Dear Dr. Weiss:\r\n\r\nAnna Kowalski, 👩 Zelquine\u202e and \U0001f600 Orvath came. "
    f"{EVIL}\nCall 617-473-1214.\n"
)
DOCUMENTS = [Document(LETTER, name="letter.txt"), Document("Mr. Cole is well.", name="note.txt")]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevTools]:
    program = chromium()
    if not program:
        pytest.skip(
            "no chromium on PATH and $SFUMATO_CHROMIUM is not set: the review was not "
            "looked at in a browser"
        )
    tools = DevTools(program, tmp_path_factory.mktemp("browser"))
    yield tools
    tools.close()


@pytest.fixture
def page(browser: DevTools, tmp_path: Path) -> Path:
    done = scrub(DOCUMENTS, secret=SECRET, detectors=RULES)
    path = write_review(tmp_path / "review", DOCUMENTS, done.documents, purpose="singling out")
    browser.console.clear()
    browser.requests.clear()
    browser.open(path)
    return path


def saved(browser: DevTools) -> Path:
    browser.click("#save")
    return browser.downloaded()


def applied(path: Path) -> list[str]:
    decisions = apply_review(path, DOCUMENTS).decisions
    return [each.text for each in scrub(DOCUMENTS, secret=SECRET, decisions=decisions).documents]


def choose(browser: DevTools, text: str) -> None:
    browser.run(
        "[...document.querySelectorAll('mark')].find((m) => m.textContent === "
        f"{json.dumps(text)}).focus()"
    )


def select(browser: DevTools, text: str) -> None:
    """Select a stretch of the first original, from text node to text node, as a mouse does, and let
    go."""
    browser.run(f"""(() => {{
      const [first, last] = {json.dumps(text.split(" "))};
      const walk = document.createTreeWalker(document.querySelector(".doc"), NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      for (let node = walk.nextNode(), begun = false; node; node = walk.nextNode()) {{
        if (!node.parentElement.closest(".o")) continue;
        if (!begun && node.data.includes(first)) {{ range.setStart(node, node.data.indexOf(first)); begun = true; }}
        if (begun && node.data.includes(last)) {{ range.setEnd(node, node.data.indexOf(last) + last.length); break; }}
      }}
      getSelection().removeAllRanges();
      getSelection().addRange(range);
    }})()""")
    browser.ask(
        "Input.dispatchMouseEvent", type="mouseReleased", x=2, y=2, button="left", clickCount=1
    )
    browser.wait("!document.getElementById('add').hidden")


def test_the_page_asks_for_nothing_and_a_letters_script_does_not_run(browser: DevTools, page: Path):
    assert browser.run("document.body.dataset.ran") is None
    assert browser.run("document.querySelectorAll('script').length") == 1
    assert browser.console == []
    assert browser.requests == [page.as_uri()]


def test_saved_as_it_is_the_result_is_the_same(browser: DevTools, page: Path):
    file = saved(browser)
    assert file.name.startswith("review-corrected")
    assert applied(file) == [
        each.text for each in scrub(DOCUMENTS, secret=SECRET, detectors=RULES).documents
    ]
    findings = [each["findings"] for each in json.loads(file.read_text("utf-8"))["documents"]]
    filed = json.loads((page.parent / "review.json").read_text("utf-8"))["documents"]
    assert sorted(findings, key=len) == sorted((each["findings"] for each in filed), key=len)


def test_keys_turn_a_finding_off_and_on(browser: DevTools, page: Path):
    choose(browser, "Weiss")
    browser.press("m")
    assert browser.run("document.querySelector('.put[data-n=\"1\"]').textContent") == "Weiss"
    assert browser.run("document.getElementById('state').textContent") == "1 change, not saved yet"
    assert "Dr. Weiss" in applied(saved(browser))[0]
    browser.press("m")
    assert browser.run("document.getElementById('state').textContent") == "No changes"
    assert "Weiss" not in applied(saved(browser))[0]


def test_a_kind_is_changed(browser: DevTools, page: Path):
    choose(browser, "Weiss")
    browser.run(
        "(() => { const k = document.getElementById('kind'); k.value = 'town'; "
        "k.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )
    assert browser.run("document.querySelector('mark').classList.contains('g-places')")
    assert apply_review(saved(browser), DOCUMENTS).kinds_changed == 1


def test_selected_text_is_added_by_the_places_that_python_counts(browser: DevTools, page: Path):
    """Across a letter's line ends, an emoji and a labelled character, each one character to
    Python."""
    select(browser, "and came")
    browser.run("document.getElementById('everywhere').checked = false")
    browser.click("#add")
    added = json.loads(saved(browser).read_text("utf-8"))["documents"]
    [mine] = [each for document in added for each in document["findings"] if each.get("comment")]
    assert mine["text"] == "and \U0001f600 Orvath came"
    assert LETTER[mine["start"] : mine["end"]] == mine["text"]
    assert browser.run("document.querySelectorAll('.added li').length") == 1


def test_next_and_previous_uncertain(browser: DevTools, page: Path):
    count = browser.run("document.querySelectorAll('mark.c-uncertain').length")
    browser.press("n")
    first = browser.run("document.querySelector('mark.on')?.dataset.n ?? ''")
    assert bool(first) is bool(count)
    for _ in range(count):
        browser.press("n")
    assert browser.run("document.querySelector('mark.on')?.dataset.n ?? ''") == first
    browser.press("j")
    browser.press("k")
    assert browser.run("document.querySelectorAll('mark.on').length") == 1


def test_a_filter_takes_the_colour_off(browser: DevTools, page: Path):
    browser.click("[data-filter=g-people]")
    assert browser.run(
        "[...document.querySelectorAll('mark.g-people')].every((m) => m.classList.contains('off'))"
    )
    assert not browser.run(
        "[...document.querySelectorAll('mark.g-contact')].some((m) => m.classList.contains('off'))"
    )
