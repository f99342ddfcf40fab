"""Decisions: from a data frame to what to change."""

import json
import pickle

import numpy as np
import pytest
from sklearn.base import clone

import olem

pytestmark = pytest.mark.filterwarnings("ignore::olem.OlemWarning")

QUICK = {"draws": 200, "judge_draws": 500}


@pytest.fixture(scope="module")
def bermuda():
    return olem.load_bermuda()


@pytest.fixture(scope="module")
def rehearsal(bermuda):
    return olem.Rehearsal(**bermuda.task, sampler="linear").fit(bermuda.data)


@pytest.fixture(scope="module")
def context(bermuda):
    return bermuda.contexts.iloc[0].to_dict()


@pytest.fixture(scope="module")
def decision(rehearsal, context):
    return rehearsal.suggest(context, **QUICK)


def test_a_decision(rehearsal, bermuda, context, decision):
    assert rehearsal.causal_order_[-1] == "NEC"
    assert decision.context == context
    assert list(decision.alterations) == list(bermuda.task["alterable"])
    for name, value in decision.alterations.items():
        low, high = bermuda.task["alterable"][name]
        assert value is None or low <= value <= high
    low, high = decision.interval
    assert low <= decision.success_probability <= high
    assert decision.success_probability > decision.without_action
    # No decision can reach more than .6794 on this simulator.
    success = bermuda.simulate_decision(context, decision, 4000)["NEC"].between(0.5, 2.0).mean()
    assert 0.6 < success < 0.71


def test_a_decision_as_text_html_and_values(decision):
    assert f"{100 * decision.success_probability:.1f} %" in repr(decision)
    assert "DIC" in repr(decision) and "<table>" in decision._repr_html_()
    content = decision.to_dict()
    assert json.loads(json.dumps(content)) == content
    assert content["success_probability"] == decision.success_probability
    hostile = olem.Decision({**content, "alterations": {"<script>": 1.0}, "expected": {"<script>": 0.0},
                             "success_if_released": {"<script>": 0.5}})
    assert "<script>" not in hostile._repr_html_()


def test_several_contexts_at_once(rehearsal, bermuda, context, decision):
    decisions = rehearsal.suggest(bermuda.contexts.head(2), **QUICK)
    assert len(decisions) == 2

    def without_time(found):
        return {key: value for key, value in found.to_dict().items() if key != "seconds"}

    assert without_time(decisions[0]) == without_time(decision)
    assert decisions[1].context == bermuda.contexts.iloc[1].to_dict()


def test_post_decision_samples(rehearsal, context, decision):
    drawn = rehearsal.simulate(context, decision, 3000)
    assert len(drawn) == 3000
    for name, value in {**context, **decision.alterations}.items():
        if name in drawn and value is not None:
            assert np.allclose(drawn[name], value, rtol=0, atol=1e-12)
    share = drawn["NEC"].between(0.5, 2.0).mean()
    assert share == pytest.approx(decision.success_probability, abs=0.06)
    left_alone = rehearsal.simulate(context, None, 3000)["NEC"].between(0.5, 2.0).mean()
    assert left_alone == pytest.approx(decision.without_action, abs=0.06)
    same = rehearsal.simulate(context, dict(decision.alterations), 3000)
    assert same.equals(drawn)
    assert not rehearsal.simulate(context, decision, 3000, draw=1).equals(drawn)


def test_saved_pickled_and_cloned(rehearsal, context, tmp_path):
    expected = rehearsal.suggest(context, **QUICK).alterations
    path = tmp_path / "reef.olem"
    rehearsal.save(path)
    with pytest.raises(OSError):
        rehearsal.save(path)
    rehearsal.save(path, overwrite=True)
    loaded = olem.Rehearsal.load(path)
    assert loaded.suggest(context, **QUICK).alterations == expected
    assert loaded.causal_order_ == rehearsal.causal_order_
    assert loaded.sampler == "linear" and list(loaded.outcome) == ["NEC"]
    assert pickle.loads(pickle.dumps(rehearsal)).suggest(context, **QUICK).alterations == expected
    copy = clone(rehearsal)
    assert copy.get_params() == rehearsal.get_params()
    with pytest.raises(olem.NotFittedError):
        copy.suggest(context)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ValueError, match="cut off|whole"):
        olem.Rehearsal.load(path)


