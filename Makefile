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
PACKAGE := $(shell find xorlit -type f -not -name '*.pyc')

.PHONY: book pdf student serve test lint clean

book: $(VENV)/ready _build/fresh
	rm -rf _build/html _build/.doctrees
	$(BIN)/jupyter-book build . -W -n --keep-going
	@echo "Open _build/html/index.html, or run 'make serve'."

# The whole book as one tagged PDF with an outline, printed by Chromium.
pdf: $(VENV)/ready _build/fresh
	rm -rf _build/singlehtml _build/.doctrees
	$(BIN)/jupyter-book build . -W -n --keep-going --builder singlehtml
	$(BIN)/python book/_ext/pdf.py _build/singlehtml _build/xorlit.pdf
	@echo "The book is _build/xorlit.pdf."

# The book without the solutions of its exercises, for a course.
student: $(VENV)/ready
	$(BIN)/python book/_ext/student.py _build/student
	$(BIN)/jupyter-book build _build/student -W -n --keep-going
	@echo "Open _build/student/_build/html/index.html."

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
