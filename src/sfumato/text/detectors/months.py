"""The words of dates in many languages: months, weekdays, holidays, seasons."""

from __future__ import annotations

import re

_FULL = """
january february march april may june july august september october november december
januar februar märz april mai juni juli august september oktober november dezember
jänner feber - - - - - - - - - -
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
janvier fevrier - - - - - aout - - - decembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
- - - - - - - - setiembre - - -
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
januar februar marts april maj juni juli august september oktober november december
tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
ledna února března dubna května června července srpna září října listopadu prosince
január február március április május június július augusztus szeptember október november december
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
בינואר בפברואר במרץ באפריל במאי ביוני ביולי באוגוסט בספטמבר באוקטובר בנובמבר בדצמבר
"""
_SHORT = """
jan feb mar apr may jun jul aug sep oct nov dec
- - - - - - - - sept okt - dez
janv févr mrz avr - juin juil août - - - déc
ene fév - abr mai - - ago set out - dic
gen fev - - mag giu lug - - ott - -
- - mrt maj - - - - - - - des
"""


def _numbered(table: str) -> dict[str, int]:
    out: dict[str, int] = {}
    for line in table.strip().splitlines():
        for number, word in enumerate(line.split(), start=1):
            if word != "-":
                out.setdefault(word, number)
    for word, number in tuple(out.items()):
        if word.endswith("kuu"):  # Finnish counts days of a month in the partitive.
            out[word + "ta"] = number
    return out


_FULL_MONTHS = _numbered(_FULL)
SHORT_MONTHS = {
    word: number for word, number in _numbered(_SHORT).items() if word not in _FULL_MONTHS
}
MONTHS = _FULL_MONTHS | SHORT_MONTHS
"""Every word for a month in small letters, with its number."""

DOUBTFUL = frozenset(
    "may march mar dec mars set out ago gen mag giu lug abr ene mai maja maj mart ekim "
    "ocak sep jan nov des août mei "
    "mayo aug luty marca marta".split()
)
"""Those that are also other words or names: they need a capital letter, and a day or a year beside
them."""
OTHER_WORDS = frozenset("set out ago gen mag lug des mar".split())
"""Those that need both a day and a year."""

WEEKDAYS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur "
    "thurs fri sat sun montag "
    "dienstag mittwoch donnerstag freitag samstag sonnabend sonntag lundi mardi mercredi "
    "jeudi vendredi samedi "
    "dimanche lunes martes miércoles jueves viernes sábado domingo lunedì martedì "
    "mercoledì giovedì venerdì sabato "
    "domenica segunda-feira terça-feira quarta-feira quinta-feira sexta-feira maandag "
    "dinsdag woensdag donderdag "
    "vrijdag zaterdag zondag måndag tisdag onsdag torsdag fredag lördag söndag mandag "
    "tirsdag lørdag søndag "
    "poniedziałek wtorek środa czwartek piątek sobota niedziela".split()
)
FULL_WEEKDAYS = WEEKDAYS - frozenset("mon tue tues wed thu thur thurs fri sat sun".split())

SEASONS = frozenset(
    "spring summer autumn fall winter frühling frühjahr sommer herbst printemps été "
    "automne hiver primavera verano "
    "otoño invierno estate autunno inverno verão outono lente zomer herfst vår høst höst".split()
)
HOLIDAYS = frozenset(
    "christmas easter thanksgiving halloween hanukkah chanukah ramadan eid passover diwali "
    "kwanzaa pentecost whitsun "
    "juneteenth weihnachten ostern pfingsten noël pâques navidad natale pasqua natal "
    "páscoa kerst kerstmis pasen jul "
    "påsk midsummer yule lent epiphany purim pesach".split()
)
DAYS_OF_NOTE = (
    "new year",
    "new year's",
    "new year’s",
    "valentine's",
    "valentine’s",
    "mother's",
    "mother’s",
    "father's",
    "father’s",
    "independence",
    "memorial",
    "labor",
    "labour",
    "veterans",
    "presidents",
    "columbus",
    "boxing",
    "bastille",
    "canada",
    "australia",
    "st patrick's",
    "mlk",
    "good friday",
    "armistice",
    "victory",
)
"""Words before "Day" or "Eve"."""

VAGUE_BEFORE = re.compile(
    r"(?<!\w)(?:early|late|mid|(?:the )?(?:beginning|end|middle|start|course) of(?: "
    r"the)?|mid to late|anfang|mitte"
    r"|ende|début|"
    r"fin|fines de|principios de)[- ]\Z",
    re.IGNORECASE,
)
"""Words for a part of a month or a year, before it."""
VAGUE_LENGTH = 24
