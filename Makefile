# Every target creates the environment it needs. `make` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
RUN_DIR ?=
KEY ?= runs/trustrail-demo.pub
PACKAGES := mast trailforge trustrail

.DEFAULT_GOAL := help
.PHONY: help bench bench-speed test unit lint format docs demo demo-dispute verify replay licenses services lock clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

bench: $(VENV)/.core ## Print the L0-L4 table of the layered propagation benchmark, then the ablations
	$(BIN)/mast bench layered --ablations

test: $(VENV)/.all services ## Run every test (about five minutes on two cores)
	$(BIN)/python -m pytest -n 2 --dist loadgroup -q

unit: $(VENV)/.all ## Run the unit subset (under half a minute)
	$(BIN)/python -m pytest -q -m "not slow" tests/unit

lint: $(VENV)/.all ## Check style, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.all ## Format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(VENV)/.all ## Execute the documentation: code blocks, notebooks, links
	$(BIN)/python -m pytest -q tests/docs

bench-speed: $(VENV)/.all ## Measure every number of benchmarks/README.md
	-$(BIN)/python -m benchmarks
	$(BIN)/python -m pytest benchmarks -q --benchmark-columns=median,iqr,rounds --benchmark-sort=name
	$(BIN)/python -m benchmarks.trustrail_speed
	$(BIN)/python -m benchmarks.durable

demo: $(VENV)/.demo ## Judge a flawed and a corrected agent on two frameworks, with signed evidence packs
	$(BIN)/trustrail demo --testcase BLOCK_CARD-001 --out runs

demo-dispute: $(VENV)/.demo ## The same proof on a second domain
	$(BIN)/trustrail demo --testcase DISPUTE_TRANSACTION-001 --out runs

verify: guard-run-dir $(VENV)/.core ## Check an evidence pack: make verify RUN_DIR=runs/<pack> [KEY=…]
	$(BIN)/trustrail verify --key $(KEY) $(RUN_DIR)

replay: guard-run-dir $(VENV)/.core ## Judge an evidence pack again, offline: make replay RUN_DIR=runs/<pack> [KEY=…]
	$(BIN)/trustrail replay --key $(KEY) $(RUN_DIR)

.PHONY: guard-run-dir
guard-run-dir:
	@test -n "$(RUN_DIR)" || { echo "RUN_DIR is not set; name a pack: make verify RUN_DIR=runs/<pack>" >&2; exit 2; }

licenses: $(VENV)/.all ## Audit the licences of all dependencies
	$(BIN)/python -m trustrail.demo.licenses

services: ## Install the Debian packages that tests use, where they are missing
	@sh .ci/services

lock: $(VENV)/.all ## Resolve requirements.lock again
	$(PIP) install uv
	$(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 \
		--no-emit-index-url --no-header --no-annotate -q -o requirements.lock

clean: ## Remove the environment and everything made by runs
	rm -rf $(VENV) runs out .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks .import_linter_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed, found $$($(PYTHON) --version); set PYTHON=…" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml requirements.lock | $(VENV)/bin/python
	$(PIP) install -c requirements.lock -e .
	@touch $@

$(VENV)/.demo: $(VENV)/.core
	$(PIP) install -c requirements.lock -e '.[adk,langgraph]'
	@touch $@

$(VENV)/.all: $(VENV)/.core
	$(PIP) install -c requirements.lock -e '.[adk,broker,dev,langgraph,mcp,notebook,otel,postgres]'
	@touch $@
