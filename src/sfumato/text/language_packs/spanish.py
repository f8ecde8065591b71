"""Spanish, as letters and records of Spain and of Spanish America write it.

Numbers with check digits (DNI, NIE, CURP) and dates are known to the detectors of all languages."""

from __future__ import annotations

from .declaration import LanguagePack

DECLARATION = LanguagePack(
    key="spanish",
    doc="names, streets, towns, hospitals and labelled numbers in Spanish",
    language="Spanish",
    cues="el los las una unos del con por para que se su sus en y es fue lo le al desde hasta sin "
    "como muy más años paciente refiere presenta acude señor señora nombre apellidos domicilio "
    "localidad provincia fecha nacimiento ingreso médico historia clínica hija hijo",
    name_labels=(
        "nombre", "nombres", "apellido", "apellidos", "nombre y apellidos", "paciente", "médico",
        "médica", "médico responsable", "facultativo", "doctor", "doctora", "firmado", "fdo",
        "firma", "remitido por", "remite", "derivado por", "enfermera", "enfermero", "responsable",
        "cuidador", "cuidadora", "familiar", "contacto", "persona de contacto", "tutor", "tutora",
        "madre", "padre", "cónyuge", "autor", "informante", "cirujano", "anestesista", "residente",
        "alumno", "trabajador", "trabajadora", "titular", "solicitante", "asegurado", "asegurada",
    ),
    titles=(
        "d", "dª", "dña", "don", "doña", "sr", "sra", "srta", "sres", "señor", "señora", "señorita",
        "dr", "dra", "dres", "drs", "doctor", "doctora", "prof", "profa", "profesor", "profesora",
        "lic", "licenciado", "licenciada", "ing", "fray", "sor", "enfermera", "enfermero",
    ),
    relatives=(
        "hija", "hijo", "hermana", "hermano", "esposa", "esposo", "marido", "mujer", "madre",
        "padre", "nieta", "nieto", "abuela", "abuelo", "tía", "tío", "sobrina", "sobrino", "prima",
        "primo", "cuñada", "cuñado", "nuera", "yerno", "suegra", "suegro", "novia", "novio",
        "pareja", "vecina", "vecino", "cuidadora", "cuidador", "compañera", "compañero",
    ),
    particles=("de la", "de las", "de los", "del", "de", "la", "y", "e", "i", "san", "santa"),
    number_labels=(
        "nhc", "n.h.c", "historia clínica", "nº de historia", "nº historia", "número de historia",
        "nass", "nss", "nuss", "n.s.s", "cip", "sip", "cipa", "nº afiliación", "nº de afiliación",
        "número de afiliación", "seguridad social", "nºcol", "nº col", "n° col", "nº de colegiado",
        "nº colegiado", "número de colegiado", "colegiado", "colegiada", "colegiado nº", "dni",
        "nie", "nif", "curp", "rfc", "cédula", "cédula profesional", "pasaporte", "expediente",
        "nº de expediente", "nº expediente", "póliza", "tarjeta sanitaria", "episodio",
        "nº de episodio", "nº de registro", "registro", "matrícula", "cuenta", "folio", "id",
    ),
    place_labels=(
        "localidad", "provincia", "localidad/provincia", "localidad/ provincia",
        "localidad / provincia", "ciudad", "municipio", "población", "lugar de nacimiento",
        "lugar", "comunidad", "estado", "país", "residencia", "nacionalidad", "procedencia",
    ),
    place_phrases=(
        "natural de", "vecino de", "vecina de", "residente en", "reside en", "vive en",
        "procedente de", "nacido en", "nacida en", "vecindado en", "oriundo de", "oriunda de",
        "domiciliado en", "domiciliada en", "originario de", "originaria de", "trasladado a",
        "trasladada a",
    ),
    address_labels=("domicilio", "dirección", "dirección postal", "calle", "señas"),
    streets=(
        "calle", "c/", "cl", "calle de", "avenida", "avda", "av", "plaza", "pza", "pl", "plza",
        "paseo", "pº", "camino", "cno", "carretera", "ctra", "ronda", "travesía", "glorieta", "vía",
        "gran vía", "callejón", "calzada", "bulevar", "boulevard", "rambla", "alameda", "costanera",
        "urbanización", "urb", "polígono", "pasaje", "colonia", "col", "barrio", "barriada",
        "fraccionamiento", "cuesta", "senda", "malecón", "privada", "prolongación",
    ),
    house_words=(
        "bajo", "ático", "piso", "portal", "escalera", "esc", "puerta", "pta", "izda", "izq",
        "izquierda", "dcha", "dcho", "derecha", "bloque", "interior", "int", "exterior", "ext",
        "depto", "departamento", "entresuelo", "principal", "s/n",
    ),
    postcode_labels=("cp", "c.p", "código postal", "cod. postal"),
    bodies=(
        "hospital", "hospitales", "h. u", "hgu", "clínica", "centro de salud", "centro médico",
        "ambulatorio", "sanatorio", "policlínica", "policlínico", "complejo hospitalario",
        "complejo asistencial", "centro hospitalario", "consultorio", "residencia", "universidad",
        "instituto", "fundación", "colegio", "corporación sanitaria", "consorcio", "mutua",
    ),
    departments=(
        "servicio de", "departamento de", "unidad de", "sección de", "consulta de", "consultas de",
        "equipo de", "guardia de", "área de",
    ),
)  # fmt: skip
