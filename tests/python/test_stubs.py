"""The stubs are those of the built module.

To make them anew: PYTHONPATH=build/release/python python3 python/tools/make_stubs.py python/olem
"""

import ast
import importlib.util
import inspect

import pytest

import olem
from conftest import SOURCE

PACKAGE = SOURCE / "python" / "olem"


@pytest.fixture(scope="module")
def made():
    spec = importlib.util.spec_from_file_location("make_stubs", SOURCE / "python" / "tools" / "make_stubs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.stubs()


@pytest.mark.parametrize("file", ["_estimators.pyi", "_functions.pyi", "_olem.pyi"])
def test_stubs_are_what_the_built_module_gives(file, made):
    assert (PACKAGE / file).read_text(encoding="utf-8") == made[file]


def test_stubs_say_the_parameters_that_the_classes_take():
    tree = ast.parse((PACKAGE / "_estimators.pyi").read_text(encoding="utf-8"))
    for node in tree.body:
        if not isinstance(node, ast.ClassDef) or node.name.startswith("_"):
            continue
        (init,) = [entry for entry in node.body if isinstance(entry, ast.FunctionDef)]
        real = inspect.signature(getattr(olem, node.name)).parameters
        assert [argument.arg for argument in init.args.kwonlyargs] == list(real)


def test_the_package_is_marked_as_typed():
    assert (PACKAGE / "py.typed").exists()


def test_everything_public_has_a_docstring():
    for name in olem.__all__:
        if name != "__version__":
            assert getattr(olem, name).__doc__, name
