"""The least that any release of the hospital database does, written by hand for each engine: the
floor of its time.

Every table is read once, joined to its patient and to new keys, put in random order and written;
then what was written is read once, and people are counted by bin and by their rows in each table.
Nothing is looked for, nothing is generalised but birth and zip, nothing is thinned, no key or link
is checked, no pair of diagnoses is counted."""

from __future__ import annotations

FLOOR_DUCKDB = """
import duckdb, sys
source, target, memory = sys.argv[1:]
run = duckdb.connect(config={"memory_limit": memory, "preserve_insertion_order": "false"}).execute
run(f"ATTACH '{target}/kept.duckdb' AS kept")
for name, key, fields in (
    ("patients", "patient_id", "strftime(birth, '%Y') AS birth, sex, ethnicity, left(zip, 3) AS zip, registered"),
    ("physicians", "physician_id", "specialty"),
):
    days = ", CAST(floor(random() * 60) AS INT) - 30 AS days"
    query = f"SELECT {key}, {fields}{days} FROM '{source}/{name}.parquet' ORDER BY random()"
    run(f"CREATE TABLE kept.{name} AS {query}")
    new = "* EXCLUDE (days) REPLACE (rowid + 100000000 AS patient_id, registered + days AS registered)"
    new = new if key == "patient_id" else "* EXCLUDE (days) REPLACE (rowid + 1000000 AS physician_id)"
    run(f"COPY (SELECT {new} FROM kept.{name}) TO '{target}/{name}.parquet'")
labels = {}
for table, field in (("visits", "ward"), ("visits", "principal_diagnosis"), ("diagnoses", "code"),
                     ("procedures", "code"), ("medications", "drug")):
    found = run(f"SELECT DISTINCT {field} FROM '{source}/{table}.parquet' WHERE {field} IS NOT NULL ORDER BY 1")
    texts = ", ".join("'" + text.replace("'", "''") + "'" for (text,) in found.fetchall())
    labels[table, field] = f"CAST({field} AS ENUM({texts})) AS {field}"
run(f'''CREATE TABLE kept.visits AS
    SELECT t.visit_id, p.rowid + 100000000 AS patient_id, d.rowid + 1000000 AS physician_id,
    admitted + days AS admitted, discharged + days AS discharged, {labels["visits", "ward"]},
    {labels["visits", "principal_diagnosis"]}, charges
    FROM '{source}/visits.parquet' t JOIN kept.patients p USING (patient_id)
    LEFT JOIN (SELECT rowid, physician_id FROM kept.physicians) d USING (physician_id) ORDER BY random()''')
run(f"COPY (SELECT * REPLACE (rowid + 10000000000 AS visit_id) FROM kept.visits) TO '{target}/visits.parquet'")
children = {"diagnoses": "code", "procedures": "code", "medications": "drug, charges"}
for name, fields in children.items():
    first = fields.split(",")[0]
    shown = fields.replace(first, labels[name, first])
    run(f'''COPY (SELECT v.rowid + 10000000000 AS visit_id, {shown} FROM (SELECT * FROM '{source}/{name}.parquet') t
        JOIN (SELECT rowid, visit_id FROM kept.visits) v USING (visit_id) ORDER BY random())
        TO '{target}/{name}.parquet' ''')
run("DROP TABLE kept.visits")
bins = f"SELECT birth, sex, ethnicity, zip, count(*) AS n FROM '{target}/patients.parquet' GROUP BY ALL"
run(f"SELECT min(n) FROM ({bins})").fetchall()
visits = f"(SELECT visit_id, patient_id FROM '{target}/visits.parquet')"
for name in ("", *children):
    rows = f"(SELECT visit_id FROM '{target}/{name}.parquet') JOIN {visits} USING (visit_id)" if name else visits
    run(f"SELECT n, count(*) FROM (SELECT count(*) AS n FROM {rows} GROUP BY patient_id) GROUP BY n").fetchall()
"""

FLOOR_POSTGRES = """
import psycopg, sys
connection = psycopg.connect(sys.argv[1])
run = connection.execute
for setting in ("work_mem = '341MB'", "temp_buffers = '64MB'", "jit = off"):
    run(f"SET {setting}")
def stage(name, query, new):
    numbered = f"SELECT *, row_number() OVER () + {new} AS new FROM ({query} ORDER BY random()) AS made"
    run(f"CREATE TEMPORARY TABLE my_{name} AS {numbered}")
    run(f"ANALYZE my_{name}")
stage("patients", "SELECT patient_id, to_char(birth, 'YYYY') AS birth, sex, ethnicity, left(zip, 3) AS zip, "
      "registered, CAST(floor(random() * 60) AS INT) - 30 AS days FROM public.patients", 100000000)
stage("physicians", "SELECT physician_id, specialty FROM public.physicians", 1000000)
stage("visits", "SELECT t.visit_id, p.new AS patient, d.new AS physician, admitted + days AS admitted, "
      "discharged + days AS discharged, ward, principal_diagnosis, charges FROM public.visits t "
      "JOIN my_patients p USING (patient_id) LEFT JOIN my_physicians d USING (physician_id)", 10000000000)
run("CREATE TABLE floor.patients AS SELECT new AS patient_id, birth, sex, ethnicity, zip, "
    "registered + days AS registered FROM my_patients")
run("CREATE TABLE floor.physicians AS SELECT new AS physician_id, specialty FROM my_physicians")
run("CREATE TABLE floor.visits AS SELECT new AS visit_id, patient AS patient_id, physician AS physician_id, admitted, "
    "discharged, ward, principal_diagnosis, charges FROM my_visits")
children = {"diagnoses": "code", "procedures": "code", "medications": "drug, t.charges"}
for name, fields in children.items():
    run(f"CREATE TABLE floor.{name} AS SELECT new AS visit_id, {fields} FROM public.{name} t "
        "JOIN my_visits USING (visit_id) ORDER BY random()")
run("DROP TABLE my_visits")
for name in ("patients", "visits", *children):
    run(f"ANALYZE floor.{name}")
bins = "SELECT birth, sex, ethnicity, zip, count(*) AS n FROM floor.patients GROUP BY 1, 2, 3, 4"
run(f"SELECT min(n) FROM ({bins}) AS bins").fetchall()
for name in ("", *children):
    rows = f"floor.{name} JOIN floor.visits USING (visit_id)" if name else "floor.visits"
    run(f"SELECT n, count(*) FROM (SELECT count(*) AS n FROM {rows} GROUP BY patient_id) AS each GROUP BY n").fetchall()
connection.commit()
"""
