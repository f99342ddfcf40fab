"""What is accepted as data, and what is refused with row and column."""

import threading

import numpy as np
import pandas as pd
import pytest

import olem
from olem._input import as_matrix

pytestmark = pytest.mark.filterwarnings("ignore::olem.OlemWarning")


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.copy(),
        np.asfortranarray,
        lambda x: np.repeat(x, 2, axis=0)[::2],
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: x[::-1][::-1],
        lambda x: x.astype(">f8"),
        lambda x: x.tolist(),
        lambda x: pd.DataFrame(x),
        lambda x: np.ma.masked_array(x),
        lambda x: x.astype(np.longdouble),
    ],
)
def test_the_same_numbers_give_the_same_steps(change, ka5):
    assert olem.OLEM().fit(change(ka5)).steps_ == olem.OLEM().fit(ka5).steps_


def test_float32_integers_and_booleans(ka5):
    expected = olem.OLEM().fit(ka5.astype(np.float32).astype(float))
    assert olem.OLEM().fit(ka5.astype(np.float32)).steps_ == expected.steps_
    whole = np.round(100 * ka5)
    assert olem.OLEM().fit(whole.astype(np.int32)).steps_ == olem.OLEM().fit(whole).steps_
    assert olem.PC().fit((ka5 > 0)).graph_ == olem.PC().fit((ka5 > 0).astype(float)).graph_


def test_nullable_columns_of_pandas(ka5_frame):
    frame = ka5_frame.astype("Float64")
    assert olem.OLEM().fit(frame).causal_order_ == list("abcde")
    frame.iloc[7, 2] = pd.NA
    with pytest.raises(ValueError, match=r"row 7 .*column 'c'.*NaN"):
        olem.OLEM().fit(frame)


def test_float64_arrays_are_not_copied_on_the_way_to_the_library(ka5):
    for array in (ka5, np.asfortranarray(ka5), ka5[:, ::2]):
        matrix, _ = as_matrix(array)
        assert np.shares_memory(matrix, array)


def test_missing_values_are_named(ka5, ka5_frame):
    array = ka5.copy()
    array[17, 3] = np.nan
    array[200, 1] = -np.inf
    with pytest.raises(ValueError, match=r"X\[17, 3\] \(row 17 from 0, column 3\) is NaN, and 1 more"):
        olem.OLEM().fit(array)
    with pytest.raises(ValueError, match=r"row 17 from 0, column 'd'"):
        olem.OLEM().fit(pd.DataFrame(array, columns=ka5_frame.columns))


def test_masked_values_are_named(ka5):
    masked = np.ma.masked_array(ka5, mask=np.zeros(ka5.shape))
    masked[5, 1] = np.ma.masked
    with pytest.raises(ValueError, match=r"row 5 from 0, column 1\) is masked"):
        olem.GES().fit(masked)


def test_objects_are_named(ka5, ka5_frame):
    frame = ka5_frame.astype({"b": object})
    frame.loc[3, "b"] = "high"
    with pytest.raises(ValueError, match=r"row 3 from 0, column 'b'\) is 'high'"):
        olem.OLEM().fit(frame)
    with pytest.raises(ValueError, match="dtype object"):
        olem.OLEM().fit(ka5.astype(object))
    with pytest.raises(ValueError, match="is 'high'"):
        olem.OLEM().fit(np.array([["high", "low"], ["low", "high"]]))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.zeros(5), "2D"),
        (np.zeros((2, 2, 2)), "2D"),
        (np.zeros((0, 3)), "0 sample"),
        (np.zeros((1, 3)), "1 sample"),
        (np.zeros((5, 0)), "0 feature"),
        (np.ones((5, 2)) * 1j, "Complex"),
        (np.zeros((9, 2)), "never changes|constant"),
    ],
)
def test_what_is_no_table_is_refused(data, message):
    with pytest.raises(ValueError, match=message):
        olem.OLEM().fit(data)


def test_names_of_columns(ka5):
    with pytest.raises(ValueError, match="Two columns are called 'a'"):
        olem.OLEM().fit(pd.DataFrame(ka5, columns=list("abcda")))
    with pytest.raises(TypeError, match="column names"):
        olem.OLEM().fit(pd.DataFrame(ka5, columns=["a", "b", "c", "d", 4]))
    assert olem.OLEM().fit(pd.DataFrame(ka5, columns=["ä", "β", "<b>", "a,b", '"'])).causal_order_[0] == "ä"


def test_an_array_may_change_while_it_is_used():
    array = np.random.default_rng(1).normal(size=(2000, 12))
    expected = olem.OLEM().fit(array).steps_
    done = threading.Event()

    def scribble():
        copy = array.copy()
        started.wait()
        while not done.is_set():
            array[:] = np.nan
            array[:] = copy

    started = threading.Event()
    thread = threading.Thread(target=scribble)
    thread.start()
    try:
        found = olem.OLEM(progress=lambda fraction, phase: started.set()).fit(array).steps_
    finally:
        started.set()
        done.set()
        thread.join()
    assert found == expected
