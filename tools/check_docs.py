#!/usr/bin/env python3
"""Checks README.md, CONTRIBUTING.md, CHANGELOG.md and the pages of docs/ without running anything.

  * Every relative link leads to a file of the checkout, and its anchor to a heading of that page.
  * Every page of docs/ is linked to in docs/index.md and stands in mkdocs.yml.
  * Every flag behind `olem VERB` is one of that verb, by docs/options.md.
  * No page uses a word that the glossary replaced (docs/glossary.md, column "not", those listed below).
  * Every message in bold on docs/faq.md is one that the sources have.

  tools/check_docs.py    prints what is wrong; exit code 1 if there is anything
"""

import pathlib
import re
import sys
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)")
IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)|<img[^>]* src=\"([^\"]+)\"")
# Of the words that the glossary replaced those that have no other use in these pages.
REPLACED = [r"\bown doubts?\b", r"\blistens? to\b", r"\bbent\b", r"\bjudge's draws\b", r"\bwishes\b", r"\bis told\b",
            r"\boverclaim", r"success is to be expected"]
# Pages of the record, which quote what was said then.
EXEMPT = {"docs/glossary.md", "CHANGELOG.md"}


def pages():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(ROOT.glob("docs/**/*.md")),
            *sorted(ROOT.glob("examples/**/README.md"))]


def without_code(text):
    """The text with the inside of code blocks left blank, so that line numbers stay."""
    kept = []
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
            kept.append("")
        else:
            kept.append("" if fenced or line.startswith("    ") else line)
    return "\n".join(kept)


def anchor_of(heading):
    """As GitHub and the toc extension of Python-Markdown make it, for the headings of this project."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    plain = unicodedata.normalize("NFC", plain).lower()
    plain = re.sub(r"[^\w\s-]", "", plain).strip()
    return re.sub(r"\s+", "-", plain)


def anchors_of(path):
    text = without_code(path.read_text(encoding="utf-8"))
    return {anchor_of(title) for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)} | set(
        re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def check_links(path, text, faults):
    place = path.relative_to(ROOT)
    code = without_code(text)
    targets = [match.group(1) for match in LINK.finditer(code)]
    targets += [match.group(1) or match.group(2) for match in IMAGE.finditer(code)]
    for target in targets:
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if not file.exists():
            faults.append(f"{place}: the link {target} leads nowhere")
        elif anchor and file.suffix == ".md" and anchor not in anchors_of(file):
            faults.append(f"{place}: {target}: {file.relative_to(ROOT)} has no heading of that name")


def flags_of_verbs():
    """{verb: flags} from docs/options.md; the kinds of a verb count together."""
    flags = {}
    verb = None
    for line in (ROOT / "docs/options.md").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"## olem ([a-z-]+)", line):
            verb = match.group(1)
            flags.setdefault(verb, {"--help", "--help-all"})
        elif line.startswith("## "):
            verb = None
        elif verb and (match := re.match(r"\| `([^`]*)`", line)):
            flags[verb].update(re.findall(r"--[a-z0-9-]+", match.group(1)))
    return flags


def check_flags(path, text, flags, faults):
    for number, line in enumerate(text.splitlines(), 1):
        for match in re.finditer(r"(?:\bolem|\./run) ([a-z-]+)((?: [^`|#()]*)?)", line):
            verb, rest = match.groups()
            if verb not in flags:
                continue
            for flag in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", re.split(r"\bolem ", rest)[0]):
                if flag not in flags[verb]:
                    faults.append(f"{path.relative_to(ROOT)}:{number}: olem {verb} has no {flag}")


def check_merged(path, text, faults):
    if re.search(r"^(<<<<<<<|>>>>>>>) ", text, re.MULTILINE):
        faults.append(f"{path.relative_to(ROOT)}: a conflict of a merge was left in the page")


def check_words(path, text, faults):
    if str(path.relative_to(ROOT)) in EXEMPT:
        return
    for number, line in enumerate(text.splitlines(), 1):
        for word in REPLACED:
            if match := re.search(word, line):
                faults.append(f"{path.relative_to(ROOT)}:{number}: '{match.group(0)}': see docs/glossary.md")


def check_messages(faults):
    sources = "".join(path.read_text(encoding="utf-8") for folder in ("src", "app") for path in sorted((ROOT / folder).rglob("*.cpp")))
    sources = re.sub(r'"\s*\n\s*"', "", sources).replace('\\"', '"')
    text = (ROOT / "docs/faq.md").read_text(encoding="utf-8")
    messages = [message for bold in re.findall(r"^\*\*(`.*?)\*\*", text, re.MULTILINE) for message in re.findall(r"`([^`]+)`", bold)]
    if not messages:
        faults.append("docs/faq.md: no messages were found")
    for message in messages:
        # Names, numbers and files differ from case to case.
        for part in re.split(r"'[^']*'|\"[^\"]*\"|\(\w*\s?\d+\)|\d+ \w+(?: are)?|\w+\.\w+", message):
            if len(part.strip(" :(),.")) >= 5 and part.strip(" :(),.") not in sources:
                faults.append(f"docs/faq.md: no source has '{part.strip()}' of '{message}'")


def check_site(faults):
    listed = re.findall(r": ([\w/.-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    for path in sorted(ROOT.glob("docs/**/*.md")):
        if path.relative_to(ROOT).as_posix() not in listed:
            faults.append(f"mkdocs.yml: {path.relative_to(ROOT)} is not in the list of pages")
    for name in listed:
        if not (ROOT / name).exists() and not name.startswith("docs/api/"):  # made with the site
            faults.append(f"mkdocs.yml: there is no {name}")
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    for path in sorted(ROOT.glob("docs/**/*.md")):
        name = path.relative_to(ROOT / "docs").as_posix()
        if name != "index.md" and f"]({name})" not in index:
            faults.append(f"docs/index.md: there is no link to {name}")


def main():
    faults = []
    flags = flags_of_verbs()
    for path in pages():
        text = path.read_text(encoding="utf-8")
        check_merged(path, text, faults)
        check_links(path, text, faults)
        check_flags(path, text, flags, faults)
        check_words(path, text, faults)
    check_messages(faults)
    check_site(faults)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
