"""Runs while they go on: interrupts, callbacks, threads, steps."""

import signal
import threading
import time

import numpy as np
import pytest

import myrmex
from myrmex import _asked, _myrmex, _solve
import common
from common import FAR_LESS, is_permutation, tour_length

POINTS = np.random.default_rng(7).random((2000, 2))


class interrupt:
    """Sends this process an interrupt after so many seconds, and knows when."""

    def __init__(self, after):
        self.timer = threading.Timer(after, self.send)

    def send(self):
        self.at = time.monotonic()
        common.interrupt()

    def __enter__(self):
        self.timer.start()
        return self

    def __exit__(self, *_):
        self.timer.cancel()


@pytest.mark.timed
@pytest.mark.parametrize(("n", "after"), [(2000, 1.0), (20_000, 0.05)])
def test_interrupt_returns_the_best_tour_within_half_a_second(n, after, alone):
    points = np.random.default_rng(8).random((n, 2))
    with interrupt(after) as sent:
        result = myrmex.solve_tsp(points, time=60, device="cpu")
    took = time.monotonic() - sent.at
    assert result.ended == "interrupted" and is_permutation(result.tour, n)
    assert result.length == pytest.approx(tour_length(points, result.tour), rel=1e-9)
    assert took < 0.5, f"{took} s"


@pytest.mark.timed
def test_time_limit_holds_in_the_set_up(alone):
    points = np.random.default_rng(9).random((20_000, 2))
    began = time.monotonic()
    result = myrmex.solve_tsp(points, time=0.1, device="cpu")
    assert time.monotonic() - began < 1.0
    assert result.ended == "time" and is_permutation(result.tour, len(points))


def test_interrupt_in_a_callback_is_one():
    def callback(gain):
        common.interrupt()
        time.sleep(5)

    result = myrmex.solve_tsp(POINTS, time=60, device="cpu", callback=callback)
    assert result.ended == "interrupted" and is_permutation(result.tour, len(POINTS))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timer")
def test_signal_handler_may_raise():
    def handler(*_):
        raise KeyError("mine")

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyError, match="mine"):
            myrmex.solve_tsp(POINTS, time=60, device="cpu")
    finally:
        signal.signal(signal.SIGALRM, before)


def test_callback_sees_every_better_tour():
    gains = []
    points = POINTS[:300]
    result = myrmex.solve_tsp(points, iterations=30, device="cpu", callback=gains.append)
    costs = [gain.cost for gain in gains]
    assert costs == sorted(set(costs), reverse=True) and len(costs) > 2
    assert costs[-1] == result.cost and np.array_equal(gains[-1].permutation, result.tour)
    for gain in gains:
        assert is_permutation(gain.permutation, len(points))
        assert gain.length == pytest.approx(tour_length(points, gain.permutation), rel=1e-9)
    assert gains[0].iteration == 0 and [gain.seconds for gain in gains] == sorted(gain.seconds for gain in gains)


def test_what_a_callback_raises_is_raised():
    def callback(gain):
        raise LookupError("enough")

    began = time.monotonic()
    with pytest.raises(LookupError, match="enough"):
        myrmex.solve_tsp(POINTS, time=60, device="cpu", callback=callback)
    assert time.monotonic() - began < FAR_LESS


def test_callback_ends_the_run():
    calls = []

    def callback(gain):
        calls.append(gain)
        if len(calls) == 2:
            raise StopIteration
        return True  # As the update of a progress bar does, which is no wish to end the run.

    result = myrmex.solve_tsp(POINTS, time=60, device="cpu", callback=callback)
    assert (result.ended, len(calls), result.cost) == ("cancelled", 2, calls[1].cost)


