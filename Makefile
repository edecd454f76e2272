# `make demo` and `make test` need only Python 3.11 and the package registry. Each target installs
# what it needs, into one environment.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
DATA ?= ../shared/data

.PHONY: help install demo test test-all test-fast again check docs fix lock bench finetune release bill audit clean
ROOM ?= text
# One more than there are cores: tests of servers, browsers and kills wait for most of their time.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')

help:  ## what each target does
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

# No file of another hash than those of requirements/ is taken, and nothing is resolved anew: what a
# package depends on stands in its list, or in one that the list builds on. Python compiles a module
# when it is first imported: most never are, and to compile them all took most of the time.
LOCKED := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile

$(VENV)/package: requirements/package.txt pyproject.toml
	@echo "Installing into $(VENV)."
	$(PYTHON) -m venv $(VENV)
	$(LOCKED) --require-hashes --requirement $<
	$(LOCKED) --no-build-isolation --editable .
	@touch $@

$(VENV)/%: requirements/%.txt
	@echo "Adding to $(VENV) what $* needs."
	$(LOCKED) --require-hashes --requirement $<
	@touch $@

# The benchmarks are a distribution of their own, in bench/.
$(VENV)/bench: bench/pyproject.toml $(VENV)/package
	$(LOCKED) --no-build-isolation --editable bench
	@touch $@

$(VENV)/server: $(VENV)/package
$(VENV)/firm: $(VENV)/server
$(VENV)/cluster: $(VENV)/firm
$(VENV)/test: $(VENV)/cluster
$(VENV)/test: $(VENV)/bench
$(VENV)/check: $(VENV)/test
$(VENV)/docs: $(VENV)/server
$(VENV)/dev: $(VENV)/check $(VENV)/docs

install: $(VENV)/dev  ## make the virtual environment, with everything

demo: $(VENV)/bench  ## review the example data room, offline, and write demo/report.html and demo/review.xlsx
	mkdir -p demo
	$(BIN)/fourcorners add examples/dataroom --collection "Project Larch" --library demo/larch.db
	$(BIN)/fourcorners review --collection "Project Larch" --library demo/larch.db \
	    --playbook due-diligence --for Larch --as-of 2026-11-01 --out demo/report.html --out demo/review.xlsx

# Kills, full disks, giant hostile files and the annotated contracts take as long as all the rest.
QUICK := -m "not slow and not corpus"

test: $(VENV)/test  ## every test but the slow ones and those of the whole corpus
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --durations 25 $(QUICK)

test-all: $(VENV)/test  ## every test, with kills, full disks, giant hostile files and the corpus
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --durations 25

test-fast: $(VENV)/test  ## the quick tests of one room: make test-fast ROOM=search
	$(BIN)/pytest tests/$(ROOM) -n $(WORKERS) --dist loadfile $(QUICK)

again: $(VENV)/test  ## what failed in the last `make test`, once more and one at a time
	$(BIN)/pytest -p no:xdist --last-failed --last-failed-no-failures none

check: $(VENV)/check  ## lint, formatting, types, layers, names, spelling, licences (reads only)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/house.py --check
	$(BIN)/typos
	$(BIN)/pip-licenses --from=mixed --partial-match --fail-on 'AGPL;GNU General Public;GPLv2;GPLv3' > /dev/null

docs: $(VENV)/docs  ## the documentation as a site, in site/; a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

release: install  ## a dry run of a release: version, changes, sdist, wheel, bill of materials in dist/
	$(BIN)/python scripts/release.py

# What a firm's image has, without this environment's tests and linters.
bill: $(VENV)/dev  ## what a firm's server installs: dist/firm.cdx.json (CycloneDX) and dist/firm-licences.md
	$(BIN)/uv venv --quiet --clear --python $(PYTHON) dist/firm
	$(BIN)/uv pip install --quiet --python dist/firm --no-deps --require-hashes \
	    -r requirements/package.txt -r requirements/server.txt -r requirements/firm.txt
	$(BIN)/uv tool run --quiet --from cyclonedx-bom==7.5.0 cyclonedx-py environment dist/firm \
	    --pyproject pyproject.toml --output-reproducible --output-file dist/firm.cdx.json
	$(BIN)/pip-licenses --python dist/firm/bin/python --from=mixed --format=markdown --output-file dist/firm-licences.md

audit: $(VENV)/package  ## known vulnerabilities of all dependencies, offline: ADVISORIES=all.zip of osv.dev for PyPI
	$(BIN)/python scripts/audit.py $(ADVISORIES)

fix: $(VENV)/check  ## repair what lint and formatting can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: install  ## write down what is installed, from pyproject.toml: UPGRADE=--upgrade for newer versions
	$(BIN)/python scripts/lock.py $(UPGRADE)

bench: $(VENV)/bench  ## the figures of docs/state.md, on the annotated contracts in DATA
	$(BIN)/fourcorners bench extraction --data $(DATA)/cuad
	$(BIN)/fourcorners bench speed --data $(DATA)/cuad

# What the recipes need is in no list of requirements/: it is resolved from bench/pyproject.toml.
$(VENV)/training: bench/pyproject.toml $(VENV)/bench
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable './bench[training]'
	@touch $@

finetune: $(VENV)/training  ## a small cross-encoder fine-tuned on ACORD in DATA, scored before and after, in finetune/
	$(BIN)/python -m training.precedents.finetune --data $(DATA)/acord --out finetune \
	    --rates 1e-4 --updates 25 50 100 --runs 1
	FOURCORNERS_RERANKER_PATH=finetune/before $(BIN)/fourcorners bench precedents \
	    --data $(DATA)/acord --profile bm25-rerank --run-out finetune/before.jsonl
	FOURCORNERS_RERANKER_PATH=finetune/after $(BIN)/fourcorners bench precedents \
	    --data $(DATA)/acord --profile bm25-rerank --run-out finetune/after.jsonl

clean:  ## remove what was built
	rm -rf $(VENV) demo finetune dist site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
