"""The gate through real clients of PostgreSQL: psql, psycopg, SQLAlchemy and pandas."""

from __future__ import annotations

import os
import re
import socket
import ssl
import struct
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import psycopg
import pytest
import sqlalchemy
from gates import people
from postgres_server import found_binaries
from psycopg.rows import dict_row
from wires import PASSWORD, Wire, a_wire

from sfumato.gate.accounts import Right
from sfumato.gate.audit import entries, verify_chain
from sfumato.gate.keeper import GateKeeper
from sfumato.gate.noise.gaussian import Noise
from sfumato.gate.settings import Audience, Budget, Mode, Terms

ROWS = people(1_000)
TERMS = Terms(mode=Mode.EITHER, audience=Audience.PERSON)
PSQL = next((path / "psql" for path in found_binaries() if (path / "psql").exists()), None)


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with a_wire(tmp_path_factory.mktemp("gate"), rows=ROWS, terms=TERMS) as found:
        yield found


@pytest.fixture
def connection(wire: Wire) -> Iterator[psycopg.Connection]:
    with psycopg.connect(wire.uri()) as found:
        yield found


def notices(connection: psycopg.Connection) -> list[str]:
    out: list[str] = []
    connection.add_notice_handler(lambda told: out.append(told.message_primary or ""))
    return out


# ---------------------------------------------------------------- psql


