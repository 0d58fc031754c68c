"""What a user of the installed package relies on."""

import inspect
import pkgutil
import subprocess
import sys

import pytest

import xorlit
from xorlit import experiments, results


def test_import_takes_no_heavy_library():
    code = (
        "import sys, xorlit; xorlit.SparseXOR(4);"
        "print([m for m in ('torch', 'matplotlib', 'ipywidgets', 'scipy') if m in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def public_objects():
    for name in xorlit.__all__:
        thing = getattr(xorlit, name)
        if not inspect.ismodule(thing):
            yield name, thing
        else:
            for inner, member in vars(thing).items():
                if getattr(member, "__module__", None) == thing.__name__ and inner[0] != "_":
                    yield f"{name}.{inner}", member


@pytest.mark.parametrize(
    ("name", "thing"), list(public_objects()), ids=lambda value: str(value)[:40]
)
def test_every_public_name_is_documented(name, thing):
    doc = inspect.getdoc(thing)
    assert doc, f"{name} has no docstring"
    if not name.startswith("experiments."):
        assert "Source:" in doc, f"{name} does not say where it comes from"


def top_level():
    return [name for name in xorlit.__all__ if not inspect.ismodule(getattr(xorlit, name))]


@pytest.mark.parametrize("name", top_level())
def test_every_top_level_name_has_an_example(name):
    assert ">>>" in inspect.getdoc(getattr(xorlit, name))


def test_no_module_shares_its_name_with_a_public_function():
    modules = {module.name for module in pkgutil.iter_modules(xorlit.__path__)}
    assert not modules & set(top_level())


@pytest.mark.parametrize("name", experiments.names())
def test_every_experiment_has_a_saved_result_with_its_own_configuration(name):
    saved = results.load(name)
    assert saved.config == experiments.config(name)
    assert saved.provenance["commit"]


def test_no_saved_result_is_an_orphan():
    assert sorted(path.stem for path in results.DATA.glob("*.json")) == experiments.names()