def test_an_event_ends_the_run():
    def later(event):
        threading.Timer(1.0, event.set).start()
        return event

    for solve in (
        lambda event: [myrmex.solve_tsp(POINTS, time=60, device="cpu", cancel=event, callback=lambda gain: event.set())],
        lambda event: [myrmex.Solver(myrmex.tsp(POINTS), device="cpu").run(time=60, cancel=event, callback=lambda gain: event.set())],
        # It tells nothing on its way.
        lambda event: myrmex.solve_many([POINTS, POINTS[::-1]], time=60, cancel=later(event), workers=2),
    ):
        event = threading.Event()
        began = time.monotonic()
        results = solve(event)
        assert time.monotonic() - began < FAR_LESS and all(is_permutation(result.tour, len(POINTS)) for result in results)
        assert {result.ended for result in results} == {"cancelled"}
    with pytest.raises(myrmex.InvalidInputError, match="cancel: expected something with is_set"):
        myrmex.solve_tsp(POINTS, cancel=3)


def test_what_many_have_solved_is_not_lost():
    small, began = POINTS[:40], time.monotonic()
    assert myrmex.solve_many([small], rounds=1, workers=1)[0].ended == "converged"
    event = threading.Event()
    # The small one takes as long again, and one of the others far longer.
    threading.Timer(0.3 + 4 * (time.monotonic() - began), event.set).start()
    with pytest.raises(myrmex.Error, match="cancelled before all problems had begun") as raised:
        myrmex.solve_many([small, *[POINTS] * 40], rounds=1, workers=1, cancel=event)
    results = raised.value.results
    assert len(results) == 41 and results[0].ended == "converged" and results[-1] is None


def test_interpreter_is_free_while_a_run_goes_on():
    turns, over = [], threading.Event()

    def count():
        while not over.is_set():
            turns.append(time.monotonic())
            time.sleep(0.01)

    thread = threading.Thread(target=count)
    thread.start()
    began = time.monotonic()
    myrmex.solve_tsp(POINTS, time=0.5, device="cpu")
    ended = time.monotonic()
    over.set()
    thread.join()
    assert sum(began < turn < ended for turn in turns) >= 8


