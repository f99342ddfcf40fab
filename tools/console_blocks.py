#!/usr/bin/env python3
"""Runs the console blocks of README.md and docs/ and compares what they show with what the program prints.

A block begins with ```console. Lines that begin with "$ " are commands for bash, lines that begin with "> " go on with
them; the other lines are what the command prints, standard error included. Blocks of a page run one after another in one
temporary folder, which has examples/ and data/ of the checkout, `./run` and `olem` in its path. A command without output
below it must print nothing.

Blanks do not count, nor where lines are broken. A number may differ by 2 % or by one unit of its last digit, whichever is
more: other processors and other builds give other last digits, and searches stop elsewhere. Single digits count things and
must be equal. A line "..." stands for any
lines. Commands that never end (olem serve) or that need a network belong into a block of another kind, such as ```sh.

  tools/console_blocks.py                       all pages
  tools/console_blocks.py README.md docs/x.md   these pages
  tools/console_blocks.py --write [PAGE...]     puts what is printed into the pages; blocks with "..." are left alone
  OLEM=PROGRAM                                  the program; build/release/app/olem unless said
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RELATIVE = 0.02
NUMBER = re.compile(r"(?<![\w.])[-+−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")
FENCE = re.compile(r"^( *)```console *\n(.*?)^\1``` *$", re.MULTILINE | re.DOTALL)


class Command:
    def __init__(self):
        self.lines = []  # as written, without the prompt
        self.expected = []

    @property
    def text(self):
        return "\n".join(self.lines)


def commands_of(block):
    commands = []
    for line in block.splitlines():
        if line.startswith("$ "):
            commands.append(Command())
            commands[-1].lines.append(line[2:])
        elif line.startswith("> ") and commands and not commands[-1].expected:
            commands[-1].lines.append(line[2:])
        elif commands:
            commands[-1].expected.append(line)
        elif line.strip():
            raise SystemExit(f"A console block begins with output: {line}")
    return commands


def step(number):
    """One unit of the last digit of a number as written; 0 of a digit alone, which counts something."""
    if re.fullmatch(r"[-+−]?\d", number):
        return 0.0
    mantissa, _, exponent = number.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - digits)


def same(expected, printed):
    """Whether two texts without blank lines and line breaks agree."""
    if NUMBER.sub("#", expected) != NUMBER.sub("#", printed):
        return False
    for first, second in zip(NUMBER.findall(expected), NUMBER.findall(printed)):
        a, b = (float(number.replace("−", "-")) for number in (first, second))
        if abs(a - b) > max(RELATIVE * abs(a), 1.001 * step(first)):
            return False
    return True


def agree(expected, printed):
    """Whether the printed text is the expected one; "..." on a line of its own stands for anything."""
    parts = [" ".join(part.split()) for part in re.split(r"^\s*\.\.\.\s*$", "\n".join(expected), flags=re.MULTILINE)]
    words = " ".join(printed.split())
    if len(parts) == 1:
        return same(parts[0], words)
    # Numbers of about the same length: where the parts begin and end is found by their words.
    tokens = words.split()
    at = 0
    for place, part in enumerate(parts):
        wanted = part.split()
        last = place == len(parts) - 1
        starts = [at] if place == 0 else [len(tokens) - len(wanted)] if last else range(at, len(tokens) + 1)
        for start in starts:
            if start >= at and same(part, " ".join(tokens[start:start + len(wanted)])):
                at = start + len(wanted)
                break
        else:
            return False
    return True


def make_folder(folder, olem):
    for name in ("examples", "data", "README.md"):
        os.symlink(ROOT / name, folder / name)
    binaries = folder / ".bin"
    binaries.mkdir()
    for path in (binaries / "olem", folder / "run"):
        os.symlink(olem, path)
    environment = dict(os.environ, PATH=f"{binaries}:{os.environ['PATH']}", TERM="dumb", LC_ALL="C.UTF-8")
    environment["OPENBLAS_NUM_THREADS"] = "1"
    return environment


def run_page(page, olem, write):
    """The number of commands, and what is wrong."""
    text = page.read_text(encoding="utf-8")
    faults = []
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = make_folder(folder, olem)

        def run_block(match):
            nonlocal count
            indent = match.group(1)
            block = "\n".join(line.removeprefix(indent) for line in match.group(2).splitlines())
            lines = []
            for command in commands_of(block):
                count += 1
                # Lines are as wide as a page shows them.
                process = subprocess.run(["bash", "-c", command.text], cwd=folder, env=environment, text=True,
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                         timeout=300, check=False)
                printed = process.stdout.rstrip("\n")
                lines += [f"{'$' if k == 0 else '>'} {line}" for k, line in enumerate(command.lines)]
                if agree(command.expected, printed):
                    lines += command.expected
                    continue
                elided = any(line.strip() == "..." for line in command.expected)
                if write and not elided:
                    shown = printed.splitlines()
                    # A blank line before the next prompt stays.
                    if command.expected and not command.expected[-1].strip():
                        shown.append("")
                    lines += shown
                    print(f"{page.relative_to(ROOT)}: written: {command.text}")
                    continue
                lines += command.expected
                faults.append(f"{page.relative_to(ROOT)}: $ {command.text}\n--- shown\n" + "\n".join(command.expected) +
                              f"\n--- printed, exit code {process.returncode}\n{printed}\n")
            return "\n".join([f"{indent}```console", *(f"{indent}{line}".rstrip() for line in lines), f"{indent}```"])

        written = FENCE.sub(run_block, text)
    if write and written != text:
        page.write_text(written, encoding="utf-8")
    return count, faults


def main():
    words = sys.argv[1:]
    write = "--write" in words
    names = [word for word in words if not word.startswith("--")]
    pages = [pathlib.Path(name).resolve() for name in names] or [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
    olem = pathlib.Path(os.environ.get("OLEM", ROOT / "build/release/app/olem")).resolve()
    if not os.access(olem, os.X_OK):
        sys.exit(f"There is no program {olem}. Build it, or name it with OLEM=.")
    commands = 0
    faults = []
    for page in pages:
        count, wrong = run_page(page, olem, write)
        commands += count
        faults += wrong
    print("\n".join(faults), end="")
    print(f"{commands} commands of {len(pages)} pages, {len(faults)} differ.")
    # A run that finds no command would prove nothing.
    return 1 if faults or (commands == 0 and not names) else 0


if __name__ == "__main__":
    sys.exit(main())