def test_a_given_order_and_one_sided_wishes(bermuda, context):
    order = olem.Graph(bermuda.graph.nodes, bermuda.graph.edges).order()
    given = olem.Rehearsal(**{**bermuda.task, "desired": {"NEC": (0.5, None)}}, order=order, sampler="linear",
                           calibrate=True)
    given.fit(bermuda.data)
    assert given.causal_order_ == order and given.steps_ == []
    assert given.calibration_["held_out_rows"] == 300
    assert given.suggest(context, **QUICK).success_probability > 0.6


def test_decisions_along_a_graph(bermuda, context, tmp_path):
    given = olem.Rehearsal(**bermuda.task, graph=bermuda.graph.adjacency_matrix, sampler="linear").fit(bermuda.data)
    assert sorted(given.graph_.edges) == sorted(bermuda.graph.edges)
    assert given.suggest(context, **QUICK).success_probability > 0.6
    given.save(tmp_path / "model")
    assert olem.Rehearsal.load(tmp_path / "model").graph == given.graph_
    learned = olem.Rehearsal(**bermuda.task, graph_method="notears", graph_options={"notears_threshold": 0.2},
                             sampler="linear").fit(bermuda.data)
    assert learned.graph_.details["method"] == "notears"
    assert set(learned.graph_.nodes) == set(bermuda.data.columns)
    assert olem.Rehearsal(**bermuda.task, sampler="linear").fit(bermuda.data).graph_ is None


def test_wishes_are_obeyed(bermuda, context):
    wishes = {"max_alterations": 1, "cost": {"TA": 1.0, "DIC": 2.0}}
    rehearsal = olem.Rehearsal(**bermuda.task, **wishes, sampler="linear").fit(bermuda.data)
    decision = rehearsal.suggest(context, proposals=2, **QUICK)
    assert sum(value is not None for value in decision.alterations.values()) == 1
    assert decision.cost >= 0 and decision.proposals


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"outcome": []}, "outcome"),
        ({"outcome": ["NEK"]}, "NEC"),
        ({"desired": {"NEC": (2.0, 0.5)}}, "NEC"),
        ({"desired": {"NEC": (float("nan"), 1.0)}}, "NaN"),
        ({"alterable": {"DIC": (1, -1)}}, "DIC"),
        ({"method": "olme"}, "olem"),
        ({"sampler": "gpp"}, "gp"),
        ({"order_options": {"kk": 1}}, "kk"),
        ({"cost": {"DIC": -1.0}}, "cost"),
        ({"max_alterations": 0}, "max_alterations"),
        ({"graph_method": "gess"}, "ges"),
        ({"graph_method": "ges", "order": ["DIC"]}, "exclude"),
    ],
)
def test_tasks_that_make_no_sense(change, message, bermuda):
    with pytest.raises(ValueError, match=message):
        olem.Rehearsal(**{**bermuda.task, "sampler": "linear", **change}).fit(bermuda.data)


def test_contexts_that_make_no_sense(rehearsal, context):
    for bad, message in (
        ({}, "Light"),
        ({**context, "Lite": 1.0}, "Lite"),
        ({**context, "Light": float("nan")}, "Light"),
        ({**context, "Light": "bright"}, "Light"),
    ):
        with pytest.raises(ValueError, match=message):
            rehearsal.suggest(bad)
    with pytest.raises(ValueError, match="Did you mean 'draws'"):
        rehearsal.suggest(context, draw=3)
    with pytest.raises(ValueError, match="n:"):
        rehearsal.simulate(context, None, 0)
    with pytest.raises(ValueError, match="names"):
        olem.Rehearsal(**rehearsal.get_params()).fit(np.zeros((5, 3)))
