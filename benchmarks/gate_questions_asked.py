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

HELD_OUT_LATER = (
    "SELECT CASE WHEN age < 18 THEN '0-17' WHEN age < 45 THEN '18-44' WHEN age < 65 THEN "
    "'45-64' ELSE '65+' END AS agegrp, sex, COUNT(*) AS n FROM patients GROUP BY 1, 2 ORDER"
    " BY 1, 2",
    "SELECT 10 * (age / 10) AS decade, AVG(CASE WHEN smoker = 'yes' THEN 1.0 ELSE 0.0 END) "
    "AS prevalence FROM patients WHERE age >= 20 GROUP BY decade ORDER BY decade",
    "SELECT smoker, diagnosis = 'J45' AS asthma, COUNT(DISTINCT p.patient_id) AS people "
    "FROM patients p JOIN visits v USING (patient_id) GROUP BY smoker, asthma",
    "SELECT sex, 100.0 * SUM(CASE WHEN bmi >= 30 THEN 1 ELSE 0 END) / COUNT(*) AS obese_pct"
    " FROM patients GROUP BY sex",
    "SELECT EXTRACT(YEAR FROM admitted) AS yr, COUNT(*) AS heart FROM visits WHERE "
    "diagnosis IN ('I10', 'I25') GROUP BY yr ORDER BY yr",
    "SELECT EXTRACT(MONTH FROM admitted) AS month, COUNT(*) AS pneumonia FROM visits WHERE "
    "diagnosis LIKE 'J%' GROUP BY EXTRACT(MONTH FROM admitted) ORDER BY month",
    "WITH stays AS (SELECT ward, nights FROM visits WHERE emergency = 1) SELECT ward, "
    "AVG(nights) AS los, COUNT(*) AS n FROM stays GROUP BY ward HAVING COUNT(*) > 100 ORDER"
    " BY los DESC",
    "SELECT MEDIAN(age) AS median_age FROM patients WHERE sex = 'F'",
    "SELECT PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY bmi) AS q1, PERCENTILE_CONT(0.75) "
    "WITHIN GROUP (ORDER BY bmi) AS q3 FROM patients",
    "SELECT AVG(CASE WHEN n > 3 THEN 1.0 ELSE 0 END) AS frequent FROM (SELECT patient_id, "
    "COUNT(*) AS n FROM visits GROUP BY patient_id) AS t",
    "SELECT COUNT(*) AS never_seen FROM patients p WHERE NOT EXISTS (SELECT 1 FROM visits v"
    " WHERE v.patient_id = p.patient_id)",
    "SELECT COUNT(DISTINCT patient_id) AS both_conditions FROM visits WHERE diagnosis = "
    "'E11' AND patient_id IN (SELECT patient_id FROM visits WHERE diagnosis = 'I10')",
    "SELECT ward, COUNT(*) AS n FROM visits WHERE admitted BETWEEN DATE '2020-03-01' AND "
    "DATE '2020-06-30' GROUP BY ward",
    "SELECT DATE_TRUNC('quarter', admitted) AS quarter, COUNT(*) AS admissions, SUM(nights)"
    " AS bed_days FROM visits GROUP BY 1 ORDER BY 1",
    "SELECT p.district, 1000.0 * COUNT(*) / COUNT(DISTINCT p.patient_id) AS visits_per_1000"
    " FROM patients p JOIN visits v ON p.patient_id = v.patient_id GROUP BY p.district",
    "SELECT COUNT(*) AS above_mean FROM patients WHERE bmi > (SELECT AVG(bmi) FROM patients)",
    "SELECT sex, AVG(emergency) AS emergency_share FROM visits v JOIN patients p ON "
    "p.patient_id = v.patient_id GROUP BY sex",
    "SELECT AVG(bmi) FILTER (WHERE smoker = 'yes') - AVG(bmi) FILTER (WHERE smoker = 'no') "
    "AS difference FROM patients",
    "SELECT sex, REGR_SLOPE(bmi, age) AS slope FROM patients GROUP BY sex",
    "SELECT diagnosis, COUNT(*) AS n, ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (), 1) AS"
    " pct FROM visits GROUP BY diagnosis ORDER BY n DESC LIMIT 5",
)
"""Twenty more, written by somebody who had not read what the gate understands."""

