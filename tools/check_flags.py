#!/usr/bin/env python3
"""Checks that the library names no flag of the command line.

Messages and help lines of src/ and include/ speak of options by their keys; app/ spells them as flags, Python as keyword
arguments. A flag in a string literal is advice that is wrong on every other surface.

  tools/check_flags.py    prints every such literal; exit code 1 if there is one
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Variables of CSS look like flags.
EXEMPT = {"src/report/page.cpp"}
# A string, or something in which quotes do not begin one.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|\'(?:\\.|[^\'\\\n])\'|"((?:\\.|[^"\\\n])*)"', re.DOTALL)
FLAG = re.compile(r"(?<![\w-])--[a-z]")


def flags_in(text):
    """[(line, literal)] of the literals that hold a flag."""
    found = []
    for token in TOKEN.finditer(text):
        if token.group(1) is not None and FLAG.search(token.group(1)):
            found.append((text.count("\n", 0, token.start()) + 1, token.group(1)))
    return found


def main():
    # The check itself must be able to fail.
    assert flags_in('a("Use --ties skip."); // --k\n--a;') == [(1, "Use --ties skip.")]
    failed = False
    for folder in ("src", "include"):
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix not in (".cpp", ".h") or name in EXEMPT:
                continue
            for line, literal in flags_in(path.read_text()):
                print(f'{name}:{line}: a flag in a message of the library: "{literal}"')
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
