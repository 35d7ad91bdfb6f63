# Rigwise: `make ask Q="…"`, `make serve`, `make test`. The first run sets up; the next ones start at once.

override Q := $(value Q)
ifeq ($(Q),)
override Q := How much memory does an H200 have?
endif
export Q

PORT ?= 8080
VENV := .venv
BIN := $(VENV)/bin
TORCH := torch==2.13.0
export RIGWISE_INDEX_ROOT ?= var/index

PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3.13 python3.14 python3, \
	$(shell $(name) -c 'import sys; print("$(name)" if sys.version_info >= (3, 11) else "")' 2>/dev/null)))
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements.lock
EMULATOR := var/emulator
INDEX := $(RIGWISE_INDEX_ROOT)/.built
INDEXED := $(shell find corpus indexer -type f \( -name '*.md' -o -name '*.csv' -o -name '*.toml' -o -name '*.py' \))

.DEFAULT_GOAL := help
.PHONY: help setup ask serve index test lint browser quality speed audit sbom fuzz load lock emulator

help:  ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

setup: $(VENV)/.runtime  ## make .venv with what Rigwise needs to run (no torch)

ask: $(INDEX)  ## answer a question: make ask Q="How much memory does an H200 have?"
	@$(BIN)/rigwise ask "$$Q" || [ $$? -eq 3 ]

serve: $(VENV)/.runtime  ## serve the HTTP API on PORT (8080); the index is built behind it when there is none
	@$(BIN)/rigwise serve --port "$(PORT)"

index: $(INDEX)  ## bring the index up to date

test: lint browser emulator $(INDEX)  ## everything that has to pass: lint, types, architecture, corpus, tests
	$(BIN)/rigwise corpus check corpus
	$(BIN)/pytest -n 2 --cov

lint: $(VENV)/.develop  ## format, lint, types, architecture, dependencies, spelling
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/deptry .
	$(BIN)/codespell

browser:  ## install Debian's chromium for the tests of the page; without root they are skipped
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get -qq update && \
	  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium fonts-dejavu-core; } || \
	  echo "no chromium, and it cannot be installed here: the tests of the page are skipped" >&2

emulator:  ## install the emulator of Slack for the tests; without Node 20 and npm they are skipped
	@test -x $(EMULATOR)/node_modules/.bin/emulate || { command -v npm >/dev/null && \
	  [ "$$(node -p 'parseInt(process.versions.node)')" -ge 20 ] && mkdir -p $(EMULATOR) && \
	  npm install --silent --no-audit --no-fund --prefix $(EMULATOR) emulate@0.11.2 >/dev/null; } || \
	  echo "no Node 20 with npm, or no registry: the tests against the emulator of Slack are skipped" >&2

quality: $(VENV)/.develop $(INDEX)  ## how good the answers are, as a table
	@$(BIN)/rigwise eval quality

speed: $(VENV)/.develop $(INDEX)  ## how fast this machine embeds and answers, and how near its limits
	@$(BIN)/rigwise eval speed

audit: $(VENV)/.develop  ## licences, versions and known faults of everything installed
	$(BIN)/python -m pip check
	$(BIN)/python -m tools.audit requirements.lock
	@$(BIN)/pip-audit --requirement requirements.lock --no-deps --disable-pip --strict || \
	  { echo "pip-audit found something or could not reach its data: and so audited nothing: read its lines above" >&2; exit 1; }

sbom: $(VENV)/.develop  ## what is installed, as CycloneDX, in var/sbom.json
	@mkdir -p var
	$(BIN)/cyclonedx-py environment $(BIN)/python --output-file var/sbom.json

fuzz: $(VENV)/.develop  ## fuzz the whole API for five minutes, with the key and without
	$(BIN)/python -m tools.fuzz --seconds 300

load: $(VENV)/.develop $(INDEX)  ## load a real server with 1 to 256 clients, then 20,000 questions
	$(BIN)/python -m tools.load --seconds 120 --soak 20000

lock: $(VENV)/.develop  ## pin what is new in requirements.lock; python -m tools.lock requirements.lock --upgrade for all
	$(BIN)/python -m tools.lock requirements.lock

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; name it with PYTHON=…" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: pyproject.toml requirements.lock | $(VENV)/bin/python
	$(PIP) -e .
	@touch $@

$(VENV)/.develop: pyproject.toml requirements.lock | $(VENV)/bin/python
	$(PIP) -e '.[client,dev,eval,llm,mcp,ocr,oidc,otel,postgres,redis,slack,torch]' '$(TORCH)'
	@touch $(VENV)/.runtime $@

$(INDEX): $(INDEXED) | $(VENV)/.runtime
	@$(BIN)/rigwise index build
	@touch $@
