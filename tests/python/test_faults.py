"""The faults that the command line answers, through the package: the same sentences as exceptions.

ValueError for what is wrong with data, task, options or files of ours; OSError for files and disks; MemoryError for limits;
KeyboardInterrupt for Ctrl-C; never a RuntimeError.
"""

import inspect
import os
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import olem
from conftest import run_python

pytestmark = pytest.mark.filterwarnings("ignore::olem.OlemWarning")

ROLES = {
    "context": ["light", "temp"],
    "alterable": {"dic": [-1, 1], "ta": [-1, 1]},
    "outcome": ["nec"],
    "desired": {"nec": [0.5, 2]},
}
OBSERVED = {"light": 0.4, "temp": -0.2}


def normal(rows, columns, seed=1):
    return np.random.default_rng(seed).normal(size=(rows, columns))


def sea():
    return pd.DataFrame(normal(100, 5), columns=["light", "temp", "dic", "ta", "nec"])


def with_column(values):
    frame = pd.DataFrame(normal(100, 3), columns=list("abc"))
    return frame.assign(d=values(frame))


def unknown_keywords(text, learner):
    """The keyword arguments that a message advises although the object, or its suggest or save, has none of that name."""
    known = {"columns", "axis"}  # of DataFrame.drop and numpy.delete
    known.update(learner.get_params())
    for method in ("suggest", "save"):
        if hasattr(type(learner), method):
            known.update(inspect.signature(getattr(type(learner), method)).parameters)
    return [name for name in re.findall(r"\b([a-z_]+)=", text) if name not in known]


def expect_sound_advice(error, learner):
    text = str(error)
    assert unknown_keywords(text, learner) == []
    assert not re.search(r"(?<!['\w-])--[a-z]", text), text
    for remedy in getattr(error, "remedies", []):
        assert set(remedy) == {"advice", "option", "value"}


