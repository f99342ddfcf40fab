"""What the tests of the packages share: an installed copy, the Debian packages unpacked, the wheel in an environment.

Each is made once, below build/, from the release build as it is: nothing of the library is compiled again.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OLEM_BUILD_FOLDER", SOURCE / "build" / "release"))
WORK = SOURCE / "build" / "packages"
SACHS = SOURCE / "data" / "sachs" / "sachs.csv"
REEF = SOURCE / "examples" / "bermuda"

# Nothing that could lead from a package back into the build folder.
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in ("LD_LIBRARY_PATH", "PYTHONPATH", "CMAKE_PREFIX_PATH", "PKG_CONFIG_PATH")
}


def run(*command, expect=0, **environment):
    """Runs a command; its standard output. Fails with all of its output when the exit code is another."""
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, env=ENVIRONMENT | environment, check=False
    )
    assert done.returncode == expect, f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def version():
    return run(BUILD / "app" / "olem", "--version").strip()


def expect_a_working_program(program, folder, reef=REEF):
    """An olem that knows its version, decides on bundled data and serves the page from its module."""
    assert run(program, "--version").strip() == version()
    answer = json.loads(run(program, "decide", reef / "task.json", "--sampler", "linear", "--json"))
    assert answer["version"] == version()
    decision = answer["decisions"][0]
    assert decision["success_probability"] > decision["without_action"] + 0.1
    model = folder / "reef.olem"
    run(program, "fit", reef / "task.json", "--sampler", "linear", "--no-calibrate", "--force", "-o", model)
    expect_served(program, "serve", model, "--port", "0")


def expect_served(*command):
    """A command that prints the address of the rehearsal page, answers there, and ends well with SIGTERM."""
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    try:
        address = server.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), server.stderr.read()
        with urllib.request.urlopen(address, timeout=20) as page:
            assert page.status == 200 and b"<html" in page.read()
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=20) == 0
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
        server.stderr.close()


def expect_no_way_back(folder):
    """No file names this checkout: programs by the paths they search, texts at all."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix == ".a":
            continue
        start = path.read_bytes()[:4]
        text = run("readelf", "-d", path) if start == b"\x7fELF" else path.read_text(encoding="utf-8")
        assert str(SOURCE) not in text, path


def build_project(source, folder, *options):
    launcher = {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache"} if shutil.which("ccache") else {}
    run("cmake", "-GNinja", f"-S{source}", f"-B{folder}", "-DCMAKE_CXX_COMPILER=g++", *options, **launcher)
    run("cmake", "--build", folder)


@pytest.fixture(scope="session")
def installed():
    """The prefix of cmake --install."""
    prefix = fresh(SOURCE / "build" / "installed")
    run("cmake", "--install", BUILD, "--prefix", prefix)
    return prefix


@pytest.fixture(scope="session")
def packages():
    """The files of cpack by package name."""
    folder = fresh(WORK / "deb")
    run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder)
    return {re.match(r"[a-z-]+", path.name).group(): path for path in folder.glob("*.deb")}


@pytest.fixture(scope="session")
def unpacked(packages):
    """Both packages in one folder, as they would lie in /."""
    folder = fresh(WORK / "root")
    for package in packages.values():
        run("dpkg-deb", "-x", package, folder)
    return folder


@pytest.fixture(scope="session")
def environment():
    """A virtual environment with NumPy in which the wheel is installed."""
    cache = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
    python = re.search(r"^OLEM_PYTHON:[A-Z]+=(.*)$", cache, re.M).group(1)
    wheels = fresh(WORK / "wheel")
    run(python, "-m", "pip", "wheel", SOURCE, "--no-deps", "--no-index", "--no-build-isolation", "-w", wheels,
        OLEM_WHEEL_BUILD=str(BUILD))  # fmt: skip
    (wheel,) = wheels.glob("*.whl")
    folder = fresh(WORK / "venv")
    run(python, "-m", "venv", "--system-site-packages", "--without-pip", folder)
    run(folder / "bin" / "python", "-m", "pip", "install", "--no-index", "--no-deps", wheel)
    return folder
