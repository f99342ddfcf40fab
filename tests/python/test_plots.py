"""Plots draw what they claim."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pytest

import olem

pytestmark = pytest.mark.filterwarnings("ignore::olem.OlemWarning")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_the_order_with_its_gaps(ka5_frame):
    learner = olem.OLEM().fit(ka5_frame)
    ax = olem.plot_order(learner)
    assert [label.get_text() for label in ax.get_yticklabels()] == list("abcde")
    assert sorted(bar.get_width() for bar in ax.patches) == pytest.approx(sorted(step.gap for step in learner.steps_))


@pytest.mark.parametrize("learner", [olem.OLEM(), olem.GES(), olem.FCI()])
def test_the_graph(learner, ka5_frame):
    figure, ax = plt.subplots()
    assert olem.plot_graph(learner.fit(ka5_frame), ax=ax) is ax
    figure.canvas.draw()
    assert set("abcde") <= {text.get_text() for text in ax.texts}


def test_the_outcome_before_and_after():
    bermuda = olem.load_bermuda()
    rehearsal = olem.Rehearsal(**bermuda.task, sampler="linear").fit(bermuda.data)
    decision = rehearsal.suggest(bermuda.contexts.iloc[0], draws=100, judge_draws=200)
    (ax,) = olem.plot_outcome(rehearsal, decision, n=200)
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["without action", "after the decision", "wanted"]
    assert ax.get_xlabel() == "NEC"
