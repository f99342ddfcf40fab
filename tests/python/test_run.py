"""How calls run: Ctrl-C, the GIL, progress, threads and processes."""

import multiprocessing
import signal
import threading
import time

import numpy as np
import pytest

import olem
from conftest import run_python

pytestmark = pytest.mark.filterwarnings("ignore::olem.OlemWarning")

LONG = "olem.OLEM(bootstrap=100000).fit(numpy.random.default_rng(1).normal(size=(1000, 10)))"


def test_ctrl_c_ends_a_long_call_within_a_second():
    done = run_python(f"""
import os, signal, threading, time, numpy, olem
def press():
    time.sleep(0.3)
    global pressed
    pressed = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press).start()
try:
    {LONG}
except KeyboardInterrupt:
    print(time.monotonic() - pressed)
""", timeout=60)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1.0


def test_a_handler_of_the_user_decides_what_ctrl_c_means():
    class Enough(Exception):
        pass

    def handler(number, frame):
        raise Enough

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(Enough):
            olem.OLEM(bootstrap=100000).fit(np.random.default_rng(1).normal(size=(1000, 10)))
    finally:
        signal.signal(signal.SIGALRM, before)


def test_other_threads_run_meanwhile():
    ticks = []
    started, done = threading.Event(), threading.Event()

    def tick():
        started.wait()
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    data = np.random.default_rng(1).normal(size=(2000, 8))
    try:
        olem.OLEM(bootstrap=20, progress=lambda fraction, phase: started.set()).fit(data)
        during = len(ticks)
    finally:
        started.set()
        done.set()
        thread.join()
    assert during > 5


def test_progress_comes_from_the_calling_thread():
    calls = []
    caller = threading.get_ident()
    data = np.random.default_rng(1).normal(size=(1500, 8))
    olem.OLEM(progress=lambda *news: calls.append((*news, threading.get_ident())), bootstrap=10).fit(data)
    assert calls
    fractions = [fraction for fraction, _, _ in calls]
    assert all(0 <= fraction <= 1 for fraction in fractions)
    assert all(isinstance(phase, str) and phase for _, phase, _ in calls)
    assert {thread for _, _, thread in calls} == {caller}


def test_an_exception_of_the_callback_ends_the_work():
    def enough(fraction, phase):
        raise RuntimeError("enough")

    start = time.monotonic()
    with pytest.raises(RuntimeError, match="enough"):
        olem.OLEM(bootstrap=100000, progress=enough).fit(np.random.default_rng(1).normal(size=(1000, 10)))
    assert time.monotonic() - start < 30


def _order_of(data):
    return olem.OLEM(n_jobs=2).fit(data).causal_order_


def test_forked_processes_can_learn(ka5):
    assert _order_of(ka5) == [0, 1, 2, 3, 4]  # threads have run in this process before it forks
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_order_of, [ka5, ka5]) == [[0, 1, 2, 3, 4]] * 2


def test_several_threads_can_learn_at_once(ka5):
    orders = []
    threads = [threading.Thread(target=lambda: orders.append(_order_of(ka5))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert orders == [[0, 1, 2, 3, 4]] * 4


def test_a_problem_that_does_not_fit_is_a_memory_error():
    data = np.random.default_rng(1).normal(size=(400_000, 2))  # a kernel matrix of 1.3 TB
    with pytest.raises(MemoryError, match="memory"):
        olem.SCORE().fit(data)


def test_the_last_progress_is_told_even_by_a_short_call(ka5):
    fractions = []
    olem.OLEM(progress=lambda fraction, phase: fractions.append(fraction)).fit(ka5)
    assert fractions and fractions[-1] == 1.0
