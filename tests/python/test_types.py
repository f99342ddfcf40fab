"""Types of columns: what pandas knows of them, what is declared, and that results keep it."""

import numpy as np
import pandas as pd
import pytest

import olem
from olem._input import as_table

pytestmark = pytest.mark.filterwarnings("ignore::olem.OlemWarning")

ROWS = 120


def house() -> pd.DataFrame:
    random = np.random.default_rng(4)
    heating = random.random(ROWS) < 0.5
    grade = random.integers(0, 3, ROWS)
    price = 2 + 0.5 * heating + random.normal(size=ROWS)
    return pd.DataFrame(
        {
            "heating": heating,
            "grade": pd.Categorical.from_codes(grade, ["poor", "fair", "good"], ordered=True),
            "vendor": random.choice(["X", "Y", "Z"], ROWS),
            "open": np.where(random.random(ROWS) < 0.5, "yes", "no"),
            "crew": pd.array(random.integers(1, 30, ROWS), dtype="Int64"),
            "price": price,
            "demand": 3 * price + 2 * heating + random.normal(size=ROWS),
        }
    )


def test_pandas_knows_types_and_levels():
    table, _ = as_table(house())
    types = table.column_types
    assert types["heating"] == {
        "type": "binary",
        "levels": {"False": 0.0, "True": 1.0},
        "reason": "booleans",
        "declared": False,
    }
    assert types["grade"]["type"] == "ordinal"
    assert types["grade"]["levels"] == {"poor": 0.0, "fair": 1.0, "good": 2.0}
    assert types["grade"]["declared"]
    assert types["vendor"]["type"] == "category"
    assert list(types["vendor"]["levels"]) == ["X", "Y", "Z"]
    assert types["open"]["levels"] == {"no": 0.0, "yes": 1.0}
    assert types["crew"]["type"] == "count"
    assert types["price"]["type"] == "real"
    cells = table.to_array()
    np.testing.assert_array_equal(cells[:, 1], house()["grade"].cat.codes)
    np.testing.assert_array_equal(cells[:, 3], (house()["open"] == "yes").astype(float))


def test_categories_of_numbers_keep_their_numbers():
    frame = pd.DataFrame({"vendor": pd.Categorical([30, 10, 20] * 10), "x": np.arange(30.0)})
    table, _ = as_table(frame)
    assert table.column_types["vendor"]["levels"] == {"10": 10.0, "20": 20.0, "30": 30.0}
    assert table.to_array()[0, 0] == 30.0


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pd.date_range("2020-01-01", periods=ROWS), r"column 'new' holds dates or times .*days since"),
        (pd.period_range("2020-01", periods=ROWS, freq="M"), r"x = x\.dt\.to_timestamp\(\), then \(x - x\.min\(\)\)"),
        (pd.interval_range(0, ROWS, ROWS), r"holds intervals .*x\.array\.mid"),
        ([f"name {i}" for i in range(ROWS)], r"Text that is neither numbers nor levels.*column 'new'"),
        (pd.Categorical(["a", "b", None] * (ROWS // 3)), r"row 2 from 0, column 'new'\) is NaN"),
        (pd.array([True, False, None] * (ROWS // 3), dtype="boolean"), r"row 2 from 0, column 'new'\) is NaN"),
        ([1.0, "two", 3.0] * (ROWS // 3), r"column 'new'\) is 'two', which is not a number"),
    ],
)
def test_what_is_neither_numbers_nor_levels_is_refused(column, message):
    with pytest.raises(ValueError, match=message):
        olem.VarSort().fit(house().assign(new=column))


def test_all_columns_of_text_are_named_at_once():
    texts = [f"name {i}" for i in range(ROWS)]
    with pytest.raises(ValueError, match="column 'a', column 'b'"):
        olem.VarSort().fit(house().assign(a=texts, b=texts))


def test_declared_types_go_before_what_is_found():
    learner = olem.VarSort().fit(house(), column_types={"crew": "real", "price": {"type": "real", "unit": "EUR"}})
    types = learner.result_["column_types"]
    assert types["crew"]["type"] == "real"
    assert types["crew"]["declared"]
    assert types["price"]["unit"] == "EUR"
    assert olem.VarSort().fit(np.arange(20.0).reshape(10, 2) ** 2, column_types={0: "real"}).result_["column_types"][
        "x0"
    ]["declared"]
    with pytest.raises(ValueError, match="'vendor' is declared as real, which are numbers, but row 1"):
        olem.VarSort().fit(house(), column_types={"vendor": "real"})
    with pytest.raises(ValueError, match="Did you mean 'crew'"):
        olem.VarSort().fit(house(), column_types={"crev": "real"})


def rehearsal(**more) -> olem.Rehearsal:
    task = {
        "context": ["heating", "grade"],
        "alterable": {"price": (0, 4)},
        "outcome": ["demand"],
        "desired": {"demand": (9, None)},
    }
    return olem.Rehearsal(**task, method="varsort", sampler="linear", **more)


def test_levels_are_given_and_returned_by_their_words(tmp_path):
    frame = house()[["heating", "grade", "price", "demand"]]
    fitted = rehearsal(columns={"price": {"unit": "EUR"}}).fit(frame)
    assert fitted.column_types_["price"]["unit"] == "EUR"
    decision = fitted.suggest({"heating": True, "grade": "good"})
    assert decision.context == {"heating": "True", "grade": "good"}
    by_number = fitted.suggest({"heating": 1, "grade": 2})
    assert (by_number.context, by_number.alterations) == (decision.context, decision.alterations)
    assert by_number.success_probability == decision.success_probability
    with pytest.raises(ValueError, match="'god' is no level of 'grade'. Its levels are poor, fair and good. Did you mean"):
        fitted.suggest({"heating": True, "grade": "god"})
    with pytest.raises(ValueError, match="no level of 'heating'"):
        fitted.suggest({"heating": 0.5, "grade": "good"})
    several = fitted.suggest(frame[["heating", "grade"]].head(2))
    assert several[0].context["grade"] == frame["grade"][0]
    fitted.save(tmp_path / "m.olem")
    loaded = olem.Rehearsal.load(tmp_path / "m.olem")
    assert loaded.column_types_ == fitted.column_types_
    assert loaded.suggest({"heating": True, "grade": "good"}).alterations == decision.alterations
    assert len(fitted.simulate({"heating": True, "grade": "good"}, decision, n=50)) == 50
