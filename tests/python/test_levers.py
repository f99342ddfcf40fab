"""Levers with values and desired levels, by their words."""

import numpy as np
import pandas as pd
import pytest

import olem

pytestmark = pytest.mark.filterwarnings("ignore::olem.OlemWarning")

ROWS = 500


def shop() -> pd.DataFrame:
    """Customers renew more often at low prices, from vendor Y and with support."""
    random = np.random.default_rng(7)
    age = random.normal(size=ROWS)
    vendor = random.choice(["X", "Y", "Z"], ROWS)
    support = random.random(ROWS) < 0.3
    price = np.exp(0.3 * random.normal(size=ROWS))
    effect = pd.Series(vendor).map({"X": 0.0, "Y": 1.5, "Z": -1.0}).to_numpy()
    odds = 2.0 - 2.5 * price + 0.4 * age + effect + 1.0 * support
    renewed = np.where(random.random(ROWS) < 1 / (1 + np.exp(-odds)), "yes", "no")
    return pd.DataFrame({"age": age, "vendor": vendor, "support": support, "price": price, "renewed": renewed})


@pytest.fixture(scope="module")
def fitted() -> olem.Rehearsal:
    return olem.Rehearsal(
        context=["age"],
        alterable={"vendor": {"values": ["X", "Y"]}, "support": {}, "price": {"min": 0.5, "max": 1.5, "step": 0.25}},
        outcome=["renewed"],
        desired={"renewed": "yes"},
        sampler="auto",
        random_state=1,
    ).fit(shop())


def test_decisions_are_words(fitted):
    decision = fitted.suggest({"age": 0.2})
    assert decision.alterations["vendor"] == "Y"
    assert decision.alterations["support"] == "True"
    assert decision.alterations["price"] == 0.5
    truth = 1 / (1 + np.exp(-(2.0 - 1.25 + 0.08 + 1.5 + 1.0)))
    assert abs(decision.success_probability - truth) < 0.05
    # The forecast is that of the fit, the probability the mean over the fit and its weighted orders.
    alone = fitted.suggest({"age": 0.2}, quick=True)
    assert alone.outcomes["renewed"]["levels"]["yes"] == alone.success_probability
    assert decision.to_dict()["expected"]["vendor"] in ("X", "Y", "Z")
    assert "Y" in repr(decision)


def test_words_are_accepted(fitted):
    words = fitted.simulate({"age": 0.2}, {"vendor": "Y", "support": True}, n=50)
    codes = fitted.simulate({"age": 0.2}, {"vendor": 1, "support": 1}, n=50)
    pd.testing.assert_frame_equal(words, codes)
    after = fitted.simulate({"age": 0.2}, fitted.suggest({"age": 0.2}), n=50)
    assert (after["vendor"] == 1).all()
    with pytest.raises(ValueError, match="'Q' is no level of 'vendor'. Its levels are X, Y and Z."):
        fitted.simulate({"age": 0.2}, {"vendor": "Q"}, n=50)


def test_a_saved_model_keeps_its_levers(fitted, tmp_path):
    fitted.save(tmp_path / "m.olem")
    loaded = olem.Rehearsal.load(tmp_path / "m.olem")
    assert loaded.alterable == {
        "vendor": {"values": ["X", "Y"]},
        "support": {},
        "price": {"min": 0.5, "max": 1.5, "step": 0.25},
    }
    assert loaded.desired == {"renewed": "yes"}
    again, first = loaded.suggest({"age": 0.2}).to_dict(), fitted.suggest({"age": 0.2}).to_dict()
    assert again["alterations"] == first["alterations"]


@pytest.mark.parametrize("desired", ["yes", 1, (1, 1), (0.5, 1.5), {"values": ["yes"]}])
def test_a_level_is_desired_in_many_ways(fitted, desired):
    task = {**fitted.get_params(), "desired": {"renewed": desired}, "order": fitted.causal_order_}
    decision = olem.Rehearsal(**task).fit(shop()).suggest({"age": 0.2})
    assert decision.alterations == fitted.suggest({"age": 0.2}).alterations


def test_unknown_levels_name_the_known_ones():
    with pytest.raises(ValueError, match="'yess', which is desired of 'renewed', is none of its levels.*'yes'"):
        olem.Rehearsal(alterable={"price": (0.5, 1.5)}, outcome=["renewed"], desired={"renewed": "yess"}).fit(shop())
    with pytest.raises(ValueError, match="'W' in the domain of 'vendor' is none of its levels"):
        olem.Rehearsal(
            alterable={"vendor": {"values": ["W"]}}, outcome=["renewed"], desired={"renewed": "yes"}
        ).fit(shop())


def test_plots_show_levels(fitted):
    pytest.importorskip("matplotlib").use("Agg")
    from olem import plot_outcome

    (axes,) = plot_outcome(fitted, fitted.suggest({"age": 0.2}), n=50)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["no", "yes"]
