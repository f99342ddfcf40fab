"""The wheel in a virtual environment: the package, and the command that comes with it."""

import json

from conftest import SACHS, SOURCE, expect_a_working_program, expect_no_way_back, run, version


def test_the_package_is_imported_from_the_environment(environment):
    program = "import json, olem; print(json.dumps([olem.__file__, olem.__version__, len(olem.load_sachs().data)]))"
    file, number, rows = json.loads(run(environment / "bin" / "python", "-c", program))
    assert file.startswith(str(environment)) and rows == 853
    assert number == version()


def test_the_command_comes_along(environment, tmp_path):
    expect_a_working_program(environment / "bin" / "olem", tmp_path)


def test_the_command_and_the_package_agree(environment):
    command = json.loads(run(environment / "bin" / "olem", "order", SACHS, "-q", "--json"))["order"]
    program = "import olem; print(*olem.OLEMPlus().fit(olem.load_sachs().data).causal_order_)"
    assert run(environment / "bin" / "python", "-W", "ignore", "-c", program).split() == command


def test_metadata_is_that_of_the_project(environment):
    program = "import importlib.metadata as m, json; d = m.distribution('olem'); print(json.dumps([d.version, d.requires]))"
    number, requires = json.loads(run(environment / "bin" / "python", "-c", program))
    assert number == version() and any(line.startswith("numpy") for line in requires)


def test_programs_of_the_wheel_do_not_lead_back(environment):
    (package,) = environment.glob("lib/python*/site-packages/olem")
    assert str(SOURCE) in str(package)  # the environment lies below the checkout, so only what is searched counts
    expect_no_way_back(package / "bin")
