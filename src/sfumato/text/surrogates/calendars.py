"""Months and weekdays language by language, so that a shifted date is written in the words it was
found in."""

from __future__ import annotations

_MONTHS = """
january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec
jan feb mar apr may jun jul aug sept oct nov dec
januar februar märz april mai juni juli august september oktober november dezember
jän feb mrz apr mai jun jul aug sep okt nov dez
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
janv févr mars avr mai juin juil août sept oct nov déc
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
ene feb mar abr may jun jul ago sep oct nov dic
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
gen feb mar apr mag giu lug ago set ott nov dic
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
jan fev mar abr mai jun jul ago set out nov dez
januari februari maart april mei juni juli augustus september oktober november december
jan feb mrt apr mei jun jul aug sep okt nov dec
januari februari mars april maj juni juli augusti september oktober november december
januar februar marts april maj juni juli august september oktober november december
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
ledna února března dubna května června července srpna září října listopadu prosince
január február március április május június július augusztus szeptember október november december
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
"""
_WEEKDAYS = """
monday tuesday wednesday thursday friday saturday sunday
mon tue wed thu fri sat sun
mon tues wed thurs fri sat sun
montag dienstag mittwoch donnerstag freitag samstag sonntag
montag dienstag mittwoch donnerstag freitag sonnabend sonntag
lundi mardi mercredi jeudi vendredi samedi dimanche
lunes martes miércoles jueves viernes sábado domingo
lunedì martedì mercoledì giovedì venerdì sabato domenica
maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
måndag tisdag onsdag torsdag fredag lördag söndag
mandag tirsdag onsdag torsdag fredag lørdag søndag
poniedziałek wtorek środa czwartek piątek sobota niedziela
"""


def _rows(table: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(line.split()) for line in table.strip().splitlines())


def _first_places(rows: tuple[tuple[str, ...], ...]) -> dict[str, tuple[tuple[str, ...], int]]:
    out: dict[str, tuple[tuple[str, ...], int]] = {}
    for row in rows:
        for place, word in enumerate(row):
            out.setdefault(word, (row, place))
    return out


_BY_MONTH = _first_places(_rows(_MONTHS))
_BY_WEEKDAY = _first_places(_rows(_WEEKDAYS))
ENGLISH, _SHORT = _rows(_MONTHS)[:2]


def month_number(word: str) -> int | None:
    """From 1 to 12; None for a word that is no month.

    Example:
        >>> month_number("Février"), month_number("Sept"), month_number("the")
        (2, 9, None)
    """
    found = _BY_MONTH.get(word.lower())
    return None if found is None else found[1] + 1


def month_like(word: str, number: int, *, short: bool = False) -> str:
    """Another month in the language and capitals of a word for a month; "May" does not show whether
    it is short.

    Example:
        >>> month_like("MAI", 6), month_like("May", 6), month_like("May", 6, short=True)
        ('JUNI', 'June', 'Jun')
    """
    row = _SHORT if short and word.lower() in _SHORT else _BY_MONTH[word.lower()][0]
    return _capitals(word, row[number - 1])


def is_weekday(word: str) -> bool:
    return word.lower() in _BY_WEEKDAY


def weekday_like(word: str, number: int) -> str:
    """Another weekday, 0 for Monday, in the language and capitals of a word for one."""
    return _capitals(word, _BY_WEEKDAY[word.lower()][0][number])


def ordinal(day: int) -> str:
    """The English ending of a day's number.

    Example:
        >>> [ordinal(day) for day in (1, 2, 3, 11, 22)]
        ['st', 'nd', 'rd', 'th', 'nd']
    """
    return "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _capitals(word: str, other: str) -> str:
    if word.isupper():
        return other.upper()
    return other if word.islower() else other[:1].upper() + other[1:]
