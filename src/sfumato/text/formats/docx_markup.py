"""The parts of WordprocessingML that a written document may have: a list of elements, attributes
and values.

Everything else is dropped: names of people hide in styles, bookmarks, tags, authors, revision
numbers and in whatever some other program adds. Values are numbers, colours and words of the
standard; styles are known by new numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from xml.etree.ElementTree import Element

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
NAMESPACES = f'xmlns:w="{W}" xmlns:r="{R}"'
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

PROPERTIES = frozenset(
    "pPr rPr tblPr trPr tcPr sectPr tblGrid gridCol jc ind spacing keepNext keepLines "
    "pageBreakBefore widowControl "
    "numPr ilvl numId outlineLvl tabs tab contextualSpacing bidi pBdr top left bottom "
    "right between start end insideH "
    "insideV shd b bCs i iCs caps smallCaps strike dstrike vertAlign sz szCs u color "
    "highlight rtl cs kern position "
    "tblW tblBorders tblLayout tblInd tblCellMar tblLook tblHeader cantSplit trHeight "
    "gridBefore gridAfter tcW "
    "gridSpan vMerge tcBorders tcMar vAlign noWrap textDirection pgSz pgMar cols col type "
    "titlePg pgNumType docGrid "
    "docDefaults rPrDefault pPrDefault uiPriority qFormat semiHidden unhideWhenUsed rFonts "
    "multiLevelType lvl numFmt lvlJc suff isLgl num abstractNum abstractNumId lvlOverride "
    "startOverride".split()
)
STYLED = frozenset({"pStyle", "rStyle", "tblStyle", "basedOn", "next", "link"})
_WORDS = frozenset(
    "left right center both start end distribute single double triple thick dotted dashed "
    "dotDash dotDotDash wave "
    "words none nil auto exact atLeast on off true false nextPage continuous evenPage "
    "oddPage nextColumn dxa pct fixed "
    "autofit restart continue superscript subscript baseline landscape portrait clear "
    "solid bar decimal num upperRoman "
    "lowerRoman upperLetter lowerLetter bullet ordinal cardinalText ordinalText "
    "hybridMultilevel multilevel "
    "singleLevel space nothing top bottom first even default yellow green cyan magenta "
    "blue red darkBlue "
    "darkCyan darkGreen darkMagenta darkRed darkYellow darkGray lightGray black white "
    "lines linesAndChars "
    "lrTb tbRl btLr paragraph character table numbering separator continuationSeparator "
    "hyphen underscore "
    "middleDot heavy page line decimalZero inset outset threeDEmboss threeDEngrave".split()
)
_VALUE = re.compile(
    r"-?[0-9]{1,9}(?:\.[0-9]{1,4})?(?:%|pt|in|cm|mm)?|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{4}"
)
_FONTS = frozenset(
    "arial,arial narrow,calibri,calibri light,cambria,cambria math,candara,century,comic "
    "sans ms,consolas,constantia,"
    "corbel,courier new,georgia,garamond,helvetica,liberation sans,liberation serif,lucida "
    "console,ms gothic,ms mincho,"
    "palatino linotype,segoe ui,simsun,symbol,tahoma,times new roman,times,trebuchet "
    "ms,verdana,wingdings,"
    "wingdings 2,wingdings 3,dejavu sans,dejavu serif,noto sans,noto serif,aptos,book antiqua".split(
        ","
    )
)
_STYLE_NAMES = re.compile(
    r"Normal|heading [1-9]|Title|Subtitle|List(?: (?:Paragraph|Bullet|Number|Continue)(?: "
    r"[2-5])?)?|Body Text|"
    r"Body Text [23]|header|footer|(?:footnote|endnote|annotation) "
    r"(?:text|reference)|annotation subject|"
    r"Table Grid|Normal Table|No List|Default Paragraph "
    r"Font|Hyperlink|FollowedHyperlink|Strong|Emphasis|"
    r"Intense Emphasis|(?:Intense )?Quote|caption|toc [1-9]|TOC Heading|No Spacing|Balloon "
    r"Text|page number|"
    r"Plain Text|Normal \(Web\)|Salutation|Date|Signature|Closing|Light Shading|Light "
    r"List|Light Grid|Table Normal",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Styles:
    """The new number of each style, by its old id."""

    numbers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, root: Element | None) -> Styles:
        found = [] if root is None else [each for each in root if local(each) == "style"]
        ids = [attribute(style, "styleId") for style in found]
        return cls(
            {given: f"S{number}" for number, given in enumerate(dict.fromkeys(ids), start=1)}
        )

    def written(self, root: Element) -> str:
        """The style sheet with numbers for ids; a name that is not Word's own becomes a number
        too."""
        out = [HEAD, f"<w:styles {NAMESPACES}>"]
        for element in root:
            if local(element) == "docDefaults":
                out.append(filtered(element, self))
            elif local(element) == "style":
                out.append(self._style(element))
        return "".join((*out, "</w:styles>"))

    def _style(self, style: Element) -> str:
        number = self.numbers[attribute(style, "styleId")]
        name = next((attribute(each, "val") for each in style if local(each) == "name"), "")
        shown = name if _STYLE_NAMES.fullmatch(name) else f"Style {number[1:]}"
        inner = "".join(
            filtered(each, self) for each in style if local(each) not in ("name", "aliases")
        )
        default = ' w:default="1"' if attribute(style, "default") in ("1", "true", "on") else ""
        kind = attribute(style, "type") if attribute(style, "type") in _WORDS else "paragraph"
        start = (
            f'<w:style w:type="{kind}"{default} w:styleId="{number}"><w:name '
            f'w:val="{escape(shown)}"/>'
        )
        return f"{start}{inner}</w:style>"


def local(element: Element) -> str:
    """The name of an element of WordprocessingML; of another's, its name after a colon."""
    space, _, name = str(element.tag).rpartition("}")
    return name if space[1:] in (W, _STRICT) else f":{name}"


def attribute(element: Element, name: str) -> str:
    return element.get(f"{{{W}}}{name}") or element.get(f"{{{_STRICT}}}{name}") or ""


def filtered(element: Element, styles: Styles) -> str:
    """A property with what is listed of it; nothing where it is not."""
    name = local(element)
    if name in STYLED:
        number = styles.numbers.get(attribute(element, "val"), "")
        return f'<w:{name} w:val="{number}"/>' if number else ""
    if name == "lvlText":
        return _level_text(attribute(element, "val"))
    if name not in PROPERTIES:
        return ""
    inner = "".join(filtered(each, styles) for each in element)
    given = "".join(
        f' w:{key}="{escape(value)}"'
        for key, value in _attributes(element, is_font=name == "rFonts")
    )
    if name == "rFonts" and not given:
        return ""
    return f"<w:{name}{given}>{inner}</w:{name}>" if inner else f"<w:{name}{given}/>"


def _attributes(element: Element, *, is_font: bool) -> Iterator[tuple[str, str]]:
    for key, value in element.attrib.items():
        space, _, name = key.rpartition("}")
        if (
            space[1:] not in (W, _STRICT)
            or name.startswith("rsid")
            or not re.fullmatch("[A-Za-z]{1,24}", name)
        ):
            continue
        if (value.lower() in _FONTS) if is_font else (value in _WORDS or _VALUE.fullmatch(value)):
            yield name, value


def _level_text(text: str) -> str:
    """How a list counts: numbers, signs and one letter at most."""
    kept = text if re.fullmatch(r"(?:[^\w]|_|%[1-9]){0,20}|[A-Za-z]", text) else "%1."
    return f'<w:lvlText w:val="{escape(kept)}"/>'
