"""What holds for every described option and every learner: a new one is covered the day it is registered."""

import re
import subprocess

import numpy as np
import pandas as pd
import pytest

import olem
from conftest import BUILD
from olem import _olem

pytestmark = pytest.mark.filterwarnings("ignore::olem.OlemWarning")

LEARNERS = {
    learner._method: learner
    for learner in vars(olem).values()
    if isinstance(learner, type) and hasattr(learner, "_method")
}
TASK = {"alterable": {"b": (-1, 1)}, "outcome": ["c"], "desired": {"c": (0, None)}}


@pytest.fixture(scope="module")
def frame():
    x = np.random.default_rng(3).normal(size=(60, 3))
    x[:, 1] += x[:, 0]
    x[:, 2] += x[:, 1]
    return pd.DataFrame(x, columns=list("abc"))


@pytest.fixture(scope="module")
def rehearsal(frame):
    return olem.Rehearsal(**TASK, sampler="linear").fit(frame)


def wrong_values(option):
    """Of another type, and out of range."""
    if option["kind"] in ("integer", "real"):
        return ["banana", True, None, float("nan"), float("inf"), -1e301, 1e301] + [2.5] * (option["kind"] == "integer")
    return ["banana", 2, None]


def expect_refusals(options, call):
    assert options
    for option in options:
        for value in wrong_values(option):
            with pytest.raises(ValueError) as refused:
                call(**{option["name"]: value})
            assert f"{option['name']}: " in str(refused.value) and option["rule"] in str(refused.value), value


@pytest.mark.parametrize("method", _olem.methods(), ids=lambda method: method["name"])
def test_options_of_learners_refuse_what_they_are_not(method, frame):
    expect_refusals(method["options"], lambda **options: LEARNERS[method["name"]](**options).fit(frame))


@pytest.mark.parametrize("method", _olem.methods(), ids=lambda method: method["name"])
def test_options_of_learners_are_checked_for_a_rehearsal_too(method, frame):
    name, options = method["name"], method["options"]
    expect_refusals(
        options, lambda **wrong: olem.Rehearsal(**TASK, graph_method=name, graph_options=wrong).fit(frame)
    )


def test_options_of_samplers_refuse_what_they_are_not(frame):
    for kind in _olem.samplers():
        expect_refusals(
            kind["options"],
            lambda **wrong: olem.Rehearsal(**TASK, sampler=kind["name"], sampler_options=wrong).fit(frame),
        )


def test_options_of_functions_refuse_what_they_are_not(frame, rehearsal):
    expect_refusals(_olem.decision_options(), rehearsal.suggest)
    expect_refusals(_olem.entropy_options(), lambda **wrong: olem.entropy(frame, **wrong))
    expect_refusals(_olem.prune_options(), lambda **wrong: olem.prune(frame, list("abc"), **wrong))
    expect_refusals(_olem.simulate_order_options(), olem.simulate_order)
    expect_refusals(_olem.simulate_auf_options(), olem.simulate_auf)


@pytest.mark.parametrize("method", LEARNERS)
def test_no_learner_answers_before_it_is_fitted(method, frame):
    learner = LEARNERS[method]()
    for name in ("result_", "warnings_", "graph_", "adjacency_matrix_", "causal_order_", "n_features_in_"):
        with pytest.raises(olem.NotFittedError, match=f"This {LEARNERS[method].__name__} has not been fitted"):
            getattr(learner, name)
    with pytest.raises(olem.NotFittedError):
        learner.to_networkx()


def test_no_rehearsal_answers_before_it_is_fitted(tmp_path):
    rehearsal = olem.Rehearsal(**TASK)
    asked = [
        rehearsal.suggest,
        rehearsal.simulate,
        lambda: rehearsal.save(tmp_path / "m.olem"),
        *(lambda name=name: getattr(rehearsal, name) for name in olem.Rehearsal.__annotations__ if name[0] != "_"),
    ]
    for ask in asked:
        with pytest.raises(olem.NotFittedError, match="This Rehearsal has not been fitted"):
            ask()
    assert not list(tmp_path.iterdir())


def test_learning_leaves_the_data_alone(frame):
    before = frame.copy(deep=True)
    for learner in LEARNERS.values():
        few = {"diffan_epochs": 2, "diffan_wide": 8, "diffan_narrow": 4}
        known = {name: value for name, value in few.items() if name in learner().get_params()}
        learner(**known).fit(frame)
        pd.testing.assert_frame_equal(frame, before)


def described_flags():
    """The verbs of every flag that takes a number or a name, by its line on the page of options; and the arguments that
    each verb takes."""
    page = subprocess.run([BUILD / "app" / "olem", "options"], capture_output=True, text=True, check=True).stdout
    flags, arguments, verb = {}, {}, None
    for line in page.splitlines():
        if heading := re.match(r"## (?:olem )?(.*)", line):
            verb = heading[1].split() if line.startswith("## olem ") else None
        elif verb and (row := re.match(r"\| `(?:-\w,)?(--[\w-]+) (NUMBER|NAME|SIZE|SECONDS)` ", line)):
            flags.setdefault((row[1], row[2], line), []).append(verb)
        elif verb and (row := re.match(r"\| `([A-Z]+)` ", line)):
            arguments.setdefault(" ".join(verb), []).append(row[1])
    return flags, arguments


def test_every_flag_of_every_verb_refuses_what_it_is_not(tmp_path):
    flags, arguments = described_flags()
    assert len(flags) > 100
    # A flag that several verbs share is one piece of code: each of them is asked for some of these flags.
    for number, ((flag, kind, _), verbs) in enumerate(flags.items()):
        verb = verbs[number % len(verbs)]
        # Files that are not there: a flag is understood before anything is read.
        folder = ["-o", "out"] if verb[0] in ("simulate", "fit", "report") else []
        value = "banana" if kind == "NAME" else "-1e301"
        given = [*verb, *arguments.get(" ".join(verb), []), *folder, flag, value]
        done = subprocess.run(
            [BUILD / "app" / "olem", *given], capture_output=True, text=True, cwd=tmp_path, check=False
        )
        assert done.returncode == 2, (given, done.stderr)
        assert flag in done.stderr and ("banana" in done.stderr or "-1e301" in done.stderr), (given, done.stderr)
        assert done.stdout == ""
    assert not list(tmp_path.iterdir())
