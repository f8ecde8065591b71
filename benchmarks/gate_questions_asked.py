"""The questions of `gate_questions`: what an epidemiologist, a payer and a statistician ask of two
tables of a hospital, in the SQL that they would write."""

from __future__ import annotations

EPIDEMIOLOGIST = (
    "SELECT COUNT(*) AS n FROM patients",
    "SELECT sex, COUNT(*) AS n FROM patients GROUP BY sex",
    "SELECT age, sex, COUNT(*) AS n FROM patients GROUP BY age, sex",
    "SELECT district, COUNT(*) AS n FROM patients GROUP BY district",
    "SELECT COUNT(*) AS n FROM patients WHERE smoker = 'yes'",
    "SELECT sex, COUNT(*) AS n FROM patients WHERE smoker = 'yes' GROUP BY sex",
    "SELECT district, AVG(CASE WHEN smoker = 'yes' THEN 1.0 ELSE 0.0 END) AS share FROM "
    "patients GROUP BY district",
    "SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) AS n FROM patients GROUP BY 1 ORDER BY 1",
    "SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) AS n FROM patients WHERE smoker = "
    "'yes' GROUP BY 1 ORDER BY 1",
    "SELECT CASE WHEN age >= 65 THEN 'old' ELSE 'young' END AS old, COUNT(*) AS n FROM "
    "patients GROUP BY 1",
    "SELECT sex, AVG(bmi) AS mean FROM patients GROUP BY sex",
    "SELECT COUNT(*) AS n FROM patients WHERE age BETWEEN 60 AND 79 AND smoker = 'yes'",
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC",
    "SELECT diagnosis, COUNT(*) AS n FROM visits GROUP BY diagnosis ORDER BY n DESC",
    "SELECT COUNT(DISTINCT person) AS n FROM visits WHERE diagnosis = 'I10'",
    "SELECT ward, COUNT(DISTINCT person) AS n FROM visits GROUP BY ward",
    "SELECT EXTRACT(year FROM admitted) AS year, COUNT(*) AS n FROM visits GROUP BY 1 ORDER BY 1",
    "SELECT DATE_TRUNC('month', admitted) AS month, COUNT(*) AS n FROM visits GROUP BY 1 "
    "ORDER BY 1",
    "SELECT COUNT(DISTINCT person) AS n FROM visits WHERE ward = 'surgery' AND diagnosis = 'E11'",
    "SELECT p.sex, COUNT(*) AS n FROM patients p JOIN visits v ON p.patient_id = "
    "v.patient_id GROUP BY p.sex",
    "SELECT p.district, COUNT(*) AS n FROM visits v JOIN patients p ON v.patient_id = "
    "p.patient_id WHERE v.diagnosis = 'I10' GROUP BY p.district",
    "SELECT p.sex, v.ward, COUNT(*) AS n FROM visits v JOIN patients p USING "
    "(patient_id) GROUP BY p.sex, v.ward",
    "SELECT COUNT(DISTINCT person) AS n FROM visits v JOIN patients p ON v.patient_id = "
    "p.patient_id WHERE p.smoker = 'yes' AND v.ward = 'cardiology'",
    "SELECT COUNT(*) AS n FROM patients p LEFT JOIN visits v ON p.patient_id = "
    "v.patient_id WHERE v.ward IS NULL",
)
PAYER = (
    "SELECT SUM(charges) AS total FROM visits",
    "SELECT ward, SUM(charges) AS total FROM visits GROUP BY ward",
    "SELECT ward, AVG(charges) AS mean FROM visits GROUP BY ward ORDER BY mean DESC",
    "SELECT ward, SUM(charges) / COUNT(*) AS mean FROM visits GROUP BY ward",
    "SELECT AVG(nights) AS mean FROM visits WHERE emergency = 1",
    "SELECT ward, COUNT(*) FILTER (WHERE emergency = 1) AS n FROM visits GROUP BY ward",
    "SELECT ward, AVG(nights) AS mean FROM visits GROUP BY ward HAVING COUNT(*) > 1000",
    "SELECT diagnosis, SUM(charges) AS total FROM visits GROUP BY diagnosis ORDER BY "
    "total DESC LIMIT 5",
    "SELECT SUM(charges) AS total FROM visits WHERE diagnosis = 'E11'",
    "SELECT SUM(charges * 1.19) AS gross FROM visits",
    "SELECT ROUND(AVG(charges / nights), 0) AS per_night FROM visits WHERE nights > 0",
    "SELECT COUNT(*) AS n FROM visits WHERE charges > 20000",
    "SELECT EXTRACT(year FROM admitted) AS year, SUM(charges) AS total FROM visits GROUP "
    "BY 1 ORDER BY 1",
    "SELECT p.district, SUM(v.charges) AS total FROM visits v JOIN patients p ON "
    "v.patient_id = p.patient_id GROUP BY p.district",
    "SELECT p.sex, AVG(v.charges) AS mean FROM visits v JOIN patients p ON v.patient_id "
    "= p.patient_id GROUP BY p.sex",
    "SELECT SUM(v.charges) AS total FROM visits v JOIN patients p ON v.patient_id = "
    "p.patient_id WHERE p.smoker = 'yes'",
    "SELECT AVG(v.nights) AS mean FROM visits v JOIN patients p ON v.patient_id = "
    "p.patient_id WHERE p.age >= 65",
    "SELECT COUNT(*) AS n FROM visits WHERE ward = 'psychiatry'",
    "SELECT ward, COUNT(*) AS n FROM visits WHERE emergency = 1 GROUP BY ward ORDER BY n "
    "DESC LIMIT 3",
    "SELECT AVG(income) AS mean FROM patients",
)
STATISTICIAN = (
    "SELECT AVG(bmi) AS mean, STDDEV(bmi) AS deviation FROM patients",
    "SELECT sex, VAR_SAMP(bmi) AS variance FROM patients GROUP BY sex",
    "SELECT CORR(age, bmi) AS r FROM patients",
    "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY nights) AS median FROM visits",
    "SELECT MIN(age) AS low, MAX(age) AS high FROM patients",
    "SELECT district, sex, COUNT(*) AS n FROM patients GROUP BY district, sex",
    "SELECT SUM(bmi * bmi) AS squares FROM patients",
    "SELECT AVG(age) AS mean FROM patients",
    "SELECT sex, AVG(age) AS mean FROM patients WHERE smoker = 'yes' GROUP BY sex",
    "SELECT COUNT(*) AS n FROM patients WHERE bmi >= 30",
    "SELECT sex, COUNT(*) AS n FROM patients WHERE bmi >= 30 GROUP BY sex",
    "SELECT district, COUNT(*) AS n FROM patients GROUP BY district HAVING COUNT(*) > 1500",
    "SELECT AVG(nights) AS mean, STDDEV(nights) AS deviation FROM visits",
    "SELECT ward, AVG(nights * nights) - AVG(nights) * AVG(nights) AS variance FROM "
    "visits GROUP BY ward",
    "SELECT COUNT(*) AS n FROM (SELECT patient_id FROM visits GROUP BY patient_id HAVING "
    "COUNT(*) > 3) AS often",
    "SELECT visits, COUNT(*) AS n FROM (SELECT COUNT(*) AS visits FROM visits GROUP BY "
    "patient_id) AS each GROUP BY visits",
    "SELECT 100.0 * COUNT(*) FILTER (WHERE smoker = 'yes') / COUNT(*) AS percent FROM patients",
    "SELECT sex, SUM(CASE WHEN smoker = 'yes' THEN 1 ELSE 0 END) AS n FROM patients GROUP BY sex",
    "SELECT COUNT(*) AS n FROM patients WHERE EXISTS (SELECT 1 FROM visits WHERE "
    "visits.patient_id = patients.patient_id)",
    "SELECT COUNT(*) AS n FROM patients UNION ALL SELECT COUNT(*) AS n FROM visits",
)
QUESTIONS: dict[str, tuple[str, ...]] = {
    "epidemiologist": EPIDEMIOLOGIST,
    "payer": PAYER,
    "statistician": STATISTICIAN,
}

