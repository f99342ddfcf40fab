"""The Debian packages: what they say, and the program, pages and completions in them."""

import os
import pty
import re
import select
import shutil
import subprocess
import time

import pytest
from conftest import BUILD, ENVIRONMENT, expect_a_working_program, expect_no_way_back, run, version

VERBS = "init order graph compare simulate fit update decide explain report serve study check explain-warning help options".split()


def field(package, name):
    return run("dpkg-deb", "-f", package, name).strip()


def test_the_packages_say_what_they_are(packages):
    assert sorted(packages) == ["olem", "olem-dev"]
    number = re.sub(r"\.(dev\d+)$", r"~\1", version())
    for name, package in packages.items():
        assert field(package, "Package") == name and field(package, "Version") == number
        assert field(package, "Architecture") == run("dpkg", "--print-architecture").strip()
        said = run("dpkg-deb", "-I", package)
        assert "Maintainer: The olem authors" in said
        assert "Description: Causal orders from data, and decisions along them\n" in said


def test_dependencies_are_those_of_the_linked_libraries(packages):
    depends = field(packages["olem"], "Depends")
    for library in ("libc6", "libfmt9", "libopenblas0", "coinor-libclp1", "libpugixml1v5", "libcpp-httplib0.11", "zlib1g"):
        assert re.search(rf"\b{re.escape(library)}\b", depends), depends
    # Only mpirun needs it.
    assert "mpi" not in depends and "libopenmpi3" in field(packages["olem"], "Recommends")
    development = field(packages["olem-dev"], "Depends")
    assert f"olem (= {field(packages['olem'], 'Version')})" in development and "liblbfgsb-dev" in development


def test_the_packages_divide_what_is_installed(packages):
    files = {}
    for name, package in packages.items():
        listing = run("dpkg-deb", "-c", package).splitlines()
        files[name] = {line.split()[5][1:] for line in listing if not line.startswith("d")}
    assert not files["olem"] & files["olem-dev"]
    program = {"/usr/bin/olem", "/usr/lib/olem/libolem_http.so", "/usr/lib/olem/libolem_mpi.so", "/usr/share/man/man1/olem.1",
               "/usr/share/bash-completion/completions/olem", "/usr/share/zsh/vendor-completions/_olem",
               "/usr/share/fish/vendor_completions.d/olem.fish", "/usr/share/doc/olem/copyright"}  # fmt: skip
    assert program | {f"/usr/share/man/man1/olem-{verb}.1" for verb in VERBS} <= files["olem"]
    library = {"/usr/include/olem/olem.h", "/usr/lib/libolem.a", "/usr/lib/cmake/olem/olem-config.cmake",
               "/usr/lib/cmake/olem/olem-config-version.cmake", "/usr/lib/pkgconfig/olem.pc"}  # fmt: skip
    assert library <= files["olem-dev"]


def test_the_packaged_program_works(unpacked, tmp_path):
    expect_a_working_program(unpacked / "usr/bin/olem", tmp_path, unpacked / "usr/share/doc/olem/examples/bermuda")


def test_what_is_packaged_does_not_lead_back(unpacked):
    expect_no_way_back(unpacked)


@pytest.mark.parametrize("verb", VERBS)
def test_manual_pages_have_every_flag_and_no_fault(unpacked, verb):
    page = unpacked / "usr/share/man/man1" / f"olem-{verb}.1"
    faults = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z", page], capture_output=True, text=True, env=ENVIRONMENT, check=True
    ).stderr
    assert faults == ""
    shown = run("groff", "-man", "-Tascii", "-P-c", "-P-b", "-P-u", page)
    assert re.search(rf"olem-{verb} +- ", shown)
    kinds = ("order", "auf", "bermuda") if verb == "simulate" else ("",)
    for kind in kinds:
        help_text = run(BUILD / "app" / "olem", verb, *filter(None, [kind]), "--help-all")
        flags = set(re.findall(r"^  (?:-\w,)?(--[a-z0-9-]+)", help_text, re.M))
        assert flags and all(re.search(rf"{flag}(?![a-z0-9-])", shown) for flag in flags)


def test_the_manual_page_of_the_program_lists_the_verbs(unpacked):
    shown = run("groff", "-man", "-Tascii", "-P-c", "-P-b", "-P-u", unpacked / "usr/share/man/man1/olem.1")
    assert re.findall(r"^ +olem-([a-z-]+)\(1\)", shown, re.M) == VERBS


