"""DOCX: every story is read, and of the package only what a list allows is written."""

from __future__ import annotations

import io
import zipfile

import pytest

from sfumato.errors import SourceError
from sfumato.text.formats import FileReading
from sfumato.text.formats.docx import Docx
from sfumato.text.formats.packages import MOST_BYTES, packed

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
SPACES = (
    f'xmlns:w="{W}" xmlns:r="{R}" xmlns:mc="{MC}" xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:wp="urn:x"'
)

BODY = """
<w:p w:rsidR="00ANN"><w:pPr><w:pStyle w:val="AnnStyle"/><w:jc w:val="center"/></w:pPr>
  <w:bookmarkStart w:id="1" w:name="Ann"/><w:r><w:t>Dear A</w:t></w:r><w:r><w:rPr><w:b/><w:rFonts w:ascii="AnnFont"/>
  </w:rPr><w:t>n</w:t></w:r><w:r><w:t xml:space="preserve">n Lee</w:t></w:r><w:r><w:tab/><w:t>&amp; Co</w:t></w:r></w:p>
<w:p><w:ins w:author="Ann" w:date="2020-01-01"><w:r><w:t>put in</w:t></w:r></w:ins>
  <w:del w:author="Ann"><w:r><w:delText>Ann out</w:delText></w:r></w:del>
  <w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden Ann</w:t></w:r></w:p>
<w:p><w:hyperlink r:id="rId9" w:tooltip="Ann"><w:r><w:t>link</w:t></w:r></w:hyperlink>
  <w:r><w:fldChar w:fldCharType="begin"/><w:instrText>MAILTO ann@lee.org</w:instrText>
  <w:fldChar w:fldCharType="end"/></w:r>
  <w:sdt><w:sdtPr><w:alias w:val="Ann"/></w:sdtPr><w:sdtContent><w:r><w:t> box</w:t></w:r></w:sdtContent></w:sdt>
  <w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:commentReference w:id="0"/></w:r></w:p>
<w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing><wp:docPr name="Ann" descr="Ann at home"/>
  <w:txbxContent><w:p><w:r><w:t>In a frame: Ann</w:t></w:r></w:p></w:txbxContent></w:drawing></mc:Choice>
  <mc:Fallback><w:pict><v:textbox><w:txbxContent><w:p><w:r><w:t>In a frame: Ann</w:t></w:r></w:p></w:txbxContent>
  </v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>after</w:t></w:r></w:p>
<w:tbl><w:tblPr><w:tblCaption w:val="Ann"/></w:tblPr><w:tr><w:tc><w:p><w:r><w:t>Name</w:t></w:r></w:p></w:tc>
  <w:tc><w:p><w:r><w:t>An</w:t></w:r><w:r><w:t>n</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
<w:sectPr><w:headerReference w:type="default" r:id="rId3"/></w:sectPr>"""


def story(tag: str, inner: str) -> bytes:
    return f"<w:{tag} {SPACES}>{inner}</w:{tag}>".encode()


def relations(*each: tuple[str, str, str]) -> bytes:
    inner = "".join(
        f'<Relationship Id="{i}" Type="{R}/{kind}" Target="{target}"/>' for i, kind, target in each
    )
    return (
        "<Relationships "
        f'xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{inner}</Relationships>'.encode()
    )


def files(body: str = BODY) -> dict[str, bytes]:
    paragraph = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
    return {
        "_rels/.rels": relations(("rId1", "officeDocument", "word/document.xml")),
        "word/_rels/document.xml.rels": relations(
            ("rId3", "header", "header7.xml"),
            ("rId4", "styles", "styles.xml"),
            ("rId5", "footnotes", "footnotes.xml"),
            ("rId6", "comments", "comments.xml"),
            ("rId7", "numbering", "numbering.xml"),
        ),
        "word/document.xml": story("document", f"<w:body>{body}</w:body>"),
        "word/header7.xml": story(
            "hdr", f"<w:sdt><w:sdtContent>{paragraph.format('Head Ann')}</w:sdtContent></w:sdt>"
        ),
        "word/footnotes.xml": story(
            "footnotes", f'<w:footnote w:id="2">{paragraph.format("Foot Ann")}</w:footnote>'
        ),
        "word/comments.xml": story(
            "comments",
            f'<w:comment w:id="0" w:author="Ann Lee" w:initials="AL" w:date="2020-01-01">'
            f"{paragraph.format('Remark Ann')}</w:comment>",
        ),
        "word/styles.xml": story(
            "styles",
            '<w:style w:type="paragraph" w:customStyle="1" w:styleId="AnnStyle"><w:name '
            'w:val="Ann style"/></w:style>'
            '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/>'
            '<w:basedOn w:val="AnnStyle"/></w:style>',
        ),
        "word/numbering.xml": story(
            "numbering",
            '<w:abstractNum w:abstractNumId="0"><w:name w:val="Ann"/><w:lvl '
            'w:ilvl="0"><w:numFmt w:val="decimal"/>'
            '<w:lvlText w:val="Ann %1"/></w:lvl></w:abstractNum>'
            '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
        ),
        "word/media/image1.png": b"Ann",
        "word/vbaProject.bin": b"Ann",
        "word/embeddings/ole.bin": b"Ann",
        "word/people.xml": b"<Ann/>",
        "customXml/item1.xml": b"<Ann/>",
        "docProps/core.xml": b"<creator>Ann Lee</creator>",
        "docProps/thumbnail.jpeg": b"Ann",
    }


