# Two commands do everything, set-up included: `make book` and `make test`.
PYTHON ?= python3
VENV ?= .venv
PORT ?= 8000
# Where pip finds the CPU build of torch, if its default would bring gigabytes of GPU libraries:
#   make book TORCH_INDEX=https://download.pytorch.org/whl/cpu
TORCH_INDEX ?=
# What `make test` runs; empty means everything.
TESTS ?=

BIN := $(VENV)/bin
PACKAGE := $(shell find xorlit -name '*.py' -o -name '*.json' -o -name '*.mplstyle')

.PHONY: book serve test lint clean

book: $(VENV)/ready _build/fresh
	rm -rf _build/html _build/.doctrees
	$(BIN)/jupyter-book build . -W -n --keep-going
	@echo "Open _build/html/index.html, or run 'make serve'."

serve:
	$(PYTHON) -m http.server --directory _build/html --bind 127.0.0.1 $(PORT)

test: lint
	$(BIN)/pytest $(TESTS)

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

clean:
	rm -rf _build

$(VENV)/ready: requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
ifneq ($(TORCH_INDEX),)
	$(BIN)/pip install --index-url $(TORCH_INDEX) $(shell grep ^torch== requirements.txt)
endif
	$(BIN)/pip install --requirement requirements.txt
	$(BIN)/pip install --no-deps --editable .
	touch $@

# Executed chapters are cached by their cells alone, so the cache goes whenever the package or the
# pins change.
_build/fresh: $(PACKAGE) requirements.txt
	rm -rf _build
	mkdir -p _build
	touch $@
