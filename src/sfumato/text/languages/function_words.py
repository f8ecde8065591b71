"""Function words of languages: the small words that no text of a language lacks.

Words that are common in English too ("die", "was", "in") are omitted where they are looked up. Only
words which point away from English count."""

from __future__ import annotations

from typing import Final

FUNCTION_WORDS: Final[dict[str, str]] = {
    "German": "der die das den dem des ein eine einer eines einem einen und oder aber nicht kein keine "
    "ist sind war waren wurde wurden wird werden hat haben hatte ich er sie es wir ihr sein seine seiner "
    "ihre ihrer mit von vom zu zum zur bei beim auf aus nach vor für über unter durch gegen ohne seit bis "
    "als wie wenn dass auch noch nur sehr mehr keine dieser diese dieses sich im am bzw wegen patientin",
    "French": "le la les un une des du de au aux et ou mais ne pas plus est sont était été être a ont avait "
    "je il elle nous vous ils elles son sa ses leur leurs ce cette ces qui que quoi dont où dans sur sous "
    "avec sans pour par chez vers depuis pendant entre très aussi avoir fait cet lui se en mme monsieur",
    "Spanish": "el la los las un una unos unas y o pero no es son era fue fueron ser está estaba están han "
    "había tiene tenía con sin por para desde hasta sobre entre como cuando que quien cuyo del al de en su "
    "sus se le les lo este esta estos muy más también porque años paciente refiere presenta señor señora",
    "Italian": "il lo la gli i le un uno una e o ma non è sono era erano stato stata essere ha hanno aveva "
    "di del della dello dei degli delle da dal dalla in nel nella con su sul per tra fra che chi cui come "
    "quando anche più molto suo sua suoi questo questa anni paziente signora ed al alla dopo senza",
    "Portuguese": "o a os as um uma uns umas e ou mas não é são era foi foram ser está estava têm tem tinha "
    "de do da dos das em no na nos nas com sem por para pelo pela desde até sobre entre como quando que "
    "seu sua seus suas este esta muito mais também porque anos ao à às paciente apresenta refere",
    "Dutch": "de het een en of maar niet geen is zijn was waren werd wordt worden heeft had hebben ik hij zij "
    "wij van naar met voor op uit bij door over onder tussen zonder tegen als dan dat deze dit die er ook "
    "nog zeer meer om te aan mevrouw meneer sinds jaar haar hem patiënt patiënte",
    "Swedish": "och att det som en ett den är var har hade inte för på av med till från om vid under efter "
    "utan han hon de vi hans hennes sin sitt sina detta denna eller men så mycket mer även patienten år blev "
    "ej samt hos",
    "Danish": "og at det som en et den er var har havde ikke for på af med til fra om ved under efter uden han "
    "hun de vi hans hendes sin sit sine dette denne eller men så meget mere også patienten år blev samt hos",
    "Norwegian": "og å det som en et den er var har hadde ikke for på av med til fra om ved under etter uten han "
    "hun de vi hans hennes sin sitt sine dette denne eller men så mye mer også pasienten år ble samt hos",
    "Finnish": "ja on ei se että oli ovat hän joka mutta myös kun niin sekä tai ole olla hänen tämä siitä kuin "
    "jos mukaan vain sen ollut potilas vuotta kanssa ilman jälkeen ennen sitä oikean vasemman",
    "Polish": "i w z na do nie się jest są był była było być oraz lub ale że który która które jak po przez dla "
    "od przy za o u pod nad między bez jego jej ich ten ta to tego tej także bardzo lat pan pani pacjent pacjentka",
    "Czech": "a v na se je jsou byl byla bylo být nebo ale že který která které jak po pro od při za o u pod nad "
    "mezi bez jeho její jejich ten ta to toho také velmi let pan paní pacient pacientka si dne není s z k",
    "Slovak": "a v na sa je sú bol bola bolo byť alebo ale že ktorý ktorá ktoré ako po pre od pri za o u pod nad "
    "medzi bez jeho jej ich ten tá to toho tiež veľmi rokov pán pani pacient pacientka si dňa nie s z k",
    "Hungarian": "a az egy és vagy de nem is hogy volt van vannak lett aki ami mint után előtt alatt között nélkül "
    "miatt még már csak nagyon több ez ezt azt beteg éves úr asszony el meg ki be",
    "Romanian": "și sau dar nu este sunt era erau fost fi are au avea de la în din pe cu fără pentru prin după "
    "între până că care ce cum când un o unei unui al ale lui ei lor său sa acest această foarte mai ani doamna "
    "domnul pacientul pacienta",
    "Turkish": "ve bir bu da de için ile olarak olan değil gibi daha çok en kadar sonra önce ama veya ki ne her o "
    "ise var yok oldu edildi etti hasta yaşında bey hanım tarafından olduğu nedeniyle",
    "Croatian or Serbian": "i u na je se su nije bio bila bilo biti ili ali da koji koja koje kao po za od pri o "
    "pod nad između bez njegov njezin njen ovaj ova ovo također veoma godina gospodin gospođa pacijent pacijentica",
    "Slovenian": "in v na je se so ni bil bila bilo biti ali pa da ki kot po za od pri o pod nad med brez njegov "
    "njen ta to tudi zelo let gospod gospa pacient bolnik bolnica",
    "Catalan": "el la els les un una uns unes i o però no és són era fou ser està amb sense per des fins sobre "
    "entre com quan que qui del al dels als de en seu seva aquest aquesta molt més també perquè anys pacient",
    "Indonesian": "dan yang di ke dari untuk dengan pada adalah ini itu tidak akan telah sudah oleh karena atau "
    "dalam juga sebagai saat tahun pasien ibu bapak seorang",
    "Vietnamese": "và của là có không được cho với trong một những các này đã đang sẽ từ "
    "đến khi người bệnh nhân ông bà",
    "Estonian": "ja on ei see et oli olid kes mis aga ka kui nii või ole olla tema tema selle pärast enne koos ilma "
    "patsient aastat",
    "Latvian": "un ir nav bija kas bet arī ka ar no uz par pēc pirms bez pie vai viņa viņš šis šī pacients gadus",
    "Lithuanian": "ir yra nėra buvo kad bet taip pat su iš į apie po prieš be prie ar jos jo šis ši pacientas metų",
    "Swahili": "na ya wa ni kwa katika la za cha hii huyo yeye kuwa alikuwa sana pia baada kabla bila mgonjwa miaka",
    "Filipino": "ang ng mga sa na ay at hindi ito siya niya kanyang may para dahil kung pasyente taong",
}
"""By language, as texts write them."""
