"""Reading a policy file: what it may say."""

from policies import table

from sfumato.hierarchies import CsvHierarchy, Dates, Suppression
from sfumato.policy import (
    BUILT_IN,
    CellReading,
    DateShift,
    Intervals,
    Method,
    NullRule,
    Order,
    Replacement,
    Role,
    policy_from_table,
    read_policy,
)
from sfumato.protection import AnonymityLevel, CombinationRequirement, KMapRequirement


def test_a_file_is_read_with_the_hierarchies_beside_it(tmp_path):
    (tmp_path / "zip.csv").write_text("02138;0213*;*\n")
    (tmp_path / "patients.toml").write_text(
        'release_to = "research"\n[fields.zip]\nrole = "quasi"\nhierarchy = "zip.csv"\nrank = 2\n'
        "[require]\nk = 5\n[recipient.research]\nlinking = { zip = 0.5 }\n"
    )
    policy = read_policy(tmp_path / "patients.toml")
    assert (policy.name, policy.folder) == ("patients", tmp_path)
    assert isinstance(policy.fields["zip"].hierarchy, CsvHierarchy)
    assert policy.fields["zip"].rank == 2
    assert policy.profile.links_on("zip") == 0.5


def test_what_is_not_said_has_its_default():
    policy = policy_from_table(table())
    assert (policy.nulls, policy.order, policy.other_fields) == (
        NullRule.VALUE,
        Order.SCRAMBLE,
        "refuse",
    )
    assert policy.fields["zip"].hierarchy == Suppression()
    assert policy.fields["id"].replace == Replacement(method=Method.REMOVE)
    assert policy.profile is BUILT_IN["public"]
    assert not policy.proposed


def test_a_field_may_be_only_its_role():
    assert policy_from_table(table(fields={"sex": "quasi"})).fields["sex"].role is Role.QUASI


def test_a_replacement_is_a_method_or_a_table():
    fields = {
        "id": {"role": "direct", "replace": "made-up"},
        "name": {"role": "direct", "replace": {"method": "surrogate", "kind": "name"}},
    }
    policy = policy_from_table(table(fields=fields))
    assert policy.fields["id"].replace == Replacement(method=Method.MADE_UP)
    assert policy.fields["name"].replace == Replacement(method=Method.SURROGATE, kind="name")


def test_a_shift_goes_by_the_person_key_where_it_names_none():
    fields = {"admitted": {"role": "insensitive", "shift": {"days": 180, "intervals": "perturb"}}}
    policy = policy_from_table(table(entity="id", fields=fields))
    assert policy.fields["admitted"].shift == DateShift(
        days=180, per="id", intervals=Intervals.PERTURB
    )


def test_every_requirement_is_read():
    require = {
        "k": 5,
        "max_suppression": 0.05,
        "reading": "wildcard",
        "quasi_identifiers": [["zip", "birth"]],
        "k_map": {"k": 5, "population": "voters.csv", "fields": ["zip"]},
        "bin_sizes": {"zip": 10},
        "combinations": {"k": 3, "sizes": [2]},
        "anonymity": {"level": 0.7, "r1": 0, "r2": "N/100", "e": 2, "loss": 0.2},
    }
    found = policy_from_table(table(require=require)).require
    assert (found.k, found.max_suppression, found.reading) == (5, 0.05, CellReading.WILDCARD)
    assert found.quasi_identifiers == (("zip", "birth"),)
    assert found.one("k_map") == KMapRequirement(k=5, population="voters.csv", fields=("zip",))
    assert found.one("bin_sizes").sizes == {"zip": 10}
    assert found.one("combinations") == CombinationRequirement(k=3, sizes=(2,))
    assert found.one("anonymity") == AnonymityLevel(level=0.7, r1=0.0, r2="N/100", e=2.0, loss=0.2)


def test_a_profile_of_a_built_in_name_takes_its_place():
    policy = policy_from_table(table(recipient={"public": {"default_linking": 0.25}}))
    assert policy.profile.default_linking == 0.25
    assert policy.profile.description == ""


def test_a_hierarchy_may_be_built():
    fields = {"birth": {"role": "quasi", "hierarchy": {"dates": ["month", "year"]}}}
    assert policy_from_table(table(fields=fields)).fields["birth"].hierarchy == Dates(
        ("month", "year")
    )


def test_a_byte_order_mark_is_passed_over(tmp_path):
    (tmp_path / "p.toml").write_bytes(b'\xef\xbb\xbf[fields]\nproblem = "sensitive"\n')
    assert read_policy(tmp_path / "p.toml").fields["problem"].role is Role.SENSITIVE
