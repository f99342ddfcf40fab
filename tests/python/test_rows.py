"""What a task says about its rows: set by hand, groups, quadratic costs."""

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
olem = pytest.importorskip("olem")


def acted(rows=1000, seed=1):
    random = np.random.default_rng(seed)
    hidden = random.normal(size=rows)
    was_set = random.random(rows) < 0.2
    own = 0.7 * hidden + np.sqrt(0.51) * random.normal(size=rows)
    price = np.where(was_set, random.normal(size=rows), own)
    sales = 0.3 * price + 0.7 * hidden + np.sqrt(0.51) * random.normal(size=rows)
    return pd.DataFrame({"price": price, "sales": sales, "price_was_set": was_set.astype(float)})


def rehearsal(**more):
    return olem.Rehearsal(
        [], {"price": (-1, 1)}, ["sales"], {"sales": (0.75, None)}, sampler="linear", quick=True, random_state=1, **more
    )


def test_rows_that_were_set_say_what_the_lever_does():
    with pytest.warns(UserWarning, match="contradict"):
        model = rehearsal(set_by_hand={"price": "price_was_set"}).fit(acted())
    effect = model.set_by_hand_[0]
    assert effect["contradict"]
    assert abs(effect["set"]["effect"] - 0.3) < 4 * effect["set"]["standard_error"]
    decision = model.suggest()
    # P(sales > .75) with the price at 1: 1 - Phi(.45)
    assert abs(decision.success_probability - 0.326) < 0.08


def test_a_group_is_named_beside_the_context():
    random = np.random.default_rng(2)
    level = np.repeat(random.normal(size=20), 50)
    frame = pd.DataFrame(
        {
            "price": 1.2 * level + 0.6 * random.normal(size=1000),
            "sales": 2 * level + 0.7 * random.normal(size=1000),
            "branch": np.repeat(np.arange(20.0), 50),
        }
    )
    model = rehearsal(group="branch").fit(frame)
    assert len(model.groups_) == 20
    high, low = int(np.argmax(level[::50])), int(np.argmin(level[::50]))
    assert model.suggest({"branch": high}).success_probability > 0.9
    assert model.suggest({"branch": low}).success_probability < 0.1
    with pytest.raises(Exception, match="none of the 20 groups"):
        model.suggest({"branch": 77})


def test_a_square_costs_from_its_datum():
    model = rehearsal(cost={"price": {"weight": 10, "datum": 0.5, "power": 2}}, ignore=["price_was_set"]).fit(acted())
    decision = model.suggest()
    value = decision.alterations["price"]
    assert decision.cost == pytest.approx(0 if value is None else 10 * (value - 0.5) ** 2)