HELD_OUT_LATEST = (
    "SELECT COUNT(DISTINCT CASE WHEN ward = 'oncology' THEN patient_id END) * 100.0 / "
    "COUNT(DISTINCT patient_id) AS pct_oncology FROM visits",
    "SELECT p.sex, COUNT(DISTINCT CASE WHEN v.diagnosis = 'E11' THEN p.patient_id END) AS "
    "diabetics, COUNT(DISTINCT p.patient_id) AS seen FROM patients p JOIN visits v ON "
    "v.patient_id = p.patient_id GROUP BY p.sex",
    "SELECT DATE_TRUNC('month', admitted) AS month, COUNT(*) AS pneumonia FROM visits WHERE "
    "diagnosis = 'J18' AND admitted >= '2022-01-01' AND admitted < '2023-01-01' GROUP BY 1 "
    "ORDER BY 1",
    "SELECT EXTRACT(YEAR FROM v.admitted) AS year, p.sex, COUNT(*) AS n FROM visits v JOIN "
    "patients p ON p.patient_id = v.patient_id WHERE v.admitted BETWEEN '2021-01-01' AND "
    "'2023-12-31' GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT COUNT(*) AS n FROM patients WHERE age > 50 AND bmi > 30 AND smoker = 'no' AND "
    "district IN ('D1', 'D2')",
    "SELECT p.smoker, AVG((v.diagnosis = 'J45')::int) AS asthma FROM patients p JOIN visits v"
    " USING (patient_id) GROUP BY p.smoker",
    "SELECT (SELECT COUNT(DISTINCT patient_id) FROM visits WHERE diagnosis = 'I25') * 1000.0 "
    "/ (SELECT COUNT(*) FROM patients) AS per_1000",
    "SELECT age / 10 AS decade, ROUND(AVG(bmi)::numeric, 1) AS bmi FROM patients WHERE age "
    "BETWEEN 20 AND 79 GROUP BY 1 ORDER BY 1",
    "SELECT sex, smoker, COUNT(*) FROM patients GROUP BY sex, smoker",
    "SELECT COUNT(*) FROM patients p INNER JOIN (SELECT patient_id, SUM(nights) AS total FROM"
    " visits GROUP BY patient_id) t ON p.patient_id = t.patient_id WHERE p.age >= 80 AND "
    "t.total > 10",
    "SELECT CASE WHEN charges < 1000 THEN '<1k' WHEN charges < 5000 THEN '1-5k' WHEN charges "
    "< 10000 THEN '5-10k' ELSE '10k+' END AS band, COUNT(*) AS visits, SUM(charges) AS total "
    "FROM visits GROUP BY band ORDER BY total DESC",
    "SELECT COUNT(*) AS n FROM visits v WHERE EXISTS (SELECT 1 FROM visits w WHERE "
    "w.patient_id = v.patient_id AND w.admitted > v.admitted AND w.admitted <= v.admitted + "
    "INTERVAL '30 days')",
    "SELECT EXTRACT(YEAR FROM admitted) AS year, EXTRACT(QUARTER FROM admitted) AS q, "
    "SUM(charges) AS total FROM visits GROUP BY year, q ORDER BY year, q",
    "SELECT ward, SUM(charges) * 100.0 / SUM(SUM(charges)) OVER () AS share FROM visits GROUP"
    " BY ward ORDER BY share DESC",
    "WITH spend AS (SELECT patient_id, SUM(charges) AS total FROM visits GROUP BY patient_id)"
    " SELECT COUNT(*) AS high_cost, COUNT(*) * 1.0 / (SELECT COUNT(DISTINCT patient_id) FROM "
    "visits) AS share FROM spend WHERE total > 20000",
    "WITH spend AS (SELECT patient_id, SUM(charges) AS total FROM visits GROUP BY patient_id)"
    " SELECT p.district, AVG(s.total) AS mean_spend FROM spend s JOIN patients p ON "
    "p.patient_id = s.patient_id GROUP BY p.district ORDER BY mean_spend DESC",
    "SELECT SUM(nights * 420) AS bed_cost FROM visits WHERE ward = 'medicine' AND admitted "
    "BETWEEN '2023-01-01' AND '2023-12-31'",
    "SELECT ward, COUNT(*) AS n, SUM(CASE WHEN nights > 7 THEN 1 ELSE 0 END) AS outliers FROM"
    " visits GROUP BY ward HAVING COUNT(*) >= 500 ORDER BY ward",
    "SELECT AVG(charges) - (SELECT AVG(charges) FROM visits WHERE emergency = 0) AS extra "
    "FROM visits WHERE emergency = 1",
    "SELECT COUNT(DISTINCT patient_id) AS readmitted FROM visits WHERE patient_id IN (SELECT "
    "patient_id FROM visits GROUP BY patient_id HAVING COUNT(*) >= 2)",
    "SELECT COUNT(*) AS n, AVG(age) AS mean_age, STDDEV_SAMP(age) AS sd_age, MIN(age), "
    "MAX(age) FROM patients",
    "SELECT sex, AVG(bmi) AS mean, STDDEV(bmi) / SQRT(COUNT(*)) AS se FROM patients GROUP BY sex",
    "SELECT nights, COUNT(*) AS n FROM visits WHERE nights BETWEEN 0 AND 11 GROUP BY nights "
    "ORDER BY nights",
    "SELECT FLOOR(bmi / 5) * 5 AS bin, COUNT(*) AS n FROM patients WHERE bmi >= 15 AND bmi < "
    "45 GROUP BY bin ORDER BY bin",
    "SELECT REGR_SLOPE(charges, nights) AS per_night, REGR_R2(charges, nights) AS r2 FROM "
    "visits WHERE ward = 'surgery'",
    "SELECT NTILE(4) OVER (ORDER BY bmi) AS quartile FROM patients",
    "SELECT MODE() WITHIN GROUP (ORDER BY ward) AS commonest FROM visits",
    "SELECT COVAR_POP(age, bmi) AS cov, VAR_POP(age) AS var_age FROM patients",
    "SELECT SUM(CASE WHEN smoker = 'yes' THEN 1 END) AS smokers, SUM(CASE WHEN smoker = 'no' "
    "THEN 1 END) AS others FROM patients",
    "SELECT district, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM "
    "patients GROUP BY district ORDER BY place",
    "SELECT AVG(x) FROM (SELECT bmi AS x FROM patients WHERE sex = 'M') AS men",
    "SELECT CORR(bmi, income) AS r, CORR(age, income) AS r2 FROM patients",
)
"""Thirty-two more, by somebody else again, in ways of writing that other databases taught them."""
