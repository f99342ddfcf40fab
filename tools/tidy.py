#!/usr/bin/env python3
"""Runs every check of .clang-tidy on the library and the command line, in the groups in which the tidy preset compiles them.

A group that was clean is not looked at again until one of its files, a header of the project that they include, its
compile command or .clang-tidy changes: build/tidy/clean holds a stamp for each. Prints what is not clean and, last, how many
groups are.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "tidy"
STAMPS = BUILD / "clean"
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
FOLDERS = [ROOT / "include", ROOT / "src", ROOT / "app", BUILD / "src", BUILD / "app"]
# The files of a group are included by one that CMake writes.
OFF = "-bugprone-suspicious-include"


def is_below(path, folder):
    return any(path.is_relative_to(folder / name) for name in ("src", "app"))


def own_includes(path, known):
    """The files of the project that `path` includes, itself among them, at any depth."""
    if path in known:
        return known[path]
    known[path] = {path}  # ends a circle
    found = {path}
    for name in INCLUDE.findall(path.read_text(errors="replace")):
        for folder in [path.parent, *FOLDERS]:
            if (folder / name).is_file():
                found |= own_includes((folder / name).resolve(), known)
                break
    known[path] = found
    return found


def fingerprint(path, command, known):
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    digest.update(command.encode())
    for used in sorted(own_includes(path, known)):
        digest.update(used.read_bytes())
    return digest.hexdigest()


def is_clean(path):
    """Whether clang-tidy has nothing to say; clang does not know all warnings of g++."""
    run = subprocess.run(
        ["clang-tidy", "--quiet", "-p", str(BUILD), f"--checks={OFF}", "--extra-arg=-Wno-unknown-warning-option",
         str(path)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    if run.returncode != 0:
        print(f"{run.stdout}not clean: {path.relative_to(ROOT)}", flush=True)
    return run.returncode == 0


def main():
    STAMPS.mkdir(parents=True, exist_ok=True)
    known = {}
    groups = []
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if not (is_below(path, ROOT) or path.parent.name == "Unity" and is_below(path, BUILD)):
            continue  # the Python module, and files that are made
        groups.append((path, STAMPS / fingerprint(path, entry["command"], known)))
    waiting = [group for group in groups if not group[1].exists()]
    clean = len(groups) - len(waiting)
    before = clean
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for (_, stamp), good in zip(waiting, pool.map(lambda group: is_clean(group[0]), waiting)):
            if good:
                stamp.touch()
                clean += 1
    print(f"{clean} of {len(groups)} groups of files are clean, {before} of them as before")
    return 0 if clean == len(groups) else 1


if __name__ == "__main__":
    sys.exit(main())
