#!/usr/bin/env python3
"""Runs every check of .clang-tidy on every file of the library and the command line, compiled as in the dev preset.

A file that was clean is not looked at again until it, a header of the project that it includes, its compile command or
.clang-tidy changes: build/dev/tidy holds a stamp for each. Prints what is not clean and, last, how many files are.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "dev"
STAMPS = BUILD / "tidy"
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
FOLDERS = [ROOT / "include", ROOT / "src", ROOT / "app", BUILD / "src", BUILD / "app"]


def own_includes(path, known):
    """The files of the project that `path` includes, itself first, at any depth."""
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
        ["clang-tidy", "--quiet", "-p", str(BUILD), "--extra-arg=-Wno-unknown-warning-option", str(path)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    if run.returncode != 0:
        print(f"{run.stdout}not clean: {path.relative_to(ROOT)}", flush=True)
    return run.returncode == 0


def main():
    STAMPS.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(["git", "ls-files", "src/*.cpp", "app/*.cpp"], cwd=ROOT, check=True, text=True,
                            stdout=subprocess.PIPE).stdout.split()
    commands = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        commands[path] = entry.get("command") or shlex.join(entry["arguments"])
    known = {}
    waiting = []
    clean = 0
    for path in (ROOT / name for name in listed):
        stamp = STAMPS / fingerprint(path, commands.get(path, ""), known)
        if stamp.exists():
            clean += 1
        else:
            waiting.append((path, stamp))
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for (_, stamp), good in zip(waiting, pool.map(lambda item: is_clean(item[0]), waiting)):
            if good:
                stamp.touch()
                clean += 1
    print(f"{clean} of {len(listed)} files are clean, {len(listed) - len(waiting)} of them as before")
    return 0 if clean == len(listed) else 1


if __name__ == "__main__":
    sys.exit(main())
