# `make reproduce` and `make test` set up everything they need in .venv, from python3, pip and make alone.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: help reproduce test test-slow lint types format picture clean

help:
	@echo "make reproduce   set up, run the paper's Figure 1, write results/figure-1"
	@echo "make test        set up, run the tests"
	@echo "make test-slow   the longer studies as well"
	@echo "make lint types  ruff and mypy"
	@echo "make format      let ruff rewrite the code"
	@echo "make clean       remove the virtual environment and caches (not results)"

reproduce: $(VENV)/installed
	$(BIN)/kernelbandits reproduce figure-1

test: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

test-slow: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n auto --dist worksteal

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

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) --editable .
	@touch $@

$(VENV)/installed-dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) --editable '.[dev]'
	@touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
