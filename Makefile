# `make reproduce` and `make test` set up everything they need in .venv, from python3, pip and make alone.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# The tests start hundreds of processes; without byte code each of them would compile the library again.
export PYTHONDONTWRITEBYTECODE =

PEERS ?= .venv-peers
OLDEST ?= .venv-oldest

.PHONY: help reproduce docs test test-slow test-oldest lint types format picture bench bench-peers league league-peers clean

help:
	@echo "make reproduce   set up, run the paper's Figure 1, write results/figure-1"
	@echo "make test        set up, run the tests"
	@echo "make test-slow   the longer studies as well"
	@echo "make test-oldest the tests on the oldest supported dependencies, from the built wheel, in an environment of its own"
	@echo "make docs        set up, build the documentation site in docs/_build/html, and check its links"
	@echo "make lint types  ruff and mypy"
	@echo "make bench       speed against scikit-learn and bare BLAS"
	@echo "make bench-peers the same with BoTorch, Vowpal Wabbit and others, in an environment of their own"
	@echo "make league      the default against other policies, on worlds and (DATA=folder) on real tables and logs"
	@echo "make league-peers the same with Vowpal Wabbit, contextualbandits and forests, in an environment of their own"
	@echo "make format      let ruff rewrite the code"
	@echo "make clean       remove the virtual environment and caches (not results)"

reproduce: $(VENV)/installed
	$(BIN)/kernelbandits reproduce figure-1

test: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

test-slow: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n auto --dist worksteal

test-oldest: $(OLDEST)/installed
	rm -rf $(OLDEST)/wheel
	$(OLDEST)/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(OLDEST)/wheel .
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall $(OLDEST)/wheel/*.whl
	$(OLDEST)/bin/python -m pytest -n auto --dist worksteal -m "not slow" -p no:cacheprovider $(TESTS)

docs: $(VENV)/installed-docs
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --jobs 2 -b html docs docs/_build/html
	$(BIN)/python docs/check_site.py docs/_build/html

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed-dev
	$(BIN)/mypy

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

picture: $(VENV)/installed
	$(BIN)/kernelbandits reproduce figure-1
	cp results/figure-1/figure-1.png docs/images/figure-1.png

bench: $(VENV)/installed
	$(BIN)/python -m benchmarks

bench-peers: $(PEERS)/installed
	$(PEERS)/bin/python -m benchmarks --out results/bench-peers

league: $(VENV)/installed
	$(BIN)/python -m benchmarks.league $(if $(DATA),--data-dir $(DATA))

league-peers: $(PEERS)/installed
	$(PEERS)/bin/python -m benchmarks.league --peers $(if $(DATA),--data-dir $(DATA))

$(PEERS)/installed: pyproject.toml constraints.txt benchmarks/peers.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable . --requirement benchmarks/peers.txt
	@touch $@

$(OLDEST)/installed: pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-oldest.txt '.[dev]'
	@touch $@

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) --editable .
	@touch $@

$(VENV)/installed-dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) --editable '.[dev]'
	@touch $@ $(VENV)/installed

$(VENV)/installed-docs: $(VENV)/installed-dev
	$(INSTALL) --editable '.[dev,docs]'
	@touch $@

clean:
	rm -rf $(VENV) $(PEERS) $(OLDEST) docs/_build docs/api docs/gallery .mypy_cache .ruff_cache .pytest_cache .hypothesis