@pytest.mark.parametrize(
    ("learner", "data", "fragment"),
    [
        (olem.OLEM(), with_column(lambda x: 4.5), r"1 column is constant: 'd' \(always 4.5\)"),
        (olem.OLEM(), with_column(lambda x: x.a), "Column 'd' equals column 'a'"),
        (olem.OLEM(), with_column(lambda x: -2 * x.b), "Column 'd' is -2 times column 'b'"),
        (olem.OLEM(), with_column(lambda x: 1.8 * x.a + 32), "Column 'd' is 1.8 times column 'a' plus 32"),
        (olem.OLEM(k=3), normal(3, 3), "k = 3 needs at least 4 rows, but there are 3"),
        (olem.OLEM(estimator="gaussian"), normal(4, 4), "at least 5 for 4 columns, but there are 4"),
        (olem.LISTEN(), normal(4, 4), "listen needs at least 5 rows for 4 columns, but there are 4"),
        (olem.GES(), normal(4, 4), "ges needs at least 5 rows for 4 columns"),
        (olem.PC(), normal(4, 4), "pc needs at least 5 rows for 4 columns"),
        (olem.FCI(), normal(4, 4), "fci needs at least 5 rows for 4 columns"),
        (olem.CAM(), normal(19, 3), "cam needs at least 20 rows"),
        (olem.DiffAN(), normal(49, 3), "diffan needs at least 50 rows"),
        (olem.OLEM(), (normal(100, 3) > 0).astype(float), r"cannot place .x0. \(binary\) relative to x1, x2"),
        (olem.OLEM(), normal(100, 3) * [1, 1e200, 1], "The values of column 'x1' are too large to be squared"),
        (olem.OLEM(ties="skp"), normal(100, 3), "ties: 'skp' is not one of"),
        (olem.OLEM(k=0), normal(100, 3), "k: '0' is not a whole number from 1 to 1000"),
        (olem.OLEM(before=[("x0", "x9")]), normal(100, 3), "x9"),
        (olem.OLEM(before=[("x0", "x1"), ("x1", "x0")]), normal(100, 3), "x0 -> x1 -> x0"),
    ],
)
def test_data(learner, data, fragment):
    with pytest.raises(ValueError, match=fragment) as raised:
        learner.fit(data)
    expect_sound_advice(raised.value, learner)


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        ({"context": ["light", "temp", "nec"]}, "'nec' stands in \"context\" and in \"outcome\"."),
        ({"outcome": ["nec", "nec"]}, "'nec' stands twice in \"outcome\"."),
        ({"context": ["light", "tepm"]}, "Did you mean 'temp'?"),
        ({"outcome": []}, "The task names no outcome."),
        ({"alterable": {}}, "no variable that may be altered"),
        ({"desired": {"nec": [2, 0.5]}}, "nothing satisfies 'nec >= 2' and 'nec <= 0.5' at once"),
        ({"desired": {"M": [[1], [3], [-1]], "d": [9, 3, -2]}}, "nothing satisfies row 2"),
        ({"desired": {"M": [[0], [0]], "d": [1, 2]}}, "holds only zeros"),
        ({"desired": {"M": [[1, 2]], "d": [1]}}, 'Row 1 of "M" has 2 numbers, but there is 1 outcome'),
        ({"desired": {"nec": [float("nan"), 2]}}, "a number that is NaN or infinite"),
        ({"alterable": {"dic": [1, -1]}}, "[1, -1]: its least value is above"),
        ({"alterable": {"dic": [None, 1]}}, "The domain of 'dic' is [null,1]"),
        ({"alterable": {"dic": [float("inf"), 1]}}, "a number that is NaN or infinite"),
        ({"cost": {"dic": -2}}, "The cost of 'dic' is -2."),
        ({"constraints": [{"weights": {"nec": 1}, "max": 0}]}, "Constraint 1 holds 'nec', which is not alterable"),
        ({"before": [("nec", "light")]}, "'nec' is an outcome and 'light' is context"),
        ({"before": [("dic", "ta"), ("ta", "dic")]}, "dic -> ta -> dic"),
        ({"order": ["light", "temp", "dic", "ta"]}, "The order does not name 'nec'."),
        ({"order": ["light", "temp", "dic", "ta", "nec", "ta"]}, "'ta'"),
        ({"order": ["light", "tmep", "dic", "ta", "nec"]}, "Did you mean 'temp'?"),
    ],
)
def test_task(change, fragment):
    rehearsal = olem.Rehearsal(**{**ROLES, **change}, sampler="linear")
    with pytest.raises(ValueError, match=re.escape(fragment)) as raised:
        rehearsal.fit(sea())
    expect_sound_advice(raised.value, rehearsal)


@pytest.mark.parametrize(
    ("edges", "fragment"),
    [
        ([("dic", "ta"), ("ta", "nec"), ("nec", "dic")], "cycle: dic -> ta -> nec -> dic"),
        ([("dic", "ta"), ("ta", "dic")], "cycle: "),
        ([("dic", "dic")], "to itself"),
        ([("light", "necc")], "edges: 'necc' is not one of the nodes."),
    ],
)
def test_graphs(edges, fragment):
    with pytest.raises(ValueError, match=re.escape(fragment)):
        graph = olem.Graph(list(sea().columns), edges)
        olem.Rehearsal(**ROLES, graph=graph, sampler="linear").fit(sea())


@pytest.fixture(scope="module")
def fitted():
    return olem.Rehearsal(**ROLES, sampler="linear").fit(sea())