def psql(wire: Wire, *commands: str, password: str = PASSWORD) -> tuple[str, str]:
    if PSQL is None:
        pytest.skip("psql is not here")
    words = [word for command in commands for word in ("-c", command)]
    environment = {
        "PATH": os.environ["PATH"],
        "PGPASSWORD": password,
        "LC_ALL": "C",
        "PGGSSENCMODE": "disable",
    }
    place = ["-h", wire.host, "-p", str(wire.port), "-U", "ann", "-d", "sfumato"]
    done = subprocess.run(
        [PSQL, "-X", "-A", "-t", *place, *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout, done.stderr


def test_psql_asks_and_is_told_what_was_done(wire: Wire) -> None:
    out, told = psql(
        wire,
        "SELECT sex, COUNT(*) FROM people GROUP BY sex ORDER BY sex",
        "SELECT age FROM people LIMIT 2",
    )
    assert [row.split("|")[0] for row in out.splitlines()[:2]] == ["F", "M"]
    assert len(out.splitlines()) == 4
    assert told.count("NOTICE:  Answer q-") == 2


def test_psql_describes_what_the_policy_tells(wire: Wire) -> None:
    out, told = psql(
        wire,
        r"\d people",
        r"\d+ people",
        r"\dt",
        r"\l",
        r"\dn",
        r"\du",
        r"\d",
        r"\dp",
        r"\dv",
        r"\df",
        r"\di",
    )
    assert "age|bigint" in out
    assert "test|bigint" in out
    assert "public|people|table|sfumato" in out
    assert "sfumato|sfumato|UTF8" in out
    assert "ann|" in out
    assert "name|text" not in out
    assert "Never shown: name." not in told
    assert "ERROR" not in told


def test_psql_is_shown_where_it_went_wrong(wire: Wire) -> None:
    _, told = psql(
        wire, "SELECT sex,\n  agge FROM people", "SELECT * FORM people", "SELECT 1 FROM peple"
    )
    assert "There is no field 'agge'. Did you mean \"age\"?" in told
    assert "LINE 2:   agge FROM people\n          ^" in told
    assert "There is no table 'peple'" in told


def test_psql_with_a_wrong_password(wire: Wire) -> None:
    out, told = psql(wire, "SELECT 1", password="another password")
    assert out == ""
    assert "The log-in failed." in told


# ---------------------------------------------------------------- psycopg


def test_values_are_bound_on_the_server(wire: Wire, connection: psycopg.Connection) -> None:
    """Whatever a value holds, it is one constant in what was understood."""
    for value in ("Bergen", "x' OR '1'='1", "\\'; SELECT 1 --", "$1"):
        connection.execute("SELECT sex FROM people WHERE town <> %s", (value,))
        assert f"about 'town' <> {value!r} then" in list(entries(wire.gate.audit.path))[-1]["asked"]


@pytest.mark.parametrize("binary", [False, True])
def test_types(connection: psycopg.Connection, *, binary: bool) -> None:
    cursor = connection.cursor(binary=binary)
    row = cursor.execute(
        "SELECT sex, test, AVG(cost) AS mean FROM people WHERE test = %b GROUP BY sex, test", (1,)
    )
    found = row.fetchone()
    assert found is not None
    assert [type(cell) for cell in found] == [str, int, float]


def test_generalised_fields_come_as_text_and_are_told(connection: psycopg.Connection) -> None:
    said = notices(connection)
    cursor = connection.execute("SELECT age, town, sex, test FROM people")
    assert cursor.description is not None
    assert [column.type_code for column in cursor.description][3] == 20
    assert len(cursor.fetchall()) > 900
    assert "is shown at level" in said[0]
    connection.execute("SELECT age, town, sex, test FROM people")
    assert "it is the answer given before" in said[1]


def test_errors_have_states_that_clients_know(connection: psycopg.Connection) -> None:
    connection.autocommit = True
    for sql, kind, code in (
        ("SELECT age FROM people WHERE", psycopg.errors.SyntaxError, "syntax"),
        ("SELECT age FROM nobody", psycopg.errors.UndefinedTable, "unknown-table"),
        ("SELECT agee FROM people", psycopg.errors.UndefinedColumn, "unknown-field"),
        ("SELECT name FROM people", psycopg.errors.InsufficientPrivilege, "never-shown"),
        ("SELECT pg_sleep(1)", psycopg.errors.UndefinedFunction, "unknown-function"),
        ("SELECT age FROM people; SELECT sex FROM people", psycopg.errors.SyntaxError, "several"),
        ("COPY people TO STDOUT", psycopg.errors.InsufficientPrivilege, "not-a-question"),
        ("LISTEN people", psycopg.errors.InsufficientPrivilege, "not-a-question"),
        ("INSERT INTO people VALUES (1)", psycopg.errors.InsufficientPrivilege, "not-a-question"),
        ("SET nobody = 1", psycopg.errors.UndefinedObject, "unknown-setting"),
        ("SET client_encoding = 'LATIN1'", psycopg.errors.InvalidParameterValue, "not-this-value"),
        ("SELECT age FROM people, pg_class", psycopg.errors.FeatureNotSupported, "join"),
        ("SELECT * FROM pg_catalog.people", psycopg.errors.UndefinedTable, "unknown-table"),
    ):
        with pytest.raises(kind) as told:
            connection.execute(sql)
        assert told.value.diag.source_function == code


def test_what_depends_on_data_is_refused_with_one_sentence(connection: psycopg.Connection) -> None:
    connection.autocommit = True
    connection.execute("SET sfumato.shape = 'age=0,town=0,sex=0'")
    bins = Counter((row["age"], row["town"], row["sex"]) for row in ROWS)
    said = set()
    for age, town, sex in [key for key, size in bins.items() if size < 3][:2]:
        with pytest.raises(psycopg.errors.InsufficientPrivilege) as told:
            connection.execute(
                "SELECT test FROM people WHERE age = %s AND town = %s AND sex = %s",
                (age, town, sex),
            )
        diag = told.value.diag
        assert (diag.source_function, diag.message_detail, diag.statement_position) == (
            "not-answered",
            None,
            None,
        )
        said.add(re.sub("q-[0-9a-f]{8}", "q-", str(diag.message_primary)))
    assert len(said) == 1


def test_a_shape_is_looked_for_and_chosen(wire: Wire) -> None:
    wire.gate.accounts.add("bob", PASSWORD, right=Right.RECIPIENT)
    sql = "SELECT age, sex, cost FROM people"
    with psycopg.connect(wire.uri("bob")) as connection:
        said = notices(connection)
        offered = connection.execute(f"EXPLAIN {sql}").fetchall()  # type: ignore[arg-type]
        assert connection.execute("SHOW sfumato.shapes").fetchall() == offered
        assert [row[0] for row in offered] == ["age=1,sex=0", "age=0,sex=1"]
        connection.execute("SET sfumato.shape = 'age=0,sex=1'")
        found = connection.execute(sql).fetchall()
        assert {type(age) for age, *_ in found} == {int}
        assert {tuple(row[1::2]) for row in found} == {("*", "sex not shown")}
        connection.execute("SELECT town FROM people")
        assert "was ignored" in said[-1]


def test_transactions_are_believed_in(connection: psycopg.Connection) -> None:
    status = psycopg.pq.TransactionStatus
    connection.execute("SELECT 1")
    assert connection.info.transaction_status is status.INTRANS
    with pytest.raises(psycopg.errors.UndefinedColumn), connection.transaction():
        connection.execute("SELECT nobody FROM people")
    connection.execute("SELECT 1")
    with pytest.raises(psycopg.errors.UndefinedColumn):
        connection.execute("SELECT nobody FROM people")
    assert connection.info.transaction_status is status.INERROR
    with pytest.raises(psycopg.errors.InFailedSqlTransaction):
        connection.execute("SELECT 1")
    connection.rollback()
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_prepared_statements_portals_and_pipelines(connection: psycopg.Connection) -> None:
    for age in (30, 40, 50):
        found = connection.execute(
            "SELECT sex FROM people WHERE age > %s LIMIT 7", (age,), prepare=True
        ).fetchall()
        assert len(found) == 7
    with connection.pipeline():
        first, last = (
            connection.execute("SELECT 1"),
            connection.execute("SELECT sex FROM people LIMIT 3"),
        )
        assert (first.fetchall(), len(last.fetchall())) == ([(1,)], 3)
    rows = (
        connection.cursor(row_factory=dict_row)
        .execute("SELECT town AS place FROM people LIMIT 1")
        .fetchall()
    )
    assert next(iter(rows[0])) == "place"
    connection.execute("DEALLOCATE ALL")
    assert connection.execute("").statusmessage in (None, "")


def test_parts_of_a_union_come_in_one_result(connection: psycopg.Connection) -> None:
    parts = [
        f"SELECT '{sex}' AS who, COUNT(*) AS n FROM people WHERE sex = '{sex}'" for sex in "FM"
    ]
    for binary in (False, True):
        with connection.cursor(binary=binary) as cursor:
            cursor.execute(" UNION ALL ".join(parts))
            found = {row[0]: row[1] for row in cursor.fetchall()}
            assert found == Counter(row["sex"] for row in ROWS)


def test_the_epsilon_of_a_question_is_chosen(connection: psycopg.Connection) -> None:
    told = notices(connection)
    connection.execute("SET sfumato.epsilon = '0.02'")
    connection.execute("SET sfumato.answer = 'noisy'")
    connection.execute("SELECT COUNT(*) FROM people WHERE test = 1 AND age > 40")
    assert any("such noisy answers remain" in each for each in told)
    connection.execute("SET sfumato.epsilon = '5'")
    with pytest.raises(psycopg.Error, match="chosen for a question"):
        connection.execute("SELECT COUNT(*) FROM people WHERE test = 1 AND age > 41")
    connection.rollback()
    with pytest.raises(psycopg.Error, match="cannot be that"):
        connection.execute("SET sfumato.epsilon = 'much'")


def test_settings_are_kept(connection: psycopg.Connection) -> None:
    connection.execute(
        "SET application_name = 'a test'; SET TIME ZONE 'Europe/Oslo'; SHOW timezone"
    )
    assert connection.info.parameter_status("application_name") == "a test"
    assert connection.execute("SHOW application_name").fetchone() == ("a test",)
    assert connection.execute("SELECT set_config('timezone', 'UTC', false)").fetchone() == ("UTC",)
    assert connection.info.parameter_status("TimeZone") == "UTC"
    connection.execute("RESET ALL")
    assert connection.execute("SHOW application_name").fetchone() == ("",)
    assert connection.info.server_version == 160_000


def test_pandas_reads_an_answer(connection: psycopg.Connection) -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.warns(UserWarning, match="SQLAlchemy"):
        frame = pandas.read_sql(
            "SELECT sex, cost FROM people WHERE age >= %(age)s", connection, params={"age": 30}
        )
    assert list(frame.columns) == ["sex", "cost"]
    assert frame["cost"].dtype == "int64"


def test_a_data_frame_shows_how_an_answer_differs(tmp_path: Path) -> None:
    """psql showed a notice, pandas nothing. Now the frame has it; and a number is refused rather
    than another's."""
    pandas = pytest.importorskip("pandas")
    terms = Terms(mode=Mode.EITHER, budget=Budget(query=0.5, person=0.5, table=9.0))
    within = Noise(rho=terms.budget.question_rho, squared=1).usually_within
    asked = (
        "SELECT COUNT(*) AS n FROM people WHERE NOT (age = {} AND town = 'Cadiz' AND sex = "
        "'F') AND test = 1"
    )
    with (
        a_wire(tmp_path, rows=ROWS, terms=terms) as wire,
        psycopg.connect(wire.uri(), autocommit=True) as connection,
    ):
        rows, noisy = (
            pandas.read_sql(sql, wire.uri().replace("postgresql:", "postgresql+psycopg:"))
            for sql in ("SELECT age, town, sex, test FROM people", asked.format(33))
        )
        assert list(rows.columns) == ["age", "town", "sex", "test", "answered_as"]
        assert rows["answered_as"].iloc[0]
        assert list(noisy.columns) == ["n", "n_within", "answered_as"]
        assert noisy["n_within"].iloc[0] == pytest.approx(within, abs=1e-4)
        assert noisy["answered_as"].iloc[0].startswith("noisy")
        with pytest.raises(psycopg.errors.InsufficientPrivilege) as told:
            connection.execute(asked.format(34))  # type: ignore[arg-type]
        assert "used up" in str(told.value.diag.message_detail)
        assert "age in steps of 5" in str(told.value.diag.message_hint)
        out, said = psql(wire, asked.format(35))
        assert out == ""
        assert "HINT:  Try a condition on whole groups" in said


@pytest.fixture(scope="module")
def engine(wire: Wire) -> Iterator[sqlalchemy.Engine]:
    made = sqlalchemy.create_engine(wire.uri().replace("postgresql:", "postgresql+psycopg:"))
    yield made
    made.dispose()


def test_sqlalchemy_reflects_and_asks(engine: sqlalchemy.Engine) -> None:
    table = sqlalchemy.Table("people", sqlalchemy.MetaData(), autoload_with=engine)
    assert [column.name for column in table.columns] == ["age", "town", "sex", "test", "cost"]
    assert isinstance(table.c.cost.type, sqlalchemy.BIGINT)
    assert sqlalchemy.inspect(engine).get_table_names() == ["people"]
    question = (
        sqlalchemy.select(table.c.sex, sqlalchemy.func.count().label("n"))
        .where(table.c.town.in_(["Bergen", "Cadiz"]))
        .group_by(table.c.sex)
        .order_by(table.c.sex)
    )
    with engine.connect() as connection:
        assert [row.sex for row in connection.execute(question)] == ["F", "M"]
        with pytest.raises(sqlalchemy.exc.ProgrammingError, match="is never released"):
            connection.execute(sqlalchemy.text("SELECT name FROM people"))


def test_pandas_reads_through_sqlalchemy(engine: sqlalchemy.Engine) -> None:
    pandas = pytest.importorskip("pandas")
    asked = sqlalchemy.text("SELECT sex, cost FROM people WHERE town = :town")
    frame = pandas.read_sql(asked, engine, params={"town": "Bergen"})
    assert list(frame.columns)[:2] == ["sex", "cost"]
    assert frame["cost"].dtype == "int64"
    whole = pandas.read_sql_table("people", engine, columns=["sex", "cost"])
    assert len(whole) == len(ROWS)
    pieces = [
        len(piece) for piece in pandas.read_sql("SELECT town FROM people", engine, chunksize=300)
    ]
    assert pieces == [300, 300, 300, 100]


# ---------------------------------------------------------------- who comes


def test_who_may_not_ask(wire: Wire) -> None:
    for uri, told in (
        (wire.uri("adam"), "may not ask"),
        (wire.uri(database="elsewhere"), "no database"),
        (wire.uri(more="&options=-c%20nobody%3D1"), "no setting"),
    ):
        with pytest.raises(psycopg.OperationalError, match=told):
            psycopg.connect(uri)


def test_a_session_ends_with_its_account(tmp_path: Path) -> None:
    with a_wire(tmp_path) as wire, psycopg.connect(wire.uri(), autocommit=True) as connection:
        assert len(connection.execute("SELECT sex FROM people").fetchall()) == 400
        wire.gate.accounts.set_password("ann", "another password")
        with pytest.raises(psycopg.Error, match="session has ended"):
            connection.execute("SELECT sex FROM people")


def test_questions_are_limited(tmp_path: Path) -> None:
    with (
        a_wire(tmp_path, per_minute=2) as wire,
        psycopg.connect(wire.uri(), autocommit=True) as connection,
    ):
        for _ in range(2):
            connection.execute("SELECT sex FROM people")
        with pytest.raises(psycopg.errors.ConfigurationLimitExceeded, match="too many questions"):
            connection.execute("SELECT sex FROM people")
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_query_is_cancelled(
    wire: Wire, connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ends = threading.Event(), threading.Event()

    def slow(*_: object, **__: object) -> None:
        begun.set()
        ends.wait(600)

    monkeypatch.setattr(GateKeeper, "ask", slow)
    threading.Thread(target=lambda: (begun.wait(600), connection.cancel_safe())).start()
    with pytest.raises(psycopg.errors.QueryCanceled):
        connection.execute("SELECT sex FROM people")
    assert not ends.is_set()  # The answer was not waited for.
    ends.set()


def test_everything_is_written_down(wire: Wire, connection: psycopg.Connection) -> None:
    connection.execute("SELECT sex, town FROM people")
    verify_chain(wire.gate.audit.path)
    lines = list(entries(wire.gate.audit.path))
    assert {"logged in", "answered"} <= {line["kind"] for line in lines}
    assert all(line.get("through") == "wire" for line in lines if line["kind"] == "logged in")


# ---------------------------------------------------------------- encryption


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    folder = tmp_path_factory.mktemp("encrypted")
    _certificate(folder)
    with a_wire(
        folder / "gate", certificate=folder / "crt.pem", certificate_key=folder / "key.pem"
    ) as found:
        yield found


def _certificate(folder: Path) -> None:
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "gate")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    )
    made = (
        made.serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
    )
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = made.add_extension(names, critical=False).sign(key, hashes.SHA256())
    (folder / "crt.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8
    secret = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(secret)


def test_tls_with_a_certificate_that_is_checked(encrypted: Wire) -> None:
    root = encrypted.gate.settings.certificate
    with psycopg.connect(
        encrypted.uri(more=f"&sslmode=verify-full&sslrootcert={root}")
    ) as connection:
        assert connection.pgconn.ssl_in_use
        assert len(connection.execute("SELECT sex FROM people").fetchall()) == 400


def test_a_token_in_place_of_a_password_over_tls(encrypted: Wire) -> None:
    account = encrypted.gate.accounts.find("ann")
    assert account is not None
    token = encrypted.gate.accounts.new_token(account, days=1)
    plain = "&options=-c%20sfumato.login%3Dpassword"
    for password in (token, PASSWORD):
        uri = encrypted.uri(password=password, more=f"&sslmode=require{plain}")
        with psycopg.connect(uri) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    with pytest.raises(psycopg.OperationalError, match="log-in failed"):
        psycopg.connect(encrypted.uri(password="x" * 43, more=f"&sslmode=require{plain}"))
    with pytest.raises(psycopg.OperationalError, match="log-in failed"):
        psycopg.connect(encrypted.uri(password=token, more=f"&sslmode=disable{plain}"))


def test_what_comes_in_the_clear_before_tls_is_not_taken_for_part_of_it(encrypted: Wire) -> None:
    with socket.create_connection((encrypted.host, encrypted.port), timeout=10) as line:
        line.sendall(struct.pack("!II", 8, 80_877_103) + b"Q" + bytes(20))
        assert line.recv(1) == b"S"
        context = ssl._create_unverified_context()
        with pytest.raises((ssl.SSLError, OSError)):
            context.wrap_socket(line)
