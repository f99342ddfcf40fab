"""The learners: known answers, attributes, parameters, pickling."""

import pickle

import networkx
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import olem

pytestmark = pytest.mark.filterwarnings("ignore::olem.OlemWarning")

ORDERS = {
    "OLEM": [0, 1, 2, 3, 4],
    "LISTEN": [0, 1, 2, 3, 4],
    "CAM": [0, 3, 4, 1, 2],
    "SCORE": [0, 1, 2, 3, 4],
    "CaPS": [0, 1, 2, 3, 4],
    "VarSort": [0, 4, 1, 2, 3],
}
QUICK_DIFFAN = {"diffan_epochs": 4, "diffan_warm_up": 1, "diffan_patience": 2, "diffan_narrow": 8, "diffan_wide": 8}


@pytest.mark.parametrize("name", ORDERS)
def test_orders_of_the_known_answer_data(name, ka5, ka5_frame):
    learner = getattr(olem, name)()
    assert learner.fit(ka5) is learner
    assert learner.causal_order_ == ORDERS[name]
    assert learner.n_features_in_ == 5
    assert not hasattr(learner, "feature_names_in_")
    assert learner.fit(ka5_frame).causal_order_ == ["abcde"[i] for i in ORDERS[name]]
    assert list(learner.feature_names_in_) == list("abcde")


def test_olem_plus_says_what_decided(ka5):
    learner = olem.OLEMPlus(olem_plus_units="arbitrary").fit(ka5)
    assert sorted(learner.causal_order_) == [0, 1, 2, 3, 4]
    for step in learner.steps_:
        assert step.decided_by in {"shape", "none"}
        assert step.decided == (step.decided_by == "shape")
        assert step.facts["gap_scale"] == 0.0
        assert step.gap == pytest.approx(max(step.facts["gap_shape"], 0.0), abs=1e-9)
    assert learner.fit(ka5 * [1.0, 100.0, 0.01, 3.0, 7.0]).causal_order_ == learner.causal_order_


@pytest.mark.parametrize("k", [3, 5])
def test_options_reach_the_method(k, ka5):
    learner = olem.OLEM(k=k).fit(ka5)
    assert learner.causal_order_ == [0, 1, 2, 3, 4]
    assert learner.steps_[0].values != olem.OLEM().fit(ka5).steps_[0].values


def test_steps_speak_of_columns_as_the_data_does(ka5, ka5_frame):
    by_position = olem.OLEM().fit(ka5).steps_
    by_name = olem.OLEM().fit(ka5_frame).steps_
    assert [step.sink for step in by_position] == [4, 3, 2, 1]
    assert [step.sink for step in by_name] == ["e", "d", "c", "b"]
    assert by_position[0].runner_up == "abcde".index(by_name[0].runner_up)
    assert list(by_position[0].values.values()) == list(by_name[0].values.values())
    assert by_position[0].gap > 0 and by_position[0].gap_standard_error > 0


def test_diffan_learns_an_order(ka5):
    learner = olem.DiffAN(random_state=3, **QUICK_DIFFAN).fit(ka5)
    assert sorted(learner.causal_order_) == [0, 1, 2, 3, 4]
    again = olem.DiffAN(random_state=np.random.RandomState(3), **QUICK_DIFFAN).fit(ka5)
    assert sorted(again.causal_order_) == [0, 1, 2, 3, 4]


def test_knowledge_is_obeyed(ka5, ka5_frame):
    order = olem.OLEM(tiers=[["e"], ["a", "b", "c", "d"]], before=[("c", "b")]).fit(ka5_frame).causal_order_
    assert order[0] == "e" and order.index("c") < order.index("b")
    assert olem.OLEM(tiers=[[4], [0, 1, 2, 3]]).fit(ka5).causal_order_[0] == 4
    with pytest.raises(ValueError, match="'z'"):
        olem.OLEM(before=[("a", "z")]).fit(ka5_frame)
    with pytest.raises(ValueError, match="list of lists"):
        olem.OLEM(tiers=["ab", "c"]).fit(ka5_frame)


def test_graphs_of_the_known_answer_data(ka5, ka5_frame):
    edges = olem.NOTEARS().fit(ka5).graph_.edges
    assert sorted(edges) == [(0, 1), (0, 2), (1, 3), (2, 3)]
    assert olem.NOTEARS().fit(ka5).causal_order_ == [0, 1, 2, 3, 4]
    for learner in (olem.GES(), olem.PC()):
        matrix = learner.fit(ka5_frame).adjacency_matrix_
        assert isinstance(matrix, pd.DataFrame)
        assert matrix.loc["b", "d"] == 1 and matrix.loc["d", "b"] == 0
        assert matrix.loc["a", "b"] == matrix.loc["b", "a"] == 1  # undirected
        assert matrix.loc["e"].sum() == 0
        with pytest.raises(AttributeError, match="CPDAG"):
            learner.causal_order_
    assert olem.GES(dag=True).fit(ka5).graph_.kind == "dag"
    assert olem.FCI().fit(ka5).graph_.kind == "pag"