def test_runs_in_several_threads():
    results = {}

    def run(seed):
        results[seed] = myrmex.solve_tsp(POINTS[:100], iterations=10, seed=seed, device="cpu")

    threads = [threading.Thread(target=run, args=(seed,)) for seed in (1, 2, 1 << 40)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    alone = myrmex.solve_tsp(POINTS[:100], iterations=10, seed=2, device="cpu")
    assert np.array_equal(results[2].tour, alone.tour) and len(results) == 3


def test_solver_goes_on_and_is_resumed():
    problem = myrmex.tsp(POINTS[:120])
    whole = myrmex.solve(problem, iterations=30, seed=3, device="cpu")
    solver = myrmex.Solver(problem, seed=3, effort="standard", device="cpu")
    assert solver.progress.iteration == 0 and solver.recipe["algorithm"] == "lk-eax"
    assert (solver.backend, solver.device) == ("cpu", whole.device)
    assert [solver.step(5).iteration, solver.step().iteration] == [5, 6]
    assert solver.result().cost == solver.progress.cost
    later = myrmex.Solver.resume(problem, solver.checkpoint(), device="cpu")
    for each in (solver, later):
        result = each.run(iterations=30)
        assert result.iterations == 30 and np.array_equal(result.tour, whole.tour)
    assert later.run(time=0.1).ended == "time"
    with interrupt(0.3):
        assert solver.run(time=60).ended == "interrupted"
    with interrupt(0.3), pytest.raises(KeyboardInterrupt):
        while True:
            solver.step(1)
    assert is_permutation(solver.result().tour, 120)


def test_solver_is_busy_in_its_own_callback():
    solver = myrmex.Solver(myrmex.tsp(POINTS[:100]), device="cpu")
    with pytest.raises(myrmex.InvalidInputError, match="at work"):
        solver.run(time=5, callback=lambda gain: solver.step())
    assert is_permutation(solver.run(iterations=5).tour, 100)


def test_device_that_fails_leaves_the_best_result():
    problem = myrmex.tsp(POINTS[:20])

    def run():
        error = myrmex.DeviceError("it is gone")
        place, rules = _asked.where("cpu", None), _asked.rules_of(None, 3, None, None, None)
        error.result = _myrmex.solve(problem._problem, [], place, None, rules, _asked.Caller(None, None))
        raise error

    with pytest.raises(myrmex.DeviceError) as error:
        _solve._finished(problem, run)
    assert is_permutation(error.value.result.tour, 20)


def test_rounds_end_a_run_and_a_solver_goes_on_for_as_many_more():
    # Few, so that none of these runs comes to the seconds that it has.
    points = np.random.default_rng(23).random((14, 2))
    one = myrmex.solve_tsp(points, rounds=1, seed=5, device="cpu")
    assert one.ended == "converged"
    solver = myrmex.Solver(myrmex.tsp(points), seed=5, device="cpu")
    usual = solver.run()
    assert usual.ended == "converged" and usual.iterations > one.iterations
    again = solver.run()
    assert again.ended == "converged" and again.iterations > usual.iterations
    assert [usual.phases[-1]["round"], again.phases[-1]["round"]] == [3, 7]
    with pytest.raises(myrmex.InvalidInputError, match="stagnation"):
        solver.run(stagnation=0)


def test_steps_come_to_an_end_also_where_nothing_is_sought():
    few = myrmex.Solver(myrmex.tsp(np.random.default_rng(24).random((8, 8))), device="cpu")
    many = myrmex.Solver(myrmex.tsp(POINTS[:100]), device="cpu")
    for solver in (few, many):
        while (now := solver.step(10)).iteration < 30:
            pass
        assert now.length == pytest.approx(solver.result().length, rel=1e-6) and now.cost == solver.result().cost
        assert "after 30 iterations" in repr(solver)


def test_runs_have_as_many_threads_as_they_ask_for():
    # Those that all runs share are there already.
    shared = myrmex.solve_tsp(POINTS[:50], iterations=3, seed=5, device="cpu")
    for count in (1, 2, 3):
        device = f"CPU, {count} thread{'s' if count > 1 else ''}"
        result = myrmex.solve_tsp(POINTS[:50], iterations=3, seed=5, device="cpu", threads=count)
        assert result.device == device and result.tour.tolist() == shared.tour.tolist()
        solver = myrmex.Solver(myrmex.tsp(POINTS[:50]), device="cpu", threads=np.int64(count))
        solver.step(2)
        later = myrmex.Solver.resume(solver.problem, solver.checkpoint(), device="cpu", threads=count)
        assert [one.device for one in (solver, later, later.run(iterations=4))] == [device] * 3
    flows = np.random.default_rng(6).integers(0, 9, (12, 12))
    assert myrmex.solve_qap(flows, flows.T, iterations=2, device="cpu", threads=2).device == "CPU, 2 threads"
    assert myrmex.solve_tsp(POINTS[:50], iterations=2, device="cpu").device == shared.device
    for wrong in (0, -1, 1.5, True, "2"):
        with pytest.raises(myrmex.InvalidInputError, match="threads: expected a whole number"):
            myrmex.solve_tsp(POINTS[:50], threads=wrong)


def test_what_is_found_out_about_a_problem_takes_some_of_the_time(monkeypatch):
    asked = []

    def slow(problem):
        if not asked:
            time.sleep(4)
        asked.append(problem)
        return []

    problem = myrmex.tsp(POINTS)
    monkeypatch.setattr(myrmex.Problem, "warnings", property(slow))
    began = time.monotonic()
    result = myrmex.solve(problem, time=6, device="cpu")
    assert result.ended == "time" and time.monotonic() - began < 9


def test_a_result_is_a_start():
    first = myrmex.solve_tsp(POINTS, iterations=3, device="cpu")
    again = myrmex.solve_tsp(POINTS, iterations=3, device="cpu", initial=first)
    assert again.length <= first.length


def test_rounding_is_warned_of_where_the_package_is_called():
    far = myrmex.tsp(np.vstack([[[1e6, 1e6]], np.random.default_rng(25).random((19, 2))]))
    calls = [
        lambda: myrmex.solve(far, iterations=1, device="cpu"),
        lambda: myrmex.solve_many([POINTS[:9], far], iterations=1, device="cpu"),
        lambda: myrmex.Solver(far, device="cpu"),
    ]
    for number, call in enumerate(calls):
        with pytest.warns(UserWarning, match="problems.1.: the solver counts" if number == 1 else "^the solver counts") as told:
            call()
        assert told[0].filename == __file__