# What is typed, some of what must be offered, and what must not.
OFFERS = [
    ("olem ", {"order", "decide", "serve"}, {"--json", "olem"}),
    ("olem order --boot", {"--bootstrap"}, {"--json"}),
    ("olem order --method ", {"olem", "listen", "varsort"}, {"ges", "--json"}),
    ("olem graph --method g", {"ges"}, {"olem"}),
    ("olem graph --format ", {"edges", "dot", "tetrad"}, {"json.csv"}),
    ("olem simulate ", {"order", "auf", "bermuda"}, {"fit"}),
    ("olem simulate auf --", {"--family", "--seed"}, {"--bootstrap", "--noise-sd"}),
    ("olem study ", {"sachs", "speed"}, {"order.csv"}),
    ("olem decide --optimizer ", {"gradient", "bayes"}, {"gp"}),
    ("olem decide --model re", {"reef.olem"}, {"reef"}),
    ("olem fit re", {"reef.olem"}, set()),
    ("olem explain-warning out", {"outlier"}, {"reef.olem"}),
    ("olem help de", {"decide"}, {"reef.olem"}),
]


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A folder with a file to complete."""
    folder = tmp_path_factory.mktemp("desk")
    (folder / "reef.olem").touch()
    return folder


def bash_offers(script, line, desk):
    # An empty answer means files, which the shell itself completes.
    program = f"""
cd {desk}; source {script}
IFS=' ' read -ra COMP_WORDS <<< "{line}"
[[ "{line}" == *' ' ]] && COMP_WORDS+=("")
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_olem
if ((${{#COMPREPLY[@]}})); then printf '%s\\n' "${{COMPREPLY[@]}}"; else compgen -f -- "${{COMP_WORDS[COMP_CWORD]}}"; fi"""
    return set(run("bash", "-c", program).split())


def fish_offers(script, line, desk):
    said = run("fish", "--no-config", "-c", f"cd {desk}; source {script}; complete -C '{line}'", HOME=str(desk))
    return {entry.split("\t")[0] for entry in said.splitlines()}


@pytest.mark.parametrize(("line", "offered", "not_offered"), OFFERS)
def test_bash_completes(unpacked, desk, line, offered, not_offered):
    offers = bash_offers(unpacked / "usr/share/bash-completion/completions/olem", line, desk)
    assert offered <= offers and not offers & not_offered


@pytest.mark.parametrize(("line", "offered", "not_offered"), OFFERS)
def test_fish_completes(unpacked, desk, line, offered, not_offered):
    offers = fish_offers(unpacked / "usr/share/fish/vendor_completions.d/olem.fish", line, desk)
    assert offered <= offers and not offers & not_offered


class Terminal:
    """zsh as a person has it before them."""

    def __init__(self, folder, functions):
        self.process, self.file = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], ENVIRONMENT | {"TERM": "dumb", "COLUMNS": "200", "HOME": str(folder)})
        self.ask(f"unsetopt prompt_cr prompt_sp; PS1=; LISTMAX=1000; fpath=({functions} $fpath)")
        self.ask("autoload -U compinit; compinit -D -u; zstyle ':completion:*' verbose no; bindkey '^I' complete-word")

    def read(self, until, seconds=60.0):
        text, end = "", time.monotonic() + seconds
        while until not in text and time.monotonic() < end:
            if select.select([self.file], [], [], 0.1)[0]:
                text += os.read(self.file, 65536).decode(errors="replace")
        return text

    def ask(self, command):
        os.write(self.file, f"{command}; echo do''ne\n".encode())
        assert "done" in self.read("done")

    def complete(self, line):
        """The line after the tabulator key: it is put into quotes and printed instead of run."""
        os.write(self.file, line.encode() + b"\t")
        time.sleep(0.2)  # or what follows would be taken for more of the word
        os.write(self.file, b"\x01print -r -- '<\x05>'; echo do''ne\n")
        return re.search(r"^<(.*)>", self.read("done").replace("\r", ""), re.M).group(1)

    def close(self):
        os.close(self.file)
        os.waitpid(self.process, 0)


@pytest.fixture(scope="module")
def zsh(unpacked, desk):
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    terminal = Terminal(desk, unpacked / "usr/share/zsh/vendor-completions")
    yield terminal
    terminal.close()


# What is typed, and what it becomes where there is one way to go on.
ENDINGS = [
    ("olem expl", "olem explain"),
    ("olem order --boot", "olem order --bootstrap"),
    ("olem order --method vars", "olem order --method varsort"),
    ("olem graph --format tet", "olem graph --format tetrad"),
    ("olem simulate berm", "olem simulate bermuda"),
    ("olem simulate auf --fam", "olem simulate auf --family"),
    ("olem study sac", "olem study sachs"),
    ("olem serve re", "olem serve reef.olem"),
]


@pytest.mark.parametrize(("line", "whole"), ENDINGS)
def test_zsh_completes(zsh, line, whole):
    assert zsh.complete(line).split() == whole.split()