HELD_OUT = (
    "SELECT width_bucket(age, 0, 100, 5) AS band, COUNT(*) AS n FROM patients GROUP BY 1",
    "SELECT CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'senior' END AS "
    "stage, sex, COUNT(*) AS n FROM patients GROUP BY 1, 2",
    "SELECT sex, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS percent FROM patients GROUP BY sex",
    "SELECT district, AVG(bmi) - 25 AS above FROM patients GROUP BY district",
    "SELECT smoker, AVG(bmi) AS mean FROM patients GROUP BY smoker",
    "SELECT CASE WHEN bmi >= 30 THEN 'obese' WHEN bmi >= 25 THEN 'overweight' ELSE 'normal' END AS "
    "class, COUNT(*) AS n FROM patients GROUP BY 1",
    "SELECT sex, COUNT(*) FILTER (WHERE bmi >= 30) AS obese, COUNT(*) AS n FROM patients GROUP BY sex",
    "SELECT ROUND(AVG(income)) AS mean, ROUND(STDDEV_SAMP(income)) AS deviation FROM patients",
    "SELECT SUM(CASE WHEN age >= 75 AND sex = 'F' THEN 1 ELSE 0 END) AS n FROM patients",
    "SELECT EXTRACT(quarter FROM admitted) AS quarter, AVG(nights) AS mean FROM visits GROUP BY 1",
    "SELECT EXTRACT(dow FROM admitted) AS weekday, COUNT(*) AS n FROM visits WHERE ward = "
    "'surgery' GROUP BY 1 ORDER BY 1",
    "SELECT ward, SUM(charges) / SUM(nights) AS per_night FROM visits GROUP BY ward",
    "SELECT SUBSTR(diagnosis, 1, 1) AS chapter, COUNT(*) AS n FROM visits GROUP BY 1",
    "SELECT COUNT(*) AS n FROM visits WHERE EXTRACT(year FROM admitted) = 2022 AND emergency = 1",
    "SELECT AVG(CASE WHEN nights = 0 THEN 1.0 ELSE 0.0 END) AS day_cases FROM visits",
    "SELECT COUNT(DISTINCT person) AS n FROM visits WHERE LOWER(diagnosis) LIKE 'i%'",
    "SELECT CASE WHEN p.age >= 65 THEN 'old' ELSE 'young' END AS old, AVG(v.nights) AS mean FROM "
    "visits v JOIN patients p ON v.patient_id = p.patient_id GROUP BY 1",
    "SELECT COUNT(*) AS n FROM patients WHERE patient_id IN (SELECT patient_id FROM visits WHERE "
    "ward = 'cardiology')",
    "SELECT sex, COUNT(*) AS n FROM patients WHERE NOT EXISTS (SELECT 1 FROM visits WHERE "
    "visits.patient_id = patients.patient_id) GROUP BY sex",
    "SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY charges) AS p90 FROM visits",
)
"""Written before the gate read any of them, and asked apart."""
