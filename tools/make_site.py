#!/usr/bin/env python3
"""Builds the site of the documentation into build/site/html; ./run docs installs what it needs and calls it.

  1. The pages go to build/site/pages with the paths of the checkout.
  2. The C++ reference is made by Doxygen from include/olem, whose comments are plain; a filter marks them.
  3. The Python reference is made from the signatures and docstrings of python/olem; nothing is imported.
  4. mkdocs makes the site, with search; a link that leads nowhere is an error.
"""

import ast
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITE = ROOT / "build/site"
PAGES = SITE / "pages"
# What pages link to.
COPIED = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "CITATION.cff", "docs", "examples",
          "data/sachs", "data/bermuda", "data/paper", "fuzz/README.md", "python/examples", "tests/golden/README.md",
          "tests/kept/README.md"]

DOXYGEN = """
PROJECT_NAME = olem
PROJECT_NUMBER = {version}
INPUT = include/olem
STRIP_FROM_PATH = include
OUTPUT_DIRECTORY = {output}
HTML_OUTPUT = .
GENERATE_LATEX = NO
EXTRACT_ALL = YES
HIDE_UNDOC_RELATIONS = YES
JAVADOC_AUTOBRIEF = YES
QUIET = YES
WARNINGS = NO
SEARCHENGINE = YES
SHOW_INCLUDE_FILES = NO
HAVE_DOT = NO
CLASS_GRAPH = NO
INPUT_FILTER = {filter}
"""


def version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    number = re.search(r"project\(olem VERSION ([\d.]+)", text).group(1)
    return number + re.search(r'OLEM_VERSION_SUFFIX "([^"]*)"', text).group(1)


def copy_pages():
    shutil.rmtree(SITE, ignore_errors=True)
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, PAGES / name)
        elif source.exists():
            (PAGES / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, PAGES / name)
    # Pages of examples are linked to, and not in the list of pages.
    (PAGES / "docs/api").mkdir(parents=True)


def make_cpp_reference():
    output = PAGES / "docs/api/cpp"
    output.mkdir()
    # Comments before a name, and behind a member.
    mark = SITE / "mark_comments.sh"
    mark.write_text("#!/bin/sh\nsed -E -e 's|^( *)// |\\1/// |' -e 's|([;,]) +// |\\1  ///< |' \"$1\"\n", encoding="utf-8")
    mark.chmod(0o755)
    (SITE / "Doxyfile").write_text(DOXYGEN.format(version=version(), output=output, filter=mark), encoding="utf-8")
    subprocess.run(["doxygen", SITE / "Doxyfile"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    (PAGES / "docs/api/cpp.md").write_text(
        "# C++: every name\n\nThe headers of `include/olem/`, by Doxygen:\n\n"
        "* [classes and structs](cpp/annotated.html)\n* [files](cpp/files.html)\n"
        "* [functions and constants of the namespace](cpp/namespaceolem.html)\n\n"
        "[A tour by four programs](../cpp.md) comes first.\n", encoding="utf-8")


def definitions():
    """{name: (definition of the stub or of the source, docstring)} of the modules of the package."""
    found = {}
    for path in sorted((ROOT / "python/olem").glob("*.py")) + sorted((ROOT / "python/olem").glob("*.pyi")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                earlier = found.get(node.name, (None, None))
                found[node.name] = (node, ast.get_docstring(node) or earlier[1])
    return found


def signature(node):
    """The head of a function as it is written."""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({ast.unparse(node.args)}){returns}"


def method_lines(node):
    lines = []
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and not ast.unparse(part.target).startswith("_"):
            lines.append(f"{ast.unparse(part.target)}: {ast.unparse(part.annotation)}")
        elif isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
            is_property = any(ast.unparse(mark) == "property" for mark in part.decorator_list)
            lines.append(f"{part.name}: {ast.unparse(part.returns) if part.returns else 'Any'}"
                         if is_property else signature(part))
    return lines


def entry(name, node, docstring):
    text = [f"## {name}\n"]
    if isinstance(node, ast.FunctionDef):
        text.append(f"```python\n{signature(node)}\n```\n")
    else:
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        body = "\n".join(f"    {line}" for line in method_lines(node)) or "    ..."
        text.append(f"```python\nclass {name}({bases}):\n{body}\n```\n")
    if docstring:
        summary, _, rest = docstring.replace("{options}", "(the options of the method, see Options)").partition("\n\n")
        text.append(" ".join(summary.split()).replace("<", "&lt;") + "\n")
        if rest.strip():
            text.append(f"```text\n{rest}\n```\n")
    return "\n".join(text)


def make_python_reference():
    package = ast.parse((ROOT / "python/olem/__init__.py").read_text(encoding="utf-8"))
    names = next(ast.literal_eval(node.value) for node in package.body if isinstance(node, ast.Assign) and
                 ast.unparse(node.targets[0]) == "__all__")
    known = definitions()
    text = ["# Python: every name\n\nMade from the signatures and docstrings of the package; [a tour](../python.md) comes "
            "first.\n"]
    bases = ["_Learner", "_OrderLearner", "_GraphLearner"]
    for name in [*[name for name in names if name in known], *bases]:
        text.append(entry(name, *known[name]))
    (PAGES / "docs/api/python.md").write_text("\n".join(text), encoding="utf-8")
    missing = [name for name in names if name not in known and name not in ("__version__", "NotFittedError")]
    if missing:
        sys.exit(f"There is no definition of {', '.join(missing)} in python/olem.")


def main():
    copy_pages()
    make_cpp_reference()
    make_python_reference()
    subprocess.run(["mkdocs", "build", "--quiet", "--config-file", ROOT / "mkdocs.yml"], check=True)
    print(f"Open {SITE / 'html/index.html'}; its search needs a server: python3 -m http.server -d build/site/html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
