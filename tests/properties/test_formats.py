"""Laws of file formats, on made-up files: nothing changes but what was replaced, and what was
replaced is nowhere."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import zipfile
from collections.abc import Sequence
from html import escape

import pytest
from example_counts import example_count
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.errors import SourceError
from sfumato.text.formats import FORMATS, FileReading, OpenedFile
from sfumato.text.formats.packages import packed
from sfumato.text.kinds import ReferenceKind
from sfumato.text.replacement import How, ReplacedDocument, TextReplacement

BY_NAME = {each.name: each for each in FORMATS}
SECRETS = ("Qwertzine", "Xylophor", "Zk-4711-88", "Łuczüg")
PUT = {secret: f"<{number}> & \"new\", 'it';" for number, secret in enumerate(SECRETS)}
QUICK = settings(
    max_examples=example_count(25), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

blank = st.sampled_from([" ", "  ", ", ", ". ", "-", ": "])
letters = st.text(
    alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp", "Zs")),
    max_size=6,
)
word = st.one_of(
    st.sampled_from(SECRETS),
    letters,
    st.sampled_from(["Dear", "&", "<b>", "{x}", "\\", '"', "שלום", "😀"]),
)
line = st.lists(st.tuples(word, blank), min_size=1, max_size=6).map(
    lambda each: "".join(w + b for w, b in each).strip()
)
lines = st.lists(line, min_size=1, max_size=4)


def put(texts: Sequence[str]) -> list[ReplacedDocument]:
    """Every secret with something hostile in its place."""
    out: list[ReplacedDocument] = []
    for text in texts:
        new, last, done = "", 0, list[TextReplacement]()
        for found in re.finditer("|".join(map(re.escape, SECRETS)), text):
            new += text[last : found.start()]
            surrogate = PUT[found.group()]
            done.append(
                TextReplacement(
                    start=found.start(),
                    end=found.end(),
                    new_start=len(new),
                    new_end=len(new) + len(surrogate),
                    kind=ReferenceKind.NAME,
                    how=How.SURROGATE,
                    original=found.group(),
                    surrogate=surrogate,
                )
            )
            new += surrogate
            last = found.end()
        out.append(ReplacedDocument(text=new + text[last:], replacements=tuple(done)))
    return out


def texts_of(opened: OpenedFile) -> list[str]:
    return [part.text for part in opened.parts]


def everything(content: bytes) -> str:
    """A file with all that is packed, encoded or escaped in it."""
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            return "\n".join(name + package.read(name).decode() for name in package.namelist())
    text = content.decode("utf-8-sig")
    data = re.findall(r'"data": "([A-Za-z0-9+/=]+)"', text)
    plain = re.sub(r"\\u(-?[0-9]+)\?", lambda found: chr(int(found.group(1)) % 65536), text)
    unescaped = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found.group(1), 16)), text)
    return "\n".join((text, plain, unescaped, *(base64.b64decode(each).decode() for each in data)))


def split(text: str) -> tuple[str, str, str]:
    """A text in three, wherever that cuts names."""
    third = len(text) // 3
    return text[:third], text[third : 2 * third], text[2 * third :]


def docx(each: Sequence[str]) -> bytes:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    rel = "http://schemas.openxmlformats.org/package/2006/relationships"
    runs = ["".join(f"<w:r><w:t>{escape(run)}</w:t></w:r>" for run in split(text)) for text in each]
    body = "".join(f'<w:p w:rsidR="{SECRETS[0]}">{run}</w:p>' for run in runs)
    return packed(
        {
            "_rels/.rels": f'<R xmlns="{rel}"><Relationship Type="{kind}" Target="word/document.xml"/></R>'.encode(),
            "word/document.xml": f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>'.encode(),
            "docProps/core.xml": SECRETS[1].encode(),
        }
    )


def html(each: Sequence[str]) -> bytes:
    pieces = [
        f'<p class="{SECRETS[0]}">{"<b>".join(map(escape, split(text)))}</b></b></p>'
        for text in each
    ]
    return f"<title>{escape(each[0])}</title><!-- {SECRETS[1]} -->{''.join(pieces)}".encode()


def rtf(each: Sequence[str]) -> bytes:
    def character(one: str) -> str:
        if one in "\\{}":
            return "\\" + one
        units = one.encode("utf-16-le")
        numbers = [int.from_bytes(units[i : i + 2], "little") for i in range(0, len(units), 2)]
        return one if one.isascii() else "".join(f"\\u{number}?" for number in numbers)

    body = "\\par ".join(
        "".join("{\\b " + "".join(map(character, run)) + "}" for run in split(text))
        for text in each
    )
    return f"{{\\rtf1{{\\info{{\\author {SECRETS[0]}}}}}{body}}}".encode("latin-1")


def table(each: Sequence[str]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(
        [["id", "note"], *([str(number), text] for number, text in enumerate(each))]
    )
    return out.getvalue().encode()


def resource(each: Sequence[str]) -> bytes:
    notes = [{"authorString": text, "text": text} for text in each]
    div = f'<div xmlns="http://www.w3.org/1999/xhtml">{escape(each[0])}</div>'
    data = base64.b64encode("\n".join(each).encode()).decode()
    return json.dumps(
        {
            "resourceType": "Observation",
            "text": {"div": div},
            "note": notes,
            "content": {"contentType": "text/plain", "data": data},
        }
    ).encode()


MADE = {
    "plain text": lambda each: "\n".join(each).encode(),
    "Markdown": lambda each: "\n".join(each).encode(),
    "HTML": html,
    "RTF": rtf,
    "DOCX": docx,
    "CSV": table,
    "JSON lines": lambda each: "\n".join(json.dumps({"a": [text]}) for text in each).encode(),
    "FHIR": resource,
}


@pytest.mark.parametrize("name", sorted(MADE))
@QUICK
@given(each=lines)
def test_with_nothing_replaced_the_texts_are_the_same_again(name, each):
    opened = BY_NAME[name].open(MADE[name](each), FileReading())
    nothing = [ReplacedDocument(text=text, replacements=()) for text in texts_of(opened)]
    written = opened.written(nothing)
    again = BY_NAME[name].open(written, FileReading())
    assert texts_of(again) == texts_of(opened)
    assert again.written(nothing) == written


@pytest.mark.parametrize("name", sorted(set(MADE) - {"HTML", "FHIR", "Markdown"}))
@QUICK
@given(each=lines)
def test_what_is_written_is_what_was_put_and_nothing_outside_it_changes(name, each):
    opened = BY_NAME[name].open(MADE[name](each), FileReading())
    replaced = put(texts_of(opened))
    again = BY_NAME[name].open(opened.written(replaced), FileReading())
    assert [text.rstrip("\n") for text in texts_of(again)] == [
        each.text.rstrip("\n") for each in replaced if each.text
    ]


@pytest.mark.parametrize("name", ["HTML", "FHIR"])
@QUICK
@given(each=lines)
def test_markup_keeps_the_words_and_what_was_put(name, each):
    opened = BY_NAME[name].open(MADE[name](each), FileReading())
    replaced = put(texts_of(opened))
    again = BY_NAME[name].open(opened.written(replaced), FileReading())
    assert [text.split() for text in texts_of(again)] == [each.text.split() for each in replaced]


@pytest.mark.parametrize("name", sorted(MADE))
@QUICK
@given(each=lines)
def test_what_was_replaced_is_nowhere_in_the_file(name, each):
    opened = BY_NAME[name].open(MADE[name](each), FileReading())
    written = opened.written(put(texts_of(opened)))
    shown = everything(written)
    assert not [number for number, secret in enumerate(SECRETS) if secret in shown]


@pytest.mark.parametrize("name", sorted(BY_NAME))
@QUICK
@given(content=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(name, content):
    beginning = {"PDF": b"%PDF-1.4\n", "RTF": b"{\\rtf1 ", "DOCX": b"PK\x03\x04"}.get(name, b"")
    try:
        opened = BY_NAME[name].open(beginning + content, FileReading())
    except SourceError:
        return
    opened.written([ReplacedDocument(text=text, replacements=()) for text in texts_of(opened)])