@pytest.mark.parametrize(
    ("context", "fragment"),
    [
        ({"light": 1}, "there is no value for temp"),
        ({**OBSERVED, "dic": 1}, "'dic' is no context variable"),
        ({**OBSERVED, "temp": float("nan")}, "there is no value for temp"),
        ({**OBSERVED, "temp": float("inf")}, "'temp' is inf"),
        ({**OBSERVED, "temp": "warm"}, "'temp' is 'warm', which is not a number"),
        (None, "there is no value for light, temp"),
    ],
)
def test_contexts(context, fragment, fitted):
    with pytest.raises(ValueError, match=re.escape(fragment)):
        fitted.suggest(context)


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        (lambda good: good[:-100], "This model file is not whole"),
        # Another byte in the middle, whatever stands there.
        (
            lambda good: good[: len(good) // 2] + bytes([good[len(good) // 2] ^ 1]) + good[len(good) // 2 + 1 :],
            "its checksum is wrong",
        ),
        (lambda good: b"{}", "This is not a model file of olem."),
        (lambda good: good[:12] + b"\x02" + good[13:], "This model file has format 2"),
        (lambda good: good[:8] + good[8:12][::-1] + good[12:], "big endian"),
        (lambda good: good[:31] + b"\x7f" + good[32:], "This model file is not whole"),
    ],
)
def test_model_files(change, fragment, fitted, tmp_path):
    fitted.save(tmp_path / "good.olem")
    bad = tmp_path / "bad.olem"
    bad.write_bytes(change((tmp_path / "good.olem").read_bytes()))
    with pytest.raises(ValueError, match=fragment) as raised:
        olem.Rehearsal.load(bad)
    assert str(bad) in str(raised.value)


def test_files(fitted, tmp_path):
    with pytest.raises(OSError, match="absent.olem: No such file or directory"):
        olem.Rehearsal.load(tmp_path / "absent.olem")
    with pytest.raises(OSError, match="No such file or directory"):
        olem.read_graph(tmp_path / "absent.csv")
    with pytest.raises(OSError, match="Is a directory"):
        fitted.save(tmp_path)
    with pytest.raises(OSError, match="Cannot write to the folder .*: No such file or directory"):
        fitted.save(tmp_path / "absent" / "m.olem")
    old = tmp_path / "m.olem"
    old.write_text("old")
    with pytest.raises(OSError, match="exists already. Replace it: overwrite=True."):
        fitted.save(old)
    assert old.read_text() == "old"
    assert os.listdir(tmp_path) == ["m.olem"]


def test_a_full_disk(tmp_path):
    done = run_python(f"""
import resource, signal, numpy, pandas, olem
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
frame = pandas.DataFrame(numpy.random.default_rng(1).normal(size=(100, 3)), columns=list("abc"))
model = olem.Rehearsal([], {{"a": [-1, 1]}}, ["c"], {{"c": [0, 1]}}, sampler="linear").fit(frame)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    model.save({str(tmp_path / "m.olem")!r})
except OSError as error:
    print(error)
""")
    assert "m.olem: File too large." in done.stdout, done.stderr
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("learner", [olem.SCORE(), olem.CaPS()])
def test_what_does_not_fit_is_refused_with_the_number(learner):
    with pytest.raises(MemoryError, match=r"needs about \d+ MB of memory, but \d+ MB are available"):
        learner.fit(normal(400_000, 2))


LONG_CALLS = {
    "score": "olem.SCORE().fit(numpy.random.default_rng(1).normal(size=(3000, 6)))",
    "diffan": "olem.DiffAN().fit(numpy.random.default_rng(1).normal(size=(1000, 10)))",
    "gp": "olem.Rehearsal([], {'a': [-1, 1]}, ['d'], {'d': [0, 1]}).fit(pandas.DataFrame("
    "numpy.random.default_rng(1).normal(size=(3000, 4)), columns=list('abcd')))",
    "decide": "olem.Rehearsal([], {'a': [-1, 1]}, ['d'], {'d': [0, 1]}, sampler='linear').fit(pandas.DataFrame("
    "numpy.random.default_rng(1).normal(size=(99, 4)), columns=list('abcd'))).suggest(draws=1000000, judge_draws=1000000)",
}


@pytest.mark.parametrize("call", LONG_CALLS.values(), ids=LONG_CALLS.keys())
def test_ctrl_c_is_a_keyboard_interrupt(call):
    done = run_python(f"""
import os, signal, threading, time, warnings, numpy, pandas, olem
warnings.simplefilter("ignore")
def press():
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted")
""", timeout=60)
    assert done.stdout == "interrupted\n", done.stderr


