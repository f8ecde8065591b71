"""docs/protection.md says of every model what the model declares."""

import re
from pathlib import Path

import pytest

from sfumato.policy import LooksAt, model_keys
from sfumato.protection import MODELS

OF_BINS = [MODELS[key] for key in model_keys() if MODELS[key].looks_at is not LooksAt.SETS]
CLASSES = tuple(dict.fromkeys(model for declared in OF_BINS for model in declared.models))
PAGE = (Path(__file__).parents[3] / "docs" / "protection.md").read_text(encoding="utf-8")
LINE = re.compile(
    r"^\| \[(.+?)\]\(protection/(.+?)\.md\) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE
)
LINES = {found[0]: found[1:] for found in LINE.findall(PAGE)}


def test_every_model_is_in_the_table_in_order():
    assert list(LINES) == [model.name for model in CLASSES]


@pytest.mark.parametrize("model", CLASSES, ids=lambda model: model.__name__)
def test_the_table_says_what_a_model_declares(model):
    page, key, generalisation, suppression, bin_by_bin = LINES[model.name]
    assert f"docs/protection/{page}.md" in model.__doc__
    assert model in MODELS[key.strip("`")].models
    told = {
        "monotone_generalisation": generalisation,
        "monotone_suppression": suppression,
        "bin_monotone": bin_by_bin,
    }
    for name, words in told.items():
        declared = getattr(model, name, None)
        if isinstance(declared, bool):
            assert words == ("yes" if declared else "no")
        elif declared is not None:
            assert words not in ("yes", "no"), "it depends on the parameters"
