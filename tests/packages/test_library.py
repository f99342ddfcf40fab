"""The installed library: find_package, pkg-config, the examples, and olem as a part of another project."""

import json
import re
import subprocess

import pytest
from conftest import (
    BUILD,
    ENVIRONMENT,
    REEF,
    SACHS,
    SOURCE,
    WORK,
    build_project,
    expect_a_working_program,
    expect_no_way_back,
    expect_served,
    fresh,
    run,
    version,
)

EXAMPLES = sorted(path.stem for path in (SOURCE / "examples" / "cpp").glob("*.cpp"))


def order_of_the_program():
    return json.loads(run(BUILD / "app" / "olem", "order", SACHS, "-q", "--json"))["order"]


@pytest.fixture(scope="module")
def examples(installed):
    folder = fresh(WORK / "examples")
    build_project(SOURCE / "examples" / "cpp", folder, f"-DCMAKE_PREFIX_PATH={installed}")
    return folder


def test_the_installed_program_works(installed, tmp_path):
    expect_a_working_program(installed / "bin" / "olem", tmp_path, installed / "share/doc/olem/examples/bermuda")


def test_what_is_installed_does_not_lead_back(installed):
    expect_no_way_back(installed)


def test_a_consumer_finds_the_package(installed):
    folder = fresh(WORK / "consumer")
    build_project(SOURCE / "tests/packages/consumer", folder, f"-DCMAKE_PREFIX_PATH={installed}")
    assert run(folder / "consumer", SACHS).split() == order_of_the_program()


def test_a_consumer_finds_the_package_by_pkg_config(unpacked):
    # Unpacked elsewhere than it says in the package: its paths are relative.
    path = {"PKG_CONFIG_PATH": str(unpacked / "usr/lib/pkgconfig")}
    assert run("pkg-config", "--modversion", "olem", **path).strip() == version()
    flags = run("pkg-config", "--cflags", "--libs", "olem", **path).split()
    program = fresh(WORK / "pkg-config") / "consumer"
    run("g++", "-std=c++20", SOURCE / "tests/packages/consumer/main.cpp", "-o", program, *flags)
    assert run(program, SACHS).split() == order_of_the_program()


def test_a_consumer_finds_the_modules(installed, tmp_path):
    folder = fresh(WORK / "server")
    build_project(SOURCE / "tests/packages/server", folder, f"-DCMAKE_PREFIX_PATH={installed}")
    model = tmp_path / "reef.olem"
    run(installed / "bin" / "olem", "fit", REEF / "task.json", "--sampler", "linear", "--no-calibrate", "-o", model)
    expect_served(folder / "server", model)


@pytest.mark.parametrize(("wanted", "found"), [("0.2", True), ("0.2.0", True), ("0.1", False), ("0.3", False), ("1", False)])
def test_only_versions_with_the_same_interface_are_found(installed, tmp_path, wanted, found):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(versions LANGUAGES CXX)\n"
        f"find_package(olem {wanted} CONFIG QUIET)\n"
        'message(STATUS "found: ${olem_FOUND}, considered: ${olem_CONSIDERED_VERSIONS}")\n'
    )
    said = run("cmake", f"-S{tmp_path}", f"-B{tmp_path / 'build'}", f"-DCMAKE_PREFIX_PATH={installed}")
    assert f"found: {int(found)}, considered: 0.2.0" in said


def test_every_public_header_is_installed_and_stands_alone(installed):
    headers = sorted(path.name for path in (SOURCE / "include" / "olem").glob("*.h"))
    assert sorted(path.name for path in (installed / "include" / "olem").glob("*.h")) == headers
    umbrella = (installed / "include" / "olem" / "olem.h").read_text()
    source = fresh(WORK / "headers") / "all.cpp"
    source.write_text("".join(f"#include <olem/{name}>\n" for name in reversed(headers)) + "int main() {}\n")
    flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{installed / 'include'}"]
    run("g++", *flags, "-fsyntax-only", source)
    assert '#include "olem/decision.h"' in umbrella


def test_each_example_is_short():
    assert len(EXAMPLES) == 4
    for name in EXAMPLES:
        assert len((SOURCE / "examples" / "cpp" / f"{name}.cpp").read_text().splitlines()) <= 40


def test_the_page_shows_the_examples_as_they_are():
    page = (SOURCE / "docs" / "cpp.md").read_text()
    for name in EXAMPLES:
        assert (SOURCE / "examples" / "cpp" / f"{name}.cpp").read_text() in page
    installing = (SOURCE / "docs" / "install.md").read_text()
    assert (SOURCE / "tests/packages/consumer/CMakeLists.txt").read_text() in installing


def test_the_citation_names_this_version():
    assert f"\nversion: {version()}\n" in (SOURCE / "CITATION.cff").read_text()


def test_example_order(examples):
    said = run(examples / "1_order", SACHS)
    assert said.splitlines()[0].split(" > ") == order_of_the_program()
    assert "(not decided)" in said


def test_example_fit_and_decide(examples):
    said = run(examples / "2_fit_and_decide", REEF / "data.csv")
    assert "set DIC to" in said or "set TA to" in said or "set Omega to" in said
    numbers = [float(word.strip(";()")) for word in said.splitlines()[-1].replace(":", " ").split() if word[-1].isdigit()]
    assert numbers[0] > numbers[-1]


def test_example_model_file(examples, tmp_path):
    said = run(examples / "3_model_file", REEF / "task.json", tmp_path / "reef.olem")
    assert [line.split("  ")[0] for line in said.splitlines()] == ["Light = -1.00", "Light = 0.00", "Light = 1.00"]
    expect_served(BUILD / "app" / "olem", "serve", tmp_path / "reef.olem", "--port", "0")


def test_example_own_learner(examples):
    said = run(examples / "4_own_learner", SACHS, SOURCE / "data/sachs/graph.csv")
    turned = {line.split()[0]: int(line.split()[2]) for line in said.splitlines()}
    assert list(turned) == ["olem", "listen", "varsort", "range"] and turned["olem"] == 8


def test_examples_refuse_with_the_codes_of_the_command_line(examples):
    done = subprocess.run([examples / "1_order", "no.csv"], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert done.returncode == 5 and "no.csv" in done.stderr


def test_a_project_that_fetches_olem_keeps_its_own_flags():
    folder = fresh(WORK / "host")
    run("cmake", "-GNinja", f"-S{SOURCE / 'tests/packages/host'}", f"-B{folder}", f"-DOLEM_SOURCE={SOURCE}",
        "-DCMAKE_CXX_COMPILER=g++", "-DOLEM_UNITY=OFF")  # fmt: skip
    commands = json.loads((folder / "compile_commands.json").read_text())
    assert any(command["file"].endswith("src/core/version.cpp") for command in commands)
    for command in commands:
        words = command["command"].split()
        assert "-Werror" not in words and "-Wconversion" not in words and not words[0].endswith("ccache")
        assert "/src/" in command["file"] or command["file"].endswith("main.cpp")  # no program, no test
    assert "-fuse-ld" not in (folder / "build.ninja").read_text()
    assert "Total Tests: 1" in run("ctest", "--test-dir", folder, "-N")
    # One file of the library and the program that includes it are compiled, which is enough to see that flags and
    # folders reach both; the whole library again would take minutes.
    shown = [command["command"] for command in commands if command["file"].endswith(("/version.cpp", "/main.cpp"))]
    outputs = [re.search(r" -o (\S+)", command).group(1) for command in shown]
    assert len(outputs) == 2
    run("ninja", "-C", folder, *outputs)
