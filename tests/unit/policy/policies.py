"""A small policy to change, and policies that hold together for Hypothesis."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import strategies as st

from sfumato.errors import PolicyError
from sfumato.hierarchies import (
    Dates,
    FixedWidths,
    Icd,
    NamedRange,
    Ordered,
    Prefix,
    Quantiles,
    Ranges,
    Suppression,
    Tree,
    UsStates,
)
from sfumato.parts import Shape
from sfumato.policy import (
    BUILT_IN,
    MODELS,
    SOLVERS,
    TEXT_KINDS,
    CellReading,
    DateShift,
    Field,
    Intervals,
    LooksAt,
    Method,
    NullRule,
    Order,
    Policy,
    RecipientProfile,
    Replacement,
    Requirements,
    Role,
    RowCountPolicy,
    ScrubPolicy,
    SolveSettings,
    TextDates,
    TextDetectors,
    TextMethod,
    TextPlaces,
    TextPurpose,
    TextTrait,
    TextUnsure,
    policy_from_table,
)
from sfumato.policy.compatibility import why_not_with
from sfumato.policy.declared_solvers import ModelScope, RecodingKind
from sfumato.protection import (
    Absent,
    AlphaKRequirement,
    AnonymityLevel,
    BetaLikenessRequirement,
    CombinationRequirement,
    ConfidenceGainRequirement,
    DeltaDisclosureRequirement,
    DeltaPresenceRequirement,
    Distance,
    Diversity,
    Estimator,
    KeyCombination,
    KMapRequirement,
    KMRequirement,
    LDiversityRequirement,
    Likeness,
    NonUniquenessRequirement,
    PopulationUniquenessRequirement,
    PSensitiveRequirement,
    SafeHarborRequirement,
    TClosenessRequirement,
    ValueSpreadRequirement,
)


def table(**changes):
    """A small policy that is right, with some of it changed."""
    fields = {
        "id": {"role": "direct"},
        "zip": {"role": "quasi"},
        "birth": {"role": "quasi"},
        "problem": {"role": "sensitive"},
    }
    return {"fields": fields | changes.pop("fields", {}), "require": {"k": 2}} | changes


def problems(given, folder=Path()):
    with pytest.raises(PolicyError) as caught:
        policy_from_table(given, folder=folder)
    return {problem.where: str(problem) for problem in caught.value.problems}


def only_problem(given):
    found = problems(given)
    assert len(found) == 1, found
    return next(iter(found.values()))


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
shares = st.floats(0, 1)
hierarchies = st.one_of(
    st.just(Suppression()),
    st.just(Dates(("month", "year"), format="%m/%d/%y", last_year=1999)),
    st.builds(FixedWidths, st.just((0.1, 0.5)), bottom=st.none() | st.floats(-9, 9)),
    st.just(Quantiles((20, 5))),
    st.builds(lambda name: Ranges((NamedRange(name, 9.5), NamedRange(name + "!"))), names),
    st.sampled_from([Prefix((4, 3)), Prefix((3,), fill="", length=5)]),
    st.just(Icd("10", unknown="suppress")),
    st.just(UsStates()),
    st.builds(
        lambda group, leaf: Tree({group: [leaf], group + "!": {group + "?": []}}), names, names
    ),
    st.builds(lambda items: Ordered(tuple(items), (2, 4)), st.lists(text, min_size=1, unique=True)),
)


@st.composite
def fields_of(draw):
    found = {}
    for name in draw(st.lists(names, min_size=1, max_size=5, unique=True)):
        role = draw(st.sampled_from(Role))
        field = Field(name=name, role=role, open=draw(st.booleans()))
        if role is Role.QUASI:
            field = replace(field, hierarchy=draw(hierarchies), rank=draw(st.integers(0, 3)))
        elif role is Role.DIRECT:
            method = draw(st.sampled_from([m for m in Method if m != "remove"]))
            word = draw(text.filter(bool)) if method is Method.KEYWORD else ""
            field = replace(field, replace=Replacement(method=method, word=word))
        found[name] = field
    person = draw(names.filter(lambda name: name not in found))
    found[person] = Field(
        name=person, role=Role.DIRECT, replace=Replacement(method=Method.SURROGATE, kind=draw(text))
    )
    leaders = [name for name, field in found.items() if field.role is Role.QUASI]
    for name, field in found.items():
        if field.role is Role.INSENSITIVE:
            field = replace(field, follows=draw(st.sampled_from(["", *leaders])))
            intervals, days = draw(st.sampled_from(Intervals)), draw(st.integers(1, 999))
            weekdays = intervals is Intervals.KEEP and days >= 7 and draw(st.booleans())
            shift = DateShift(days=days, per=person, intervals=intervals, weekdays=weekdays)
            found[name] = replace(field, shift=shift)
    return found, person


@st.composite
def requirements(draw, quasi):
    if not quasi:
        return Requirements(max_suppression=draw(shares))
    sets = draw(st.sampled_from([(), (tuple(quasi),), (tuple(quasi), (quasi[0],))]))
    k_map = KMapRequirement(
        k=draw(st.integers(1, 9)),
        fields=draw(st.sampled_from([(), tuple(quasi)])),
        **draw(st.sampled_from([{"weight": quasi[0]}, {"population": draw(names)}])),
    )
    return Requirements(
        k=draw(st.integers(1, 99)),
        quasi_identifiers=sets,
        k_map=draw(st.none() | st.just(k_map)),
        bin_sizes=draw(st.dictionaries(st.sampled_from(quasi), st.integers(1, 50))),
        combinations=draw(
            st.none() | st.just(CombinationRequirement(k=3, sizes=tuple(range(1, len(quasi) + 1))))
        ),
        max_suppression=draw(shares),
        reading=draw(st.sampled_from(CellReading)),
    )


@st.composite
def text_field(draw, field, *, others, perturbed, removed):
    """A text field, scrubbed in some way or removed."""
    if removed or draw(st.booleans()):
        return replace(field, replace=Replacement(method=Method.REMOVE))
    kinds = st.sampled_from(TEXT_KINDS)
    cues = st.lists(st.sampled_from(others), unique=True)
    dates = [style for style in TextDates if not (perturbed and style is TextDates.SHIFT)]
    scrub = ScrubPolicy(
        purpose=draw(st.sampled_from(TextPurpose)),
        method=draw(st.sampled_from(TextMethod)),
        methods=draw(st.dictionaries(kinds, st.sampled_from(TextMethod), max_size=2)),
        keep=tuple(draw(st.lists(st.sampled_from(TextTrait), unique=True))),
        dates=draw(st.sampled_from(dates)),
        places=draw(st.sampled_from(TextPlaces)),
        unsure=draw(st.sampled_from(TextUnsure)),
        thresholds=draw(st.dictionaries(kinds, shares, max_size=2)),
        detectors=draw(st.sampled_from(TextDetectors)),
        cues=draw(
            st.none()
            | cues.map(lambda names: dict.fromkeys(names, ""))
            | cues.flatmap(lambda names: st.fixed_dictionaries(dict.fromkeys(names, kinds)))
        ),
    )
    return replace(field, scrub=scrub if perturbed else draw(st.sampled_from([None, scrub])))


above_0 = st.floats(0.001, 1)


@st.composite
def about_values(draw, sensitive):
    """Requirements of the models that look at sensitive fields."""
    fields = st.sampled_from([(), tuple(sensitive), (sensitive[0],)])
    few, one = st.integers(1, 9), st.just((sensitive[0],))
    diversity = st.one_of(
        st.builds(LDiversityRequirement, l=few, fields=fields),
        st.builds(
            LDiversityRequirement, l=st.floats(1, 9), kind=st.just(Diversity.ENTROPY), fields=fields
        ),
        st.builds(
            LDiversityRequirement,
            l=few,
            kind=st.just(Diversity.RECURSIVE),
            c=above_0,
            fields=fields,
        ),
    )
    order = st.lists(text, max_size=3, unique=True).map(tuple)
    closeness = st.one_of(
        st.builds(TClosenessRequirement, t=shares, fields=fields),
        st.builds(
            TClosenessRequirement,
            t=shares,
            distance=st.just(Distance.ORDERED),
            order=order,
            fields=one,
        ),
        st.builds(
            TClosenessRequirement,
            t=shares,
            distance=st.just(Distance.HIERARCHICAL),
            hierarchy=hierarchies,
            fields=one,
        ),
    )
    p_sensitive = st.builds(
        PSensitiveRequirement, p=st.integers(1, 3), k=st.integers(3, 9), fields=fields
    )
    alpha_k = st.builds(AlphaKRequirement, alpha=above_0, k=few, values=order, fields=fields)
    spread = st.builds(
        ValueSpreadRequirement,
        width=above_0,
        share=above_0,
        deviation=st.none() | above_0,
        fields=fields,
    )
    disclosure = st.builds(
        DeltaDisclosureRequirement, delta=above_0, absent=st.sampled_from(Absent), fields=fields
    )
    likeness = st.builds(
        BetaLikenessRequirement, beta=above_0, kind=st.sampled_from(Likeness), fields=fields
    )
    inner = st.floats(0, 1, exclude_min=True, exclude_max=True)
    confidence = st.builds(
        ConfidenceGainRequirement, gain=inner, facts=st.integers(0, 9), fields=fields
    )
    asked = {
        "l_diversity": diversity,
        "t_closeness": closeness,
        "p_sensitive": p_sensitive,
        "alpha_k": alpha_k,
        "value_spread": spread,
        "delta_disclosure": disclosure,
        "beta_likeness": likeness,
        "confidence_gain": confidence,
    }
    out = {key: draw(st.lists(of, max_size=2).map(tuple)) for key, of in asked.items()}
    unique = st.builds(NonUniquenessRequirement, fields=fields)
    return out | {"non_uniqueness": draw(st.none() | unique)}


@st.composite
def about_risk(draw, quasi, *, harbor):
    """Requirements of the models about people and risk."""
    presence = st.builds(
        DeltaPresenceRequirement,
        population=names,
        min=st.floats(0, 0.5),
        max=st.floats(0.5, 1),
        fields=st.sampled_from([(), tuple(quasi)]),
    )
    estimator = st.sampled_from(Estimator)
    unique = st.one_of(
        st.builds(
            PopulationUniquenessRequirement,
            threshold=shares,
            population_size=st.integers(1, 10**15),
            estimator=estimator,
        ),
        st.builds(
            PopulationUniquenessRequirement,
            threshold=shares,
            sampling_fraction=above_0,
            estimator=estimator,
        ),
    )
    year = st.integers(1900, 2100)
    safe = st.one_of(
        st.just(SafeHarborRequirement()),
        st.builds(SafeHarborRequirement, zips=st.just(tuple(quasi)), as_of=st.none() | year),
        st.builds(
            SafeHarborRequirement,
            births=st.just(tuple(quasi[:1])),
            dates=st.just(tuple(quasi[1:])),
            as_of=year,
        ),
    )
    return {
        "delta_presence": draw(st.none() | presence),
        "average_risk": draw(st.none() | above_0),
        "maximum_risk": draw(st.none() | above_0),
        "population_uniqueness": draw(st.none() | unique),
        "safe_harbor": draw(st.none() | safe) if harbor else None,
    }


@st.composite
def policies(draw):
    fields, person = draw(fields_of())
    quasi, sensitive = (
        [name for name, field in fields.items() if field.role is role]
        for role in (Role.QUASI, Role.SENSITIVE)
    )
    require = draw(requirements(quasi))
    solver = draw(st.sampled_from(tuple(SOLVERS)))
    able = SOLVERS[solver].abilities
    combinations = require.one("combinations")
    if solver == "mu_argus" and combinations is not None:
        sizes = tuple(
            size
            for size in combinations.sizes
            if size <= SolveSettings(solver=solver).settings.max_size
        )
        require = replace(require, combinations=replace(combinations, sizes=sizes))
    if able.models is ModelScope.EVERY:
        derived = (Method.HASH, Method.MADE_UP, Method.SURROGATE)
        if draw(st.booleans()):  # Safe Harbor takes no code that is made from an identifier.
            for name, field in fields.items():
                if field.replace is not None and field.replace.method in derived:
                    fields[name] = replace(field, replace=Replacement(method=Method.LOOKUP))
        harbor = not any(
            field.replace is not None and field.replace.method in derived
            for field in fields.values()
        )
        more = (draw(about_values(sensitive)) if sensitive else {}) | draw(
            about_risk(quasi, harbor=harbor)
        )
        require = replace(require, **more)
        if quasi:
            keys = st.builds(
                KeyCombination,
                k=st.integers(1, 9),
                fields=st.sampled_from([(quasi[0],), tuple(quasi)]),
            )
            require = replace(require, key_combinations=draw(st.lists(keys, max_size=2).map(tuple)))
    senseless = [key for key in require.asked if why_not_with(MODELS[key], SOLVERS[solver])]
    require = replace(require, **dict.fromkeys(senseless))
    harbor = require.one("safe_harbor")
    if harbor is not None and able.recodes is RecodingKind.LOCAL:
        coarse = {"finest": 1, "coarsest": None}  # As fine as their bin needs, and no finer.
        for name in harbor.declared:
            if fields[name].hierarchy is not None:
                fields[name] = replace(fields[name], **coarse)
    require = replace(require, k=require.k or 2)
    if solver != "datafly":
        r2 = draw(st.sampled_from(["sqrt", "sawtooth", "N/100", 12.5]))
        level = AnonymityLevel(
            level=draw(shares), r2=r2, e=draw(st.none() | st.floats(0, 9)), loss=draw(shares)
        )
        require = replace(require, anonymity=draw(st.none() | st.just(level)))
    known = st.dictionaries(st.sampled_from(sorted(fields)), shares)
    own = draw(
        st.lists(
            st.builds(
                RecipientProfile,
                name=names,
                description=text,
                linking=known,
                distortion=known,
                default_linking=shares,
            ),
            max_size=2,
        )
    )
    recipients = {**BUILT_IN, **{profile.name: profile for profile in own}}
    entity, counts = draw(st.none() | st.just(person)), RowCountPolicy()
    if entity is not None:
        counts = draw(
            st.builds(
                RowCountPolicy, bin_size=st.none() | st.integers(2, 9), linking=st.none() | shares
            )
        )
    if (
        entity is not None
        and sensitive
        and not any(require.looking_at(LooksAt.SENSITIVE))
        and draw(st.booleans())
    ):
        asked = KMRequirement(
            k=draw(st.integers(2, 9)), m=draw(st.integers(1, 4)), field=sensitive[0]
        )
        require = replace(require, k_m=(asked,))
        fields[sensitive[0]] = replace(fields[sensitive[0]], hierarchy=draw(hierarchies))
    perturbed = any(
        field.shift is not None and field.shift.intervals == "perturb" for field in fields.values()
    )
    others = [name for name, field in fields.items() if field.role is not Role.TEXT]
    for name, field in fields.items():
        if field.role is Role.TEXT:
            harbor = require.one("safe_harbor") is not None
            fields[name] = draw(
                text_field(field, others=others, perturbed=perturbed, removed=harbor)
            )
    return Policy(
        fields=fields,
        require=require,
        recipients=recipients,
        recipient=draw(st.sampled_from(sorted(recipients))),
        solve=SolveSettings(solver=solver, seed=draw(st.integers(0, 99))),
        entity=entity,
        row_counts=counts,
        household=None
        if Shape.HOUSEHOLDS not in able.shapes
        else draw(st.none() | st.sampled_from(sorted(fields))),
        nulls=draw(st.sampled_from(NullRule)),
        order=draw(st.sampled_from(Order)),
        other_fields=draw(st.sampled_from(["refuse", "remove"])),
        proposed=draw(st.booleans()),
    )
