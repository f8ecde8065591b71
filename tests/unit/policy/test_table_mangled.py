"""Whatever stands in a policy file of several tables, it is a policy or all of its problems: never
another error."""

import copy

from hypothesis import given
from hypothesis import strategies as st
from table_policies import hospital

from sfumato.errors import PolicyError
from sfumato.policy import policy_as_table, policy_from_table

CODE = {"role": "sensitive", "hierarchy": {"prefix": [3]}}
WHOLE = hospital(
    {"visits.row_counts": {"bin_size": 3}, "diagnoses.fields.code": CODE},
    require={"k": 5, "k_m": {"k": 2, "m": 2, "table": "diagnoses", "field": "code"}},
    recipient={"me": {"linking": {"birth": 1.0, "visits.admitted": 0.5}}},
)
texts = st.sampled_from(
    ["", ".", "patients", "patients.", ".patient_id", "visits.visit_id", "quasi", "direct", "a.b"]
)
junk = st.one_of(
    texts, st.booleans(), st.integers(-1, 6), st.just([]), st.dictionaries(texts, texts, max_size=2)
)


def places(table, above=()):
    for key, value in table.items():
        yield (*above, key)
        if isinstance(value, dict):
            yield from places(value, (*above, key))


def read(table):
    try:
        return policy_from_table(table), ()
    except PolicyError as error:
        return None, error.problems


@given(st.data())
def test_a_mangled_policy_is_refused_with_its_problems_or_reads_as_itself(data):
    mangled = copy.deepcopy(WHOLE)
    for _ in range(data.draw(st.integers(1, 3))):
        *above, last = data.draw(st.sampled_from(list(places(mangled))))
        table = mangled
        for key in above:
            table = table[key]
        table.pop(last)
        key = data.draw(st.sampled_from([last, "links", "key", "fields", "visits", None]))
        if key is not None:
            table[key] = data.draw(junk)
    policy, told = read(mangled)
    assert (policy is None) == bool(told)
    assert all(problem.where and problem.found for problem in told)
    assert policy is None or policy_from_table(policy_as_table(policy)) == policy
