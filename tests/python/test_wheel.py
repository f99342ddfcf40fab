"""The build back end: a wheel of the package as it was built here."""

import base64
import hashlib
import importlib.util
import os
import subprocess
import sys
import zipfile

import olem
from conftest import BUILD, SOURCE


def test_a_wheel_holds_a_package_that_works(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("backend", SOURCE / "python" / "backend" / "build_backend.py")
    backend = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(backend)
    monkeypatch.setattr(backend, "_build_package", lambda: BUILD)
    wheel = zipfile.ZipFile(tmp_path / backend.build_wheel(str(tmp_path)))

    info = f"olem-{olem.__version__}.dist-info"
    record = wheel.read(f"{info}/RECORD").decode().splitlines()
    assert len(record) == len(wheel.namelist())
    for line in record:
        name, digest, size = line.rsplit(",", 2)
        if digest:
            content = wheel.read(name)
            expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={expected}", len(content))
    metadata = wheel.read(f"{info}/METADATA").decode()
    assert f"Version: {olem.__version__}" in metadata and "Requires-Dist: numpy" in metadata

    wheel.extractall(tmp_path / "site")
    program = "import olem; print(olem.__file__, len(olem.load_sachs().data))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path)) and done.stdout.endswith(" 853\n")
