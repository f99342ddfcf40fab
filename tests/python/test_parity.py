"""The same jobs through the command line, the C++ library and Python: every number is equal, to the last bit."""

import json
import math
import subprocess

import pytest

import olem
from conftest import BUILD, SOURCE

pytestmark = pytest.mark.filterwarnings("ignore::olem.OlemWarning")

LEARNERS = {
    "olem": olem.OLEM,
    "olem+": olem.OLEMPlus,
    "listen": olem.LISTEN,
    "cam": olem.CAM,
    "score": olem.SCORE,
    "caps": olem.CaPS,
    "diffan": olem.DiffAN,
    "varsort": olem.VarSort,
    "notears": olem.NOTEARS,
    "ges": olem.GES,
    "pc": olem.PC,
    "fci": olem.FCI,
}
ORDER_LEARNERS = ["olem", "olem+", "listen", "cam", "score", "caps", "diffan", "varsort"]
QUICK = {
    "diffan": {"diffan_epochs": 4, "diffan_warm_up": 1, "diffan_patience": 2, "diffan_narrow": 8, "diffan_wide": 8},
}
TASK = SOURCE / "examples" / "bermuda" / "task.json"


def flags(options):
    return [word for name, value in options.items() for word in ("--" + name.replace("_", "-"), str(value))]


def plain(value):
    """As JSON has it: tuples are lists, and numbers that are not finite are null."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def assert_same(of_python, of_cpp, of_command_line):
    """Every key that the C++ result has, in all three."""
    for key, value in of_cpp.items():
        assert plain(of_python[key]) == value, key
        assert of_command_line[key] == value, key


@pytest.fixture(scope="module")
def data(tmp_path_factory, ka5_frame):
    path = tmp_path_factory.mktemp("parity") / "ka5.csv"
    ka5_frame.to_csv(path, index=False, float_format="%.17g")
    return path


@pytest.fixture(scope="module")
def cpp(data):
    done = subprocess.run([BUILD / "python" / "parity_jobs", data, TASK], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def learned(ka5_frame):
    return {
        name: learner(random_state=11, n_jobs=2, **QUICK.get(name, {})).fit(ka5_frame)
        for name, learner in LEARNERS.items()
    }


def test_every_method_has_a_class(cpp):
    assert set(cpp["graph"]) == set(LEARNERS)
    assert set(cpp["order"]) == set(ORDER_LEARNERS)


@pytest.mark.parametrize("method", ORDER_LEARNERS)
def test_orders(method, cpp, learned, data, command_line):
    of_command_line = command_line("order", data, "--method", method, "--seed", 11, *flags(QUICK.get(method, {})))
    assert_same(learned[method].result_, cpp["order"][method], of_command_line)
    assert learned[method].causal_order_ == of_command_line["order"]


@pytest.mark.parametrize("method", LEARNERS)
def test_graphs(method, cpp, learned, data, command_line):
    of_command_line = command_line("graph", data, "--method", method, "--seed", 11, *flags(QUICK.get(method, {})))
    graph = learned[method].graph_
    of_python = {**graph.details, "nodes": graph.nodes, "edges": graph.edges, "undirected": graph.undirected,
                 "marks": graph.marks}  # fmt: skip
    assert_same(of_python, cpp["graph"][method], of_command_line)


def test_comparisons(cpp, learned, ka5_frame, tmp_path, command_line):
    truth = learned["olem"].graph_
    found = olem.prune(ka5_frame, learned["varsort"].causal_order_)
    olem.write_graph(tmp_path / "truth.json", truth, format="json")
    olem.write_graph(tmp_path / "learned.json", found, format="json")
    of_command_line = command_line("compare", tmp_path / "truth.json", tmp_path / "learned.json")
    assert_same(olem.compare(truth, found), cpp["compare"], of_command_line)


def test_decisions(cpp, command_line):
    search = {"draws": 200, "judge_draws": 500}
    of_command_line = command_line("decide", TASK, "--sampler", "linear", "--seed", 11, *flags(search))
    task = json.loads(TASK.read_text())
    bermuda = olem.load_bermuda()
    rehearsal = olem.Rehearsal(**bermuda.task, sampler="linear", random_state=11).fit(bermuda.data)
    decision = rehearsal.suggest(task["observed"], **search)
    expected = {key: value for key, value in cpp["decision"].items() if key != "seconds"}
    assert_same(decision.to_dict(), expected, of_command_line["decisions"][0])
    assert rehearsal.causal_order_ == of_command_line["order"]
    assert plain(rehearsal.models_) == of_command_line["models"]


def test_qwz23_gets_straight_lines_by_itself(command_line, tmp_path):
    bermuda = olem.load_bermuda()
    olem.write_graph(tmp_path / "graph.json", bermuda.graph, format="json")
    few = bermuda.data.iloc[:100]
    few.to_csv(tmp_path / "few.csv", index=False)
    search = {"draws": 200, "judge_draws": 500, "decision": "qwz23"}
    of_command_line = command_line("decide", TASK, "--data", tmp_path / "few.csv", "--graph", tmp_path / "graph.json",
                                   "--seed", 11, *flags(search))  # fmt: skip
    rehearsal = olem.Rehearsal(**bermuda.task, graph=bermuda.graph, random_state=11).fit(few)
    decision = rehearsal.suggest(json.loads(TASK.read_text())["observed"], **search)
    for key, value in of_command_line["decisions"][0].items():
        if key != "seconds":
            assert plain(decision.to_dict()[key]) == value, key
    assert "location-scale" in {model["kind"] for model in rehearsal.models_.values()}  # what everything else works with


def test_models_of_the_command_line_are_read(command_line, tmp_path):
    model = tmp_path / "reef.olem"
    command_line("fit", TASK, "-o", model, "--sampler", "linear", "--no-calibrate", "--seed", 11)
    loaded = olem.Rehearsal.load(model)
    of_command_line = command_line("decide", "--model", model, "--seed", 11, "--draws", 200, "--judge-draws", 500)
    decision = loaded.suggest(json.loads(TASK.read_text())["observed"], draws=200, judge_draws=500)
    expected = {key: value for key, value in of_command_line["decisions"][0].items() if key != "seconds"}
    for key, value in expected.items():
        assert plain(decision.to_dict()[key]) == value, key


def test_simulations(command_line, tmp_path):
    command_line("simulate", "order", "-o", tmp_path / "made", "--variables", 5, "--rows", 60, "--seed", 3)
    import pandas as pd

    written = pd.read_csv(tmp_path / "made" / "data.csv", float_precision="round_trip")
    made = olem.simulate_order(variables=5, rows=60, random_state=3)
    assert made.data.equals(written)
    assert sorted(made.graph.edges) == sorted(olem.read_graph(tmp_path / "made" / "graph.csv").edges)
