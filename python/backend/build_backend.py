"""The build back end of pyproject.toml (PEP 517): CMake builds the package folder, and this puts it into a wheel."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def _version() -> str:
    """From the one place where it is written: the first lines of CMakeLists.txt."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    number = re.search(r"^project\(olem VERSION ([0-9.]+)", text, re.M)
    suffix = re.search(r'^set\(OLEM_VERSION_SUFFIX "([^"]*)"\)', text, re.M)
    assert number is not None and suffix is not None
    return number.group(1) + suffix.group(1)


def _metadata() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {_version()}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {name}" for name in project["dependencies"]),
    ]
    for extra, names in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {name}; extra == '{extra}'" for name in names)]
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + (ROOT / project["readme"]).read_text(encoding="utf-8")


def _configure(folder: Path) -> None:
    configure = [
        "cmake",
        f"-S{ROOT}",
        f"-B{folder}",
        "-DCMAKE_BUILD_TYPE=Release",
        "-DOLEM_BUILD_TESTS=OFF",
        "-DOLEM_BUILD_BENCHMARKS=OFF",
        "-DOLEM_DEVELOPER=OFF",  # whoever installs olem may have a compiler that warns of more
        f"-DOLEM_PYTHON={sys.executable}",
    ]
    if shutil.which("ninja") is not None:
        configure.append("-GNinja")
    subprocess.run(configure, check=True)


def _check_folder(folder: Path) -> None:
    """A folder that was configured by others is used as it is, if it makes what this Python can load."""
    cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
    python = re.search(r"^OLEM_PYTHON:[A-Z]+=(.*)$", cache, re.M)
    if python is None or "CMAKE_BUILD_TYPE:STRING=Release" not in cache:
        raise RuntimeError(f"{folder} is no release build with the Python package.")
    program = "import sysconfig; print(sysconfig.get_config_var('SOABI'))"
    found = subprocess.run([python.group(1), "-c", program], check=True, capture_output=True, text=True).stdout.strip()
    if found != sysconfig.get_config_var("SOABI"):
        raise RuntimeError(f"{folder} is for {python.group(1)} ({found}), another Python than {sys.executable}.")


def _build_package() -> Path:
    """The folder that holds python/olem and app/olem, built. OLEM_WHEEL_BUILD names one that is configured already."""
    named = os.environ.get("OLEM_WHEEL_BUILD")
    folder = Path(named) if named else ROOT / "build" / "wheel"
    if named:
        _check_folder(folder)
    else:
        _configure(folder)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    subprocess.run(["cmake", "--build", folder, "--target", "python", "olem", "--parallel", jobs], check=True)
    return folder


def _tag() -> str:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


# The command: runs the program beside the package, without importing it, which would take longer than most commands.
SCRIPT = """#!python
import importlib.util
import os
import sys

package = importlib.util.find_spec("olem").submodule_search_locations[0]
program = os.path.join(package, "bin", "olem")
os.execv(program, [program, *sys.argv[1:]])
"""


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """PEP 517. The build folder, build/wheel or what OLEM_WHEEL_BUILD names, is kept, so that the next is quicker."""
    folder = _build_package()
    package = folder / "python" / "olem"
    name = f"olem-{_version()}"
    info = f"{name}.dist-info"
    files = {
        f"olem/{path.relative_to(package).as_posix()}": path.read_bytes()
        for path in sorted(package.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    # The program looks for its modules beside itself too.
    programs = [folder / "app" / "olem", *sorted((folder / "app").glob("libolem_*.so"))]
    files |= {f"olem/bin/{path.name}": path.read_bytes() for path in programs}
    files[f"{name}.data/scripts/olem"] = SCRIPT.encode()
    files[f"{info}/METADATA"] = _metadata().encode()
    wheel = f"Wheel-Version: 1.0\nGenerator: olem\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    files[f"{info}/WHEEL"] = wheel.encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = ""
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    record += f"{info}/RECORD,,\n"
    files[f"{info}/RECORD"] = record.encode()
    file = f"{name}-{_tag()}.whl"
    executable = ("olem/bin/olem", f"{name}.data/scripts/olem")
    with zipfile.ZipFile(Path(wheel_directory) / file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)  # dated 1980: the same files make the same wheel
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path in executable else 0o100644) << 16
            archive.writestr(entry, content)
    return file


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """PEP 517: the files that git knows."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    base = f"olem-{_version()}"
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in names.decode().split("\0"):
            if name:
                archive.add(ROOT / name, f"{base}/{name}")
        info = tarfile.TarInfo(f"{base}/PKG-INFO")
        content = _metadata().encode()
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return f"{base}.tar.gz"