def test_an_order_learner_chooses_edges_when_asked(ka5, ka5_frame):
    learner = olem.OLEM().fit(ka5)
    matrix = learner.adjacency_matrix_
    assert isinstance(matrix, np.ndarray)
    assert [tuple(edge) for edge in np.argwhere(matrix)] == [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]
    named = olem.OLEM().fit(ka5_frame)
    assert (named.adjacency_matrix_.to_numpy() == matrix).all()
    assert olem.OLEM(cutoff=1e-300).fit(ka5).adjacency_matrix_.sum() == 0


@pytest.mark.parametrize("name", ["OLEM", "LISTEN", "CaPS"])
def test_a_pickled_learner_chooses_the_same_edges(name, ka5_frame):
    learner = getattr(olem, name)(progress=lambda fraction, phase: None).fit(ka5_frame)
    copy = pickle.loads(pickle.dumps(learner))
    assert copy.causal_order_ == learner.causal_order_
    assert copy.steps_ == learner.steps_
    assert copy.adjacency_matrix_.equals(learner.adjacency_matrix_)


def test_to_networkx(ka5_frame):
    graph = olem.PC().fit(ka5_frame).to_networkx()
    assert isinstance(graph, networkx.DiGraph)
    assert set(graph.nodes) == set("abcde")
    assert graph.edges["b", "d"]["mark"] == "->" and not graph.has_edge("d", "b")
    assert graph.edges["a", "b"]["mark"] == graph.edges["b", "a"]["mark"] == "-"


def test_what_is_not_fitted_says_so(ka5):
    for learner in (olem.OLEM(), olem.GES()):
        for ask in (
            lambda: learner.causal_order_,
            lambda: learner.adjacency_matrix_,
            lambda: learner.to_networkx(),
        ):
            with pytest.raises(olem.NotFittedError, match="fit"):
                ask()
    from sklearn.exceptions import NotFittedError

    assert olem.NotFittedError is NotFittedError


def test_a_failed_fit_leaves_what_was_learned(ka5):
    learner = olem.OLEM().fit(ka5)
    with pytest.raises(ValueError):
        learner.fit(np.full((5, 2), np.nan))
    assert learner.causal_order_ == [0, 1, 2, 3, 4]


def test_parameters():
    learner = olem.OLEM(k=3, tiers=[["a"]])
    assert learner.get_params()["k"] == 3
    copy = clone(learner)
    assert copy.get_params() == learner.get_params() and copy is not learner
    assert "k=3" in repr(learner) and "ties" not in repr(learner)
    assert learner.set_params(k=5).k == 5
    with pytest.raises(ValueError, match="knn"):
        learner.set_params(knn=1)
    with pytest.raises(TypeError, match="OLEM.*knn"):
        olem.OLEM(knn=1)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 0}, "k: '0' is not a whole number from 1"),
        ({"k": 2.5}, "k: '2.5' is not"),
        ({"ties": "never"}, "ties: 'never' is not one of"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"random_state": -1}, "random_state"),
        ({"random_state": "today"}, "random_state"),
    ],
)
def test_bad_parameters_are_refused_by_fit(parameters, message, ka5):
    with pytest.raises(ValueError, match=message):
        olem.OLEM(**parameters).fit(ka5)


def test_results_do_not_depend_on_threads(ka5):
    one = olem.OLEM(n_jobs=1).fit(ka5)
    for jobs in (None, 2, -1):
        assert olem.OLEM(n_jobs=jobs).fit(ka5).steps_ == one.steps_


def test_warnings_are_issued_and_kept():
    sachs = olem.load_sachs().data
    with pytest.warns(olem.OlemWarning) as issued:
        learner = olem.OLEM().fit(sachs)
    assert [entry.message.code for entry in issued] == [entry["code"] for entry in learner.warnings_]
    assert not any("--" in str(entry.message) for entry in issued)  # no flags of the command line


def test_docstrings_come_from_the_descriptions():
    assert "k : a whole number from 1" in olem.OLEM.__doc__
    assert "'skip':" in olem.OLEM.__doc__
    assert "cutoff" in olem.prune.__doc__
    assert "draws" in olem.Rehearsal.suggest.__doc__


def test_parameters_changed_after_fit_change_nothing_that_was_learned(ka5):
    learner = olem.OLEM(random_state=np.random.RandomState(1)).fit(ka5)
    learner.set_params(cutoff=1e-300, k=5)
    assert learner.adjacency_matrix_.sum() == 5
