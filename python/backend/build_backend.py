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
    """From the one place where it is written: the project line of CMakeLists.txt."""
    found = re.search(r"^project\(olem VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)
    assert found is not None
    return found.group(1)


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


def _build_package(folder: Path) -> Path:
    configure = [
        "cmake",
        f"-S{ROOT}",
        f"-B{folder}",
        "-DCMAKE_BUILD_TYPE=Release",
        "-DOLEM_BUILD_TESTS=OFF",
        "-DOLEM_BUILD_BENCHMARKS=OFF",
        f"-DOLEM_PYTHON={sys.executable}",
    ]
    if shutil.which("ninja") is not None:
        configure.append("-GNinja")
    subprocess.run(configure, check=True)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    subprocess.run(["cmake", "--build", folder, "--target", "python", "--parallel", jobs], check=True)
    return folder / "python" / "olem"


def _tag() -> str:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """PEP 517. The build folder, build/wheel or what OLEM_WHEEL_BUILD names, is kept, so that the next is quicker."""
    package = _build_package(Path(os.environ.get("OLEM_WHEEL_BUILD", ROOT / "build" / "wheel")))
    info = f"olem-{_version()}.dist-info"
    files = {
        f"olem/{path.relative_to(package).as_posix()}": path.read_bytes()
        for path in sorted(package.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    files[f"{info}/METADATA"] = _metadata().encode()
    wheel = f"Wheel-Version: 1.0\nGenerator: olem\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    files[f"{info}/WHEEL"] = wheel.encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    record += f"{info}/RECORD,,\n"
    files[f"{info}/RECORD"] = record.encode()
    file = f"olem-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
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
