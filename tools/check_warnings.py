#!/usr/bin/env python3
"""Compares the table of warning codes (src/core/warning_codes.cpp) with the codes that the sources give.

A code is the first text of a Warning, or the text behind the severity of a Problem. Every one must have an entry that
`olem explain-warning CODE` can print, and every entry must be given somewhere. Codes that are built from parts, or that
are handed on, are not seen; none is built today.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "src/core/warning_codes.cpp"
CODE = r'"([a-z][a-z0-9_]*)"'
GIVEN = [
    # summary.warnings.push_back({"code", Warning{"code", warn({{"code", warnings_ = {{"code"
    rf'warnings?_?\.(?:push_back|emplace_back)\(\s*(?:Warning)?\s*\{{\s*{CODE}',
    rf'\bWarning\s*(?:\w+\s*)?\{{\s*{CODE}',
    rf'warnings_\s*=\s*\{{\{{\s*{CODE}',
    rf'\b(?:warn\w*|add)\(\s*\{{\{{\s*{CODE}',
    rf'\bwarn\(\s*{CODE}\s*,',
    rf'return \{{\{{{CODE},\s*fmt::format\(\s*"[A-Z]',
    # {Severity::kError, "code"; a condition may choose the severity or the code
    rf'Severity::k\w+,\s*(?:std::string\()?{CODE}',
    rf'Severity::k\w+\s*,\s*[^;{{}}"]*\?\s*{CODE}\s*:\s*{CODE}',
    rf'\{{\s*severity,\s*{CODE}',
    # add_error(problems, "code", ...) of the checks of a task
    rf'\bproblems,\s*{CODE}',
    # a condition that chooses among codes, and codes with a name
    rf'\?\s*{CODE}\s*:\s*{CODE},\s*(?:error|problem)',
    rf'constexpr std::string_view k(?:EmptyRegion|NoFeasibleDecision) = {CODE}',
    rf'kCodes\[\] = \{{{CODE}, {CODE}, {CODE}\}}',
]


def codes_given():
    found = {}
    for path in sorted([*ROOT.glob("src/**/*.cpp"), *ROOT.glob("src/**/*.h"), *ROOT.glob("app/*.cpp")]):
        if path == TABLE:
            continue
        text = path.read_text(encoding="utf-8")
        for pattern in GIVEN:
            for match in re.finditer(pattern, text):
                for code in match.groups():
                    found.setdefault(code, path.relative_to(ROOT))
    return found


def main():
    listed = re.findall(rf'^    \{{{CODE}', TABLE.read_text(encoding="utf-8"), re.MULTILINE)
    given = codes_given()
    if "--list" in sys.argv[1:]:
        for code, path in sorted(given.items()):
            print(f"{code}  {path}")
        return 0
    faults = [f"{given[code]}: the code '{code}' has no entry in {TABLE.relative_to(ROOT)}" for code in sorted(given)
              if code not in listed]
    faults += [f"{TABLE.relative_to(ROOT)}: no source gives the code '{code}'" for code in listed if code not in given]
    described = re.findall(r"^\| ((?:`[a-z_]+`(?:, )?)+)", (ROOT / "docs/checks.md").read_text(encoding="utf-8"),
                           re.MULTILINE)
    for code in sorted({code for cell in described for code in re.findall("`([a-z_]+)`", cell)} - set(listed)):
        if code not in ("error", "note", "warning"):  # severities
            faults.append(f"docs/checks.md: the code '{code}' has no entry in {TABLE.relative_to(ROOT)}")
    if len(given) < 40:
        faults.append("Only a few codes were found: the patterns of this script no longer fit the sources.")
    if listed != sorted(listed):
        faults.append(f"{TABLE.relative_to(ROOT)}: the codes are not in alphabetical order")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