def test_a_locale_with_commas_changes_nothing(tmp_path):
    program = """
import locale, numpy, olem
data = numpy.random.default_rng(1).normal(size=(200, 4)); data[:, 2] += 0.7 * data[:, 1]
before = olem.OLEM().fit(data).steps_
locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
assert locale.localeconv()["decimal_point"] == ","
assert olem.OLEM().fit(data).steps_ == before
try:
    olem.OLEM(ridge=2.5, estimator="gaussian").fit(data)
except ValueError as error:
    print(error)
"""
    folder = tmp_path / "locales"
    folder.mkdir()
    if os.system(f"localedef -i de_DE -f UTF-8 {folder}/de_DE.UTF-8 > /dev/null 2>&1") != 0:
        pytest.skip("no German locale can be made here")
    done = run_python(f"import os; os.environ['LOCPATH'] = {str(folder)!r}; os.chdir({str(tmp_path)!r})\n" + program)
    assert "ridge: '2.5' is not a number from 0 to 1" in done.stdout, done.stderr


def message_of(learner, data):
    with pytest.raises(ValueError) as raised:
        learner.fit(data)
    return str(raised.value)


def test_advice_that_does_not_exist_is_found():
    assert unknown_keywords("Choose another estimator: estimator='kl'.", olem.OLEM()) == []
    assert unknown_keywords("Choose another estimator: estimator='kl'.", olem.GES()) == ["estimator"]
    assert unknown_keywords("Say what you know: tiers=...", olem.Rehearsal(**ROLES)) == ["tiers"]


def test_remedies_are_calls_of_the_object_at_hand():
    frame = pd.DataFrame(normal(100, 3), columns=["a", "b", "blue light"]).assign(d=4.5)
    assert message_of(olem.OLEM(), frame).endswith("Leave the column out: X.drop(columns=['d']).")
    assert message_of(olem.OLEM(), frame.to_numpy()).endswith("Leave the column out: numpy.delete(X, [3], axis=1).")
    assert message_of(olem.OLEM(), (normal(100, 3) > 0).astype(float)).endswith(
        "Give their place relative to every other column by what you know (tiers=... or before=...), or leave the columns out "
        "(numpy.delete(X, [0, 1, 2], axis=1))."
    )
    assert message_of(olem.OLEM(estimator="gaussian"), normal(4, 4)).endswith(
        "Choose another estimator: estimator='kl'."
    )
    few = olem.Rehearsal(**ROLES, sampler="linear", method="olem", order_options={"estimator": "ensemble"})
    assert message_of(few, sea()[:10]).endswith("Choose another estimator: order_options={'estimator': 'kl'}.")


def test_a_column_with_the_name_of_a_flag_keeps_it():
    frame = pd.DataFrame(normal(100, 3), columns=["--seed", "--ties", "c"]).assign(again=lambda x: x["--seed"])
    text = message_of(olem.OLEM(), frame)
    assert text == "Column 'again' equals column '--seed'. Leave the column out: X.drop(columns=['again'])."


def test_warnings_hold_remedies_as_data_and_as_calls():
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        learner = olem.OLEM().fit(normal(30, 3))
    found = {warning["code"]: warning for warning in learner.warnings_}["few_rows"]
    assert found["text"].endswith("Give more rows, or rely on what you know (tiers=... or before=...).")
    assert [remedy["option"] for remedy in found["remedies"]] == ["", "tier", "before"]
    assert str(issued[0].message) == found["text"]
    assert issued[0].message.remedies == found["remedies"]
    rehearsal = olem.Rehearsal(**ROLES, sampler="linear").fit(sea()[:30])
    texts = {warning["code"]: warning["text"] for warning in rehearsal.warnings_}
    assert texts["few_rows"].endswith("Give more rows, or rely on what you know (before=...).")
    for warning in rehearsal.warnings_:
        assert unknown_keywords(warning["text"], rehearsal) == []


def test_a_decision_that_is_refused_names_what_suggest_takes(fitted):
    with pytest.raises(ValueError, match="make a grid of") as raised:
        fitted.suggest(OBSERVED, optimizer="grid", grid_points=20000)
    assert "suggest(grid_points=" in str(raised.value)
    assert "suggest(optimizer=...)" in str(raised.value)
    expect_sound_advice(raised.value, fitted)
    assert str(raised.value).startswith("optimizer: ")