def everything(content: bytes) -> bytes:
    """All files of a package, unpacked, and their names."""
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        return b"\n".join(
            part for name in package.namelist() for part in (name.encode(), package.read(name))
        )


@pytest.fixture
def opened():
    return Docx().open(packed(files()), FileReading())


def test_every_story_is_a_part(opened):
    assert {part.place: part.text for part in opened.parts} == {
        "text": "Dear Ann Lee\t& Co\nput in\nlink box\nafter\nIn a frame: Ann\nName\tAnn\n",
        "header 1": "Head Ann\n",
        "footnote 1": "Foot Ann\n",
        "comment 1": "Remark Ann\n",
    }


def test_a_name_over_several_runs_and_nothing_else_of_it_stays(opened, write):
    written = everything(write(opened, {"Ann Lee": "Eve Day", "Ann": "Eve"}))
    assert (
        b'Dear Eve Day</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve"></w:t>'
        in written
    )
    for gone in (
        b"Ann",
        b"ann",
        b"Lee",
        b"hidden",
        b"2020",
        b"rsid",
        b"MAILTO",
        b"thumbnail",
        b"vba",
    ):
        assert gone not in written


def test_what_is_left_out_is_told(opened):
    told = " ".join(opened.left_out)
    for what in (
        "1 macro file",
        "1 embedded file",
        "2 pictures in the package",
        "1 file of document properties",
        "1 file of custom XML",
        "1 file about those who commented",
        "1 piece of deleted text",
        "1 piece of hidden text",
        "1 author of a comment",
        "1 author of a change",
        "1 bookmark",
        "1 link's target",
        "1 field code",
        "1 frame of a text box",
    ):
        assert what in told
    assert "Ann" not in told


def test_what_stays(opened, write):
    written = everything(write(opened)).decode()
    assert '<w:pStyle w:val="S1"/><w:jc w:val="center"/>' in written
    assert '<w:name w:val="Style 1"/>' in written
    assert '<w:name w:val="heading 1"/><w:basedOn w:val="S1"/>' in written
    assert '<w:lvlText w:val="%1."/>' in written
    assert '<w:headerReference w:type="default" r:id="rId11"/>' in written
    assert '<w:footnoteReference w:id="2"/>' in written


def test_the_same_bytes_every_time_and_the_same_texts_again(opened, write):
    assert write(opened) == write(Docx().open(packed(files()), FileReading()))
    again = Docx().open(write(opened), FileReading())
    assert [part.text for part in again.parts] == [part.text for part in opened.parts]
    assert write(again) == write(opened)


def test_word_readers_read_it(write):
    docx = pytest.importorskip("docx")
    made = docx.Document()
    made.core_properties.author = "Ann Lee"
    made.add_heading("Letter", 1)
    paragraph = made.add_paragraph("Dear A")
    paragraph.add_run("nn").bold = True
    made.add_paragraph("item", style="List Bullet")
    table = made.add_table(1, 2)
    table.style = "Table Grid"
    table.cell(0, 1).text = "Ann"
    made.sections[0].footer.paragraphs[0].text = "Foot Ann"
    out = io.BytesIO()
    made.save(out)
    written = write(Docx().open(out.getvalue(), FileReading()), {"Ann": "Eve"})
    read = docx.Document(io.BytesIO(written))
    assert [(each.text, each.style.name) for each in read.paragraphs] == [
        ("Letter", "Heading 1"),
        ("Dear Eve", "Normal"),
        ("item", "List Bullet"),
    ]
    assert read.tables[0].cell(0, 1).text == "Eve"
    assert read.tables[0].style.name == "Table Grid"
    assert read.sections[0].footer.paragraphs[0].text == "Foot Eve"
    assert read.core_properties.author != "Ann Lee"


def broken(name: str, content: bytes) -> bytes:
    return packed({**files(), name: content})


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04 Ann",
        packed({"a.txt": b"Ann"}),
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 Ann",
        packed(files())[:-200],
        broken("word/document.xml", b"<w:document>Ann"),
        broken("word/document.xml", b'<!DOCTYPE x [<!ENTITY a "Ann">]><x>&a;</x>'),
        broken(
            "word/document.xml",
            f'<w:document xmlns:w="{W}">{"<w:p>" * 300}{"</w:p>" * 300}</w:document>'.encode(),
        ),
        broken("word/document.xml", f'<w:styles xmlns:w="{W}"/>'.encode()),
    ],
)
def test_what_is_no_sound_package_is_refused_without_a_word_of_it(content):
    with pytest.raises(SourceError) as refused:
        Docx().open(content, FileReading())
    assert "Ann" not in str(refused.value)


def test_a_bomb_is_not_unpacked(monkeypatch):
    monkeypatch.setattr("sfumato.text.formats.packages.MOST_BYTES", 100_000)
    with pytest.raises(SourceError, match="unpacks to more"):
        Docx().open(packed(files("<w:p/>" * 50_000)), FileReading())
    assert MOST_BYTES > 100_000


def test_an_empty_document(write):
    file = Docx().open(packed(files("")), FileReading())
    assert "text" not in {part.place for part in file.parts}
    assert Docx().open(write(file), FileReading()).parts
