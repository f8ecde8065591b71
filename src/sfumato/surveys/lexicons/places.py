"""States of the United States, countries by name and ISO 3166 code, and how streets are called."""

from __future__ import annotations

from .word_list import word_list

_STATES = """
AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|DC District of Columbia
|FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky|LA Louisiana|ME Maine
|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada
|NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma
|OR Oregon|PA Pennsylvania|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont
|VA Virginia|WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming|PR Puerto Rico|GU Guam|VI Virgin Islands
|AS American Samoa|MP Northern Mariana Islands|FM Micronesia|MH Marshall Islands|PW Palau
"""

_COUNTRIES = """
AF AFG Afghanistan|AL ALB Albania|DZ DZA Algeria|AD AND Andorra|AO AGO Angola|AR ARG Argentina|AM ARM Armenia
|AU AUS Australia|AT AUT Austria|AZ AZE Azerbaijan|BS BHS Bahamas|BH BHR Bahrain|BD BGD Bangladesh|BB BRB Barbados
|BY BLR Belarus|BE BEL Belgium|BZ BLZ Belize|BJ BEN Benin|BT BTN Bhutan|BO BOL Bolivia|BA BIH Bosnia and Herzegovina
|BW BWA Botswana|BR BRA Brazil|BN BRN Brunei|BG BGR Bulgaria|BF BFA Burkina Faso|BI BDI Burundi|KH KHM Cambodia
|CM CMR Cameroon|CA CAN Canada|CV CPV Cape Verde|CF CAF Central African Republic|TD TCD Chad|CL CHL Chile|CN CHN China
|CO COL Colombia|KM COM Comoros|CG COG Congo|CR CRI Costa Rica|HR HRV Croatia|CU CUB Cuba|CY CYP Cyprus
|CZ CZE Czech Republic|DK DNK Denmark|DJ DJI Djibouti|DM DMA Dominica|DO DOM Dominican Republic|EC ECU Ecuador
|EG EGY Egypt|SV SLV El Salvador|GQ GNQ Equatorial Guinea|ER ERI Eritrea|EE EST Estonia|ET ETH Ethiopia|FJ FJI Fiji
|FI FIN Finland|FR FRA France|GA GAB Gabon|GM GMB Gambia|GE GEO Georgia|DE DEU Germany|GH GHA Ghana|GR GRC Greece
|GT GTM Guatemala|GN GIN Guinea|GY GUY Guyana|HT HTI Haiti|HN HND Honduras|HK HKG Hong Kong|HU HUN Hungary
|IS ISL Iceland|IN IND India|ID IDN Indonesia|IR IRN Iran|IQ IRQ Iraq|IE IRL Ireland|IL ISR Israel|IT ITA Italy
|CI CIV Ivory Coast|JM JAM Jamaica|JP JPN Japan|JO JOR Jordan|KZ KAZ Kazakhstan|KE KEN Kenya|KW KWT Kuwait
|KG KGZ Kyrgyzstan|LA LAO Laos|LV LVA Latvia|LB LBN Lebanon|LS LSO Lesotho|LR LBR Liberia|LY LBY Libya
|LI LIE Liechtenstein|LT LTU Lithuania|LU LUX Luxembourg|MG MDG Madagascar|MW MWI Malawi|MY MYS Malaysia|ML MLI Mali
|MT MLT Malta|MR MRT Mauritania|MU MUS Mauritius|MX MEX Mexico|MD MDA Moldova|MC MCO Monaco|MN MNG Mongolia
|ME MNE Montenegro|MA MAR Morocco|MZ MOZ Mozambique|MM MMR Myanmar|NA NAM Namibia|NP NPL Nepal|NL NLD Netherlands
|NZ NZL New Zealand|NI NIC Nicaragua|NE NER Niger|NG NGA Nigeria|KP PRK North Korea|MK MKD North Macedonia|NO NOR Norway
|OM OMN Oman|PK PAK Pakistan|PS PSE Palestine|PA PAN Panama|PY PRY Paraguay|PE PER Peru|PH PHL Philippines
|PL POL Poland|PT PRT Portugal|PR PRI Puerto Rico|QA QAT Qatar|RO ROU Romania|RU RUS Russia|RW RWA Rwanda
|SA SAU Saudi Arabia|SN SEN Senegal|RS SRB Serbia|SL SLE Sierra Leone|SG SGP Singapore|SK SVK Slovakia
|SI SVN Slovenia|SO SOM Somalia|ZA ZAF South Africa|KR KOR South Korea|ES ESP Spain|LK LKA Sri Lanka|SD SDN Sudan
|SR SUR Suriname|SE SWE Sweden|CH CHE Switzerland|SY SYR Syria|TW TWN Taiwan|TJ TJK Tajikistan|TZ TZA Tanzania
|TH THA Thailand|TG TGO Togo|TT TTO Trinidad and Tobago|TN TUN Tunisia|TR TUR Turkey|TM TKM Turkmenistan|UG UGA Uganda
|UA UKR Ukraine|AE ARE United Arab Emirates|GB GBR United Kingdom|US USA United States|UY URY Uruguay
|UZ UZB Uzbekistan|VE VEN Venezuela|VN VNM Vietnam|YE YEM Yemen|ZM ZMB Zambia|ZW ZWE Zimbabwe
|UK GBR England|UK GBR Scotland|UK GBR Wales|US USA United-States|US USA United States of America|DE DEU Deutschland
|FR FRA Frankreich|ES ESP Espana|NL NLD Nederland|IT ITA Italia|AT AUT Osterreich|CZ CZE Czechia
"""


def _rows(text: str, codes: int) -> list[list[str]]:
    """Each entry of a list as its codes and its name, in lower case."""
    entries = text.replace("\n", "").split("|")
    return [entry.strip().casefold().split(" ", codes) for entry in entries]


STATE_CODES = frozenset(row[0] for row in _rows(_STATES, 1))
STATES = frozenset(row[1] for row in _rows(_STATES, 1))
COUNTRY_CODES = frozenset(code for row in _rows(_COUNTRIES, 2) for code in row[:2])
COUNTRIES = frozenset(row[2] for row in _rows(_COUNTRIES, 2))

STREETS = word_list("""
    street st avenue ave av road rd drive dr lane ln boulevard blvd court ct place pl way circle cir terrace ter
    highway hwy parkway pkwy square sq trail trl close crescent apt suite
    strasse str weg platz allee gasse ring rue chemin impasse quai calle avenida avda plaza paseo via viale piazza
    corso straat laan plein gracht kade vej gade gata gatan
    """)
STREET_ENDINGS = tuple(
    word_list("strasse str weg platz allee gasse straat laan plein gracht gatan vej")
)
