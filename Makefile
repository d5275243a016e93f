# Each target does all of its set-up; nothing needs to run or be installed but Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN_READY := $(VENV)/.run-ready
DEV_READY := $(VENV)/.dev-ready

.PHONY: run test lint bench chaos egg pictures clean

run: $(RUN_READY)  ## crawl, index, and the page at http://127.0.0.1:5000
	@$(BIN)/scrapy up

test: $(DEV_READY)  ## every test; installs RabbitMQ, Redis and Chromium where it may
	@sh tests/services/install.sh
	$(BIN)/python -m pytest -n 2 --dist loadfile $(PYTEST_ARGS)

lint: $(DEV_READY)  ## style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(DEV_READY)  ## our crawl beside its peers, one table
	$(BIN)/python -m bench

chaos: $(DEV_READY)  ## the long runs of kills and faults; make test runs a small part of them
	@sh tests/services/install.sh
	CHAOS=full $(BIN)/python -m pytest -m chaos $(PYTEST_ARGS)

egg: $(DEV_READY)  ## the egg that scrapyd runs
	$(BIN)/python setup.py -q clean --all bdist_egg

pictures: $(DEV_READY)  ## screenshots of the page for docs/pictures
	@sh tests/services/install.sh
	$(BIN)/python tests/pictures.py

$(RUN_READY): requirements.txt
	@PYTHON="$(PYTHON)" sh .ci/environment $(VENV) requirements.txt
	@touch $@

$(DEV_READY): requirements.txt requirements-dev.txt
	@PYTHON="$(PYTHON)" sh .ci/environment $(VENV) requirements-dev.txt
	@touch $@ $(RUN_READY)

clean:  ## remove the environment and what was built; var/ with the data stays
	rm -rf $(VENV) build dist *.egg-info
