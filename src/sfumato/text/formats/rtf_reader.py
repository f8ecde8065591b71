"""Reading RTF: control words, groups and bytes in, texts out.

Characters are written as bytes in the code page of their font, as \\'xx and as \\uN with a stand-in
for old readers. The content of a destination that is no text (fonts, styles, pictures, properties,
the field's code) is skipped. Destinations that could have held data are counted. Deleted and hidden
text is not read: nobody sees it, and its author often meant to remove it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace

from sfumato.errors import SourceError

from .part_assembly import Weave

_TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z]{1,32})(?P<number>-?[0-9]{1,10})?[ "
    r"]?|\\'(?P<hex>[0-9A-Fa-f]{2})|\\(?P<sign>[^A-Za-z])"
    r"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)",
    re.DOTALL,
)
_CODE_PAGES = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "cp950", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
_SIGNS = {
    "par": "\n", "line": "\n", "sect": "\n", "page": "\n", "column": "\n", "row": "\n", "nestrow": "\n", "tab": "\t",
    "cell": "\t", "nestcell": "\t", "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’",
    "ldblquote": "“", "rdblquote": "”", "emspace": "\u2003", "enspace": "\u2002", "zwj": "\u200d", "zwnj": "\u200c",
}  # fmt: skip
_SKIPPED = {
    "pict": "picture", "object": "embedded object", "info": "set of document properties",
    "userprops": "custom property",
    "fldinst": "field code or link target", "revtbl": "table of authors", "atnauthor": "comment's author",
    "bkmkstart": "bookmark", "docvar": "document variable", "datastore": "custom XML", "mailmerge": "mail merge",
    "filetbl": "table of files", "template": "template name", "protusertbl": "table of users",
}  # fmt: skip
_SILENT = frozenset(
    "fonttbl colortbl stylesheet listtable listoverridetable rsidtbl themedata "
    "colorschememapping latentstyles "
    "xmlnstbl generator atnid atntime atndate atnref atnparent atnicn bkmkend nonshppict "
    "private sn sv falt panose "
    "operator passwordhash pgptbl defchp defpap wgrffmtfilter blipuid factoidname fontemb "
    "fontfile ud xe tc tcn "
    "txfieldtext ffname ffdeftext ffformat ffhelptext ffstattext ffentrymcr ffexitmcr "
    "title author".split()
)
_PARTS = {
    "header": "header", "headerl": "header", "headerr": "header", "headerf": "header", "footer": "footer",
    "footerl": "footer", "footerr": "footer", "footerf": "footer", "footnote": "footnote", "annotation": "comment",
}  # fmt: skip
_TRANSPARENT = frozenset(
    {"shpinst", "shptxt", "shppict", "upr", "listtext", "pntext", "nesttableprops"}
)


@dataclass(frozen=True, slots=True)
class _State:
    """The state that holds inside a group."""

    part: int = 0
    is_skipped: bool = False
    is_hidden: bool = False
    is_deleted: bool = False
    is_fonts: bool = False
    skip: int = 1
    page: str = "cp1252"


@dataclass(slots=True)
class RtfTexts:
    """The texts: `kinds` and `weaves` by part, the body first; `order` is the place of footnotes
    and comments in it."""

    kinds: list[str] = field(default_factory=lambda: ["text"])
    weaves: list[Weave] = field(default_factory=lambda: [Weave()], repr=False)
    order: list[tuple[int, int]] = field(default_factory=list)
    gone: Counter[str] = field(default_factory=Counter)


def read_rtf(content: bytes) -> RtfTexts:
    """All texts of an RTF file.

    Example:
        >>> texts = read_rtf(rb"{\\rtf1\\ansi Dear {\\b A}nn\\par Gr\\'fc\\'dfe{\\footnote B\\u246?b}}")
        >>> texts.kinds, [weave.text for weave in texts.weaves]
        (['text', 'footnote'], ['Dear Ann\\nGrüße', 'Böb'])
    """
    if not content.lstrip(b"\x00 \t\r\n\xef\xbb\xbf").startswith(b"{\\rtf"):
        raise SourceError(
            "This file is not RTF.",
            found="It does not begin as RTF does.",
            attempt="the right suffix.",
        )
    reader = _Reader(content.decode("latin-1"))
    reader.read()
    return reader.texts


class _Reader:
    """Walks over the tokens with a stack of groups."""

    def __init__(self, source: str) -> None:
        self.texts = RtfTexts()
        self._source = source
        self._stack: list[_State] = []
        self._state = _State()
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._default_page = "cp1252"
        self._bytes = bytearray()
        self._fallback = 0  # Stand-in characters after \uN that are still to be skipped.
        self._is_starred = False
        self._at_start = False
        self._high = ""

    def read(self) -> None:
        at = 0
        while found := _TOKEN.search(self._source, at):
            at = found.end()
            if found["brace"]:
                self._brace(found["brace"])
            elif found["word"]:
                number = int(found["number"]) if found["number"] else None
                if found["word"] == "bin" and number is not None:
                    at += max(0, number)
                else:
                    self._word(found["word"], number)
            elif found["hex"]:
                self._raw(bytes.fromhex(found["hex"]))
            elif found["text"]:
                self._raw(found["text"].encode("latin-1"))
            else:
                self._sign(found["sign"])
            if not found["brace"] and found["sign"] != "*":
                self._at_start = False
            if found["brace"] == "}" and not self._stack:
                break
        self._flush()

    def _brace(self, brace: str) -> None:
        self._flush()
        self._fallback = 0
        if brace == "{":
            self._stack.append(self._state)
            self._at_start, self._is_starred = True, False
        elif self._stack:
            self._state = self._stack.pop()

    def _sign(self, sign: str) -> None:
        if sign == "*":
            self._is_starred = self._at_start
        elif sign in "\\{}":
            self._raw(sign.encode())
        elif sign in "~_\r\n":
            self._put({"~": "\xa0", "_": "\u2011"}.get(sign, "\n"))

    def _word(self, word: str, number: int | None) -> None:
        if self._at_start and self._destination(word):
            return
        if word == "u" and number is not None:
            self._unicode(number % 65536)
        elif word in _SIGNS:
            if self._fallback:
                self._fallback -= 1
            else:
                self._put(_SIGNS[word])
        elif word in (
            "uc",
            "f",
            "ansicpg",
            "fcharset",
            "deff",
            "v",
            "deleted",
            "plain",
            "mac",
            "pc",
        ):
            self._flush()
            self._setting(word, number)

    def _setting(self, word: str, number: int | None) -> None:
        is_on = number != 0
        if word == "uc":
            self._state = replace(self._state, skip=max(0, number or 0))
        elif word == "f" and number is not None:
            self._font = number
            self._state = replace(self._state, page=self._fonts.get(number, self._default_page))
        elif word == "fcharset" and self._state.is_fonts and number in _CODE_PAGES and number:
            self._fonts[self._font] = _CODE_PAGES[number]
        elif word in ("ansicpg", "mac", "pc"):
            self._default_page = _page(
                f"cp{number}" if word == "ansicpg" else {"mac": "mac_roman", "pc": "cp437"}[word]
            )
            self._state = replace(self._state, page=self._default_page)
        elif word == "v":
            self._state = replace(self._state, is_hidden=is_on)
        elif word == "deleted":
            self._state = replace(self._state, is_deleted=is_on)
        elif word == "plain":
            self._state = replace(
                self._state, is_hidden=False, is_deleted=False, page=self._default_page
            )

    def _destination(self, word: str) -> bool:
        """Whether the word begins a destination; then the content of the group is part of another
        text, or of none."""
        if self._state.is_skipped:
            self._state = replace(self._state, is_fonts=self._state.is_fonts or word == "fonttbl")
            return False
        if word in _PARTS:
            self._flush()
            self._begin(_PARTS[word])
            return True
        if word in _TRANSPARENT:
            return True
        if word in _SKIPPED or word in _SILENT or self._is_starred:
            if word in _SKIPPED:
                self.texts.gone[_SKIPPED[word]] += 1
            self._state = replace(self._state, is_skipped=True, is_fonts=word == "fonttbl")
            return True
        return False

    def _begin(self, kind: str) -> None:
        self.texts.kinds.append(kind)
        self.texts.weaves.append(Weave())
        part = len(self.texts.kinds) - 1
        if self._state.part == 0:
            self.texts.order.append((0, len(self.texts.weaves[0].spans)))
        self._state = replace(self._state, part=part, is_hidden=False, is_deleted=False)
        self.texts.order.append((part, 0))

    def _raw(self, content: bytes) -> None:
        if self._fallback:
            skipped = min(self._fallback, len(content))
            self._fallback -= skipped
            content = content[skipped:]
        self._bytes += content

    def _unicode(self, number: int) -> None:
        self._flush()
        self._fallback = self._state.skip
        character = chr(number)
        if 0xD800 <= number < 0xDC00:
            self._high = character
            return
        if 0xDC00 <= number < 0xE000:
            character = (
                (self._high + character)
                .encode("utf-16", "surrogatepass")
                .decode("utf-16", "replace")
            )
        self._high = ""
        self._put(character)

    def _flush(self) -> None:
        if self._bytes:
            content, self._bytes = bytes(self._bytes), bytearray()
            self._put(content.decode(self._state.page, "replace"))

    def _put(self, text: str) -> None:
        if self._bytes:
            self._flush()
        state = self._state
        if state.is_skipped:
            return
        if state.is_hidden or state.is_deleted:
            self.texts.gone["piece of hidden or deleted text"] += bool(text.strip())
            return
        if clean := re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text):
            self.texts.weaves[state.part].add(clean)


def _page(name: str) -> str:
    try:
        "".encode(name)
    except LookupError:
        return "utf-8" if name == "cp65001" else "cp1252"
    return name
