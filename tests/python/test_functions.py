"""Measures, entropy, pruning, files of graphs and simulations."""

import networkx
import numpy as np
import pandas as pd
import pytest

import olem

pytestmark = pytest.mark.filterwarnings("ignore::olem.OlemWarning")

TRUTH = np.array([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]])


def test_sachs_gives_the_numbers_of_the_paper():
    sachs = olem.load_sachs()
    assert sachs.data.shape == (853, 11) and len(sachs.graph.edges) == 17
    learner = olem.OLEM().fit(sachs.data)
    found = olem.compare(sachs.graph, learner)
    assert (found["div"], found["shd"], found["shd2"], found["sid"]) == (8, 12, 15, 45)
    assert olem.order_divergence(sachs.graph, learner) == 8
    assert olem.order_divergence(sachs.graph, learner.causal_order_) == 8
    assert olem.shd(sachs.graph, learner) == 12
    assert olem.shd(sachs.graph, learner, convention="shd2") == 15
    assert olem.sid(sachs.graph, learner.adjacency_matrix_) == 45
    assert olem.prune(sachs.data, learner) == learner.graph_


def test_a_reversed_edge():
    learned = TRUTH.copy()
    learned[0, 1], learned[1, 0] = 0, 1
    assert olem.shd(TRUTH, learned) == 1
    assert olem.shd(TRUTH, learned, convention="shd2") == 2
    assert olem.shd(TRUTH, TRUTH) == olem.sid(TRUTH, TRUTH) == 0
    assert olem.order_divergence(TRUTH, [3, 2, 1, 0]) == 4
    with pytest.raises(ValueError, match="convention"):
        olem.shd(TRUTH, learned, convention="shd3")


def test_every_form_of_a_graph_is_the_same_graph():
    frame = pd.DataFrame(TRUTH, index=list("abcd"), columns=list("abcd"))
    graph = networkx.DiGraph([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    for learned in (frame, graph, olem.Graph(list("dcba"), [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])):
        assert olem.shd(frame, learned) == 0
    undirected = olem.compare(TRUTH, TRUTH + TRUTH.T)
    assert undirected["undecided"] == 4
    with pytest.raises(ValueError, match="names"):
        olem.shd(frame, TRUTH)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (np.eye(3), "itself"),
        (np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]), "->"),
        (np.zeros((2, 3)), "square"),
        (np.array([[0, np.nan], [0, 0]]), "NaN"),
        (pd.DataFrame(np.zeros((2, 2)), index=["a", "b"], columns=["b", "a"]), "same names"),
        (olem.OLEM(), "fitted"),
    ],
)
def test_what_is_no_graph_is_refused(graph, message):
    with pytest.raises(ValueError, match=message):
        olem.sid(graph, graph)


def test_entropy_of_a_normal_sample():
    sample = np.random.default_rng(4).normal(size=(4000, 2))
    exact = np.log(2 * np.pi * np.e)
    assert olem.entropy(sample, k=3) == pytest.approx(exact, abs=0.06)
    covariance = np.cov(sample.T, bias=True)
    gaussian = 0.5 * np.log((2 * np.pi * np.e) ** 2 * np.linalg.det(covariance))
    assert olem.entropy(sample, estimator="gaussian") == pytest.approx(gaussian, rel=1e-12)
    with pytest.raises(ValueError, match="Did you mean 'ties'"):
        olem.entropy(sample, tie="skip")


def test_pruning_of_an_order(ka5, ka5_frame):
    graph = olem.prune(ka5_frame, list("abcde"))
    assert sorted(graph.edges) == [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e")]
    assert len(graph.details["candidates"]) == 10
    assert olem.prune(ka5, range(5), cutoff=1e-300).edges == []
    assert len(olem.prune(ka5, range(5), smoothing_search="mgcv").edges) == 5
    with pytest.raises(ValueError, match="does not go with the criterion reml"):
        olem.prune(ka5, range(5), smoothing_search="mgcv", criterion="reml")
    with pytest.raises(ValueError, match="order"):
        olem.prune(ka5_frame, list("abcd"))


@pytest.mark.parametrize("format", ["edges", "adjacency", "json", "dot", "gml", "graphml", "tetrad"])
def test_files_of_graphs(format, tmp_path):
    graph = olem.Graph(list("abcd"), [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    path = tmp_path / "graph"
    olem.write_graph(path, graph, format=format)
    assert olem.read_graph(path) == graph
    with pytest.raises(OSError, match="exists|overwrite"):
        olem.write_graph(path, graph)
    olem.write_graph(path, graph, overwrite=True)


def test_a_graph_with_marks_survives(ka5_frame, tmp_path):
    graph = olem.FCI().fit(ka5_frame).graph_
    assert graph.marks
    olem.write_graph(tmp_path / "pag.json", graph, format="json")
    assert olem.read_graph(tmp_path / "pag.json") == graph


def test_files_that_are_not_there_or_no_graphs(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        olem.read_graph(tmp_path / "nowhere.csv")
    (tmp_path / "text").write_text("no graph at all")
    with pytest.raises(ValueError, match="text"):
        olem.read_graph(tmp_path / "text")


def test_simulated_orders():
    made = olem.simulate_order(variables=6, rows=100, density=0.6, random_state=3)
    assert made.data.shape == (100, 6) and made.task is None
    assert olem.simulate_order(variables=6, rows=100, density=0.6, random_state=3).data.equals(made.data)
    assert not olem.simulate_order(variables=6, rows=100, density=0.6, random_state=4).data.equals(made.data)
    assert not olem.simulate_order(variables=6, rows=100, density=0.6, random_state=3, index=1).data.equals(made.data)
    assert set(made.graph.nodes) == set(made.data.columns)
    with pytest.raises(ValueError, match="rows"):
        olem.simulate_order(rows=-1)


def test_simulated_decision_tasks():
    made = olem.simulate_auf(rows=200, random_state=1)
    assert set(made.task) == {"context", "alterable", "outcome", "desired"}
    assert list(made.contexts.columns) == made.task["context"]
    context = made.contexts.iloc[0].to_dict()
    low = {name: domain[0] for name, domain in made.task["alterable"].items()}
    drawn = made.simulate_decision(context, low, 50)
    for name, value in {**context, **low}.items():
        assert (drawn[name] == value).all()
    shared = made.simulate_decision(context, None, 50)
    untouched = made.task["outcome"]
    assert len(shared) == 50 and set(untouched) <= set(shared.columns)


def test_bermuda():
    bermuda = olem.load_bermuda()
    assert bermuda.data.shape == (1000, 11) and len(bermuda.graph.edges) == 26
    assert bermuda.measurements.shape == (95, 11) and bermuda.measurements["NEC"].isna().sum() == 49
    assert list(bermuda.task["desired"]) == ["NEC"]
    assert bermuda.contexts.shape == (50, 3)
