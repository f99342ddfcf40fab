"""OLEM for n = 2000 on one thread: this package against the obvious program with NumPy and SciPy, in one run.

    PYTHONPATH=build/release/python python3 python/bench/order_bench.py

The obvious program builds a cKDTree for every leave-one-out set of every step. Both must find the same order. The last
number is what a fit takes beside the C++ function that learns the order: checking and copying the input, looking for
doubtful columns, a thread, and the result in Python.
"""

from __future__ import annotations

import math
import time

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import digamma

import olem

ROWS = 2000


def kozachenko_leonenko(sample: np.ndarray) -> float:
    n, d = sample.shape
    distance = cKDTree(sample).query(sample, k=2)[0][:, 1]
    log_ball = 0.5 * d * math.log(math.pi) - math.lgamma(0.5 * d + 1)
    return d * np.log(distance).mean() + log_ball + math.log(n - 1) - digamma(1)


def obvious_order(data: np.ndarray) -> list[int]:
    """Algorithm 1 of "Order-based Rehearsal Learning": the greatest H(all) - H(all but one) is last."""
    left = list(range(data.shape[1]))
    found = []
    while len(left) > 1:
        without = [kozachenko_leonenko(data[:, [v for v in left if v != u]]) for u in left]
        found.append(left.pop(int(np.argmin(without))))
    return [*left, *reversed(found)]


def linear_model(columns: int) -> np.ndarray:
    random = np.random.default_rng(columns)
    data = random.normal(size=(ROWS, columns))
    for j in range(1, columns):
        parents = random.random(j) < 0.5
        data[:, j] += data[:, :j][:, parents] @ random.uniform(0.3, 0.9, parents.sum())
    return np.ascontiguousarray(data / data.std(axis=0).mean())


def best_of(repetitions: int, work) -> tuple[float, object]:
    seconds, result = math.inf, None
    for _ in range(repetitions):
        start = time.perf_counter()
        result = work()
        seconds = min(seconds, time.perf_counter() - start)
    return seconds, result


def overhead(data: np.ndarray) -> float:
    """Seconds of a fit beside those that the C++ function reports, at best."""
    beside = []
    for _ in range(30):
        start = time.perf_counter()
        learner = olem.OLEM().fit(data)
        beside.append(time.perf_counter() - start - learner.result_["seconds"])
    return min(beside)


def main() -> None:
    print(f"n = {ROWS}, one thread, best of several runs")
    for columns, repetitions in ((10, 7), (20, 3)):
        data = linear_model(columns)
        ours, learner = best_of(30, lambda: olem.OLEM(n_jobs=1).fit(data))
        theirs, order = best_of(repetitions, lambda: obvious_order(data))
        same = learner.causal_order_ == order
        print(
            f"d = {columns}: obvious {theirs:.3f} s, olem {ours:.4f} s, {theirs / ours:.0f} times faster, "
            f"{'the same order' if same else 'ANOTHER ORDER'}, {1000 * overhead(data):.2f} ms beside the C++ call"
        )


if __name__ == "__main__":
    main()
