"""User names: handles such as @dot_townsend, and what follows "user name:" or "logged in as"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .declaration import Basis, DetectorDeclaration
from .forms import bids_of, form

_NOT_NAMES = frozenset(
    "is was not has the a an for my your his her their this that it to and or in on you "
    "can may will required unknown "
    "none yes no name password http https".split()
)
_NUMBERED = frozenset(
    "room rm apt unit suite ste case bed ticket order item page no nr lot box ward ext mrn acct "
    "account chart id ref study protocol".split()
)
"""Words of numbered things: before a sign and a number they are no user."""
_NOBODYS = frozenset("public shared default all user users guest admin administrator root".split())
_LABEL_BEFORE = re.compile(
    r"(?<!\w)(?:user[ _-]?(?:name|id)s?|log[io]n(?:[ _-]?(?:name|id))?|screen[ "
    r"_-]?name|nick(?:name)?|handle"
    r"|account name|"
    r"skype|twitter|instagram|insta|facebook|telegram|snapchat|discord|tiktok|wechat|linkedin|github|xbox|psn|"
    r"benutzer(?:name|kennung)?|nom d['’]utilisateur|identifiant|(?:nombre de "
    r")?usuario|nome utente|utente|utilizador|"
    r"gebruikersnaam|användarnamn|brukernavn|brugernavn|käyttäjätunnus|nazwa "
    r"użytkownika)(?: (?:id|name|is"
    r"|handle)){0,2}"
    r"[\s\"'“‘]{0,3}\Z",
    re.IGNORECASE,
)


_LABELS = frozenset(
    "name names username usernames id ids userid login logon screenname nick nickname "
    "handle is skype twitter "
    "instagram insta facebook telegram snapchat discord tiktok wechat linkedin github xbox "
    "psn benutzer benutzername "
    "benutzerkennung utilisateur identifiant usuario utente utilizador gebruikersnaam "
    "användarnamn brukernavn "
    "brugernavn käyttäjätunnus użytkownika".split()
)


def _is_name(match: re.Match[str]) -> bool:
    return match.group("found").lower() not in _NOT_NAMES


def _is_somebodys(match: re.Match[str]) -> bool:
    return match.group("found").lower() not in _NOBODYS


def _is_made(match: re.Match[str]) -> bool:
    """Whether a sign or a digit within makes it a handle and no word: "insta wild.rose.84"."""
    return any(not each.isalpha() for each in match.group("found"))


def _is_no_place(match: re.Match[str]) -> bool:
    return match.group().partition("#")[0].lower() not in _NUMBERED


def _is_labelled(match: re.Match[str]) -> bool:
    """Whether a label is before it. The label's last word is looked up first, as most colons follow
    something else."""
    start = max(0, match.start() - 40)
    last = re.split(r"[\W_]", match.string[start : match.start()].rstrip(" \t\"'“‘").lower())[-1]
    if last not in _LABELS or not _is_name(match):
        return False
    return _LABEL_BEFORE.search(match.string, start, match.start()) is not None


_FORMS = (
    form(r"@(?<![\w.@/]@)[A-Za-z_](?:\w|[.-](?=\w)){1,29}(?![\w@])", 0.8, "a handle", needs="@"),
    form(
        r"[sSdDtTwWiI](?<!\w\w)(?i:nsta(?:gram)?|nap(?:chat)?|iscord|elegram|iktok|witter|kype|echat)"
        r" (?P<found>[A-Za-z][\w.-]{2,28}\w)(?![\w@])",
        0.8,
        "behind the name of a network",
        needs="nsta|nap|iscord|elegram|iktok|witter|kype|echat",
        check=_is_made,
    ),
    form(
        r"[:=]\s{0,3}[\"'“‘@]?(?P<found>[\w.@+-]{2,40}(?<![.,;:!?-]))",
        0.9,
        "what is labelled as a user name",
        check=_is_labelled,
    ),
    form(
        r"[Uu](?<!\w\w)ser(?:[ _-]?(?:name|id|ID))?(?: is| was)? [\"'“‘(]?"
        r"(?P<found>[A-Za-z][\w.@+-]{0,30}[\d_][\w.-]{0,10}(?<![.,-]))",
        0.75,
        "follows user and has a digit or an underscore",
        check=_is_name,
    ),
    form(
        r"[Uu](?<!\w\w)ser[ _-]?(?:name|id|ID)(?: is| was)? "
        r"[\"'“‘](?P<found>[\w.@+-]{2,40})[\"'”’]",
        0.9,
        "follows user name in quotation marks",
        check=_is_name,
    ),
    form(
        r"[Ll](?<!\w\w)og(?:s|ged)?[- ](?:in|on) (?:as|with|under) "
        r"[\"'“‘]?(?P<found>[\w.@+-]{3,40}(?<![.,;:-]))",
        0.75,
        "follows logged in as",
        needs="log|Log",
        check=_is_name,
    ),
    form(
        r"[Ll](?<!\w\w)og(?:ged)?[- ]?(?:in|on|out|off) from \S{4,40} by "
        r"[\"'“‘]?(?P<found>[\w.@+-]{3,40}(?<![.,;:-]))",
        0.8,
        "who logged in from an address",
        needs="log|Log",
        check=_is_name,
    ),
    form(
        r"[\\/](?<!\w[\\/])(?:[Uu]sers|home|Documents and "
        r"Settings)[\\/](?P<found>[\w.-]{2,40}(?<![.-]))(?=[\\/])",
        0.85,
        "somebody's folder",
        needs="sers|home|Documents and",
        check=_is_somebodys,
    ),
    form(
        r"[A-Za-z](?<![\w.]\w)[\w.]{1,31}#\d{4}(?!\w)",
        0.8,
        "a name with four digits, as Discord writes it",
        check=_is_no_place,
        needs="#",
    ),
    form(
        r"[u](?<![\w/]u)/(?P<found>[A-Za-z][\w-]{3,24})(?![\w/])",
        0.5,
        "a forum's way of naming a user",
        needs="u/",
    ),
)


class UserNames:
    """Handles, and names that the words before mark as those of a user."""

    name = "user names"

    def bid(self, document: Document) -> Iterable[Bid]:
        return bids_of(_FORMS, document, ReferenceKind.USER_NAME, self.name)


DECLARATION = DetectorDeclaration(
    key="user names",
    doc="user names and handles",
    kinds=(ReferenceKind.USER_NAME,),
    basis=Basis.FORM,
    make=UserNames,
    order=50,
    gives_way_below=0.6,
)
