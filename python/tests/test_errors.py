"""Bad input, interrupts and progress."""

import os
import signal
import threading
import time
import warnings

import pytest

import gpusched as gs


def test_errors_carry_their_parts():
    task = {"period": "5ms", "wcet": {"amdahl": {"work": "0ms", "serial": 0.1}}}
    with pytest.raises(gs.GpuschedError) as caught:
        gs.partition({"tasks": [task]}, sms=4)
    error = caught.value
    assert error.file == "task_set.json" and error.field.startswith("tasks[0].wcet")
    assert "task_set.json" in str(error) and "gpusched-" not in str(error)
    with pytest.raises(gs.GpuschedError) as caught:
        gs.test("missing.json", sms=1)
    assert caught.value.file == "missing.json"
    with pytest.raises(gs.GpuschedError) as caught:
        gs.partition({"tasks": []}, gpu="xavierr")
    assert "xavier" in str(caught.value)
    with pytest.raises(gs.GpuschedError, match="--sms") as caught:
        gs.test({"tasks": [task]}, sms=0)
    assert (caught.value.field, caught.value.file) == ("--sms", None)
    for wrong in ([3, 4], 5, None, b"x", {3}, []):
        with pytest.raises(TypeError, match="task_set: "):
            gs.partition(wrong, sms=1)
    with pytest.raises(TypeError, match="spec: "):
        gs.study.run({"name": "x"})
    assert error.found == "0" and error.expected.startswith("a positive time")


def test_notes_are_warnings():
    short = gs.TaskSet([gs.Task(5, 1)])
    with pytest.warns(gs.GpuschedNote, match="nanoseconds"):
        gs.test(short, sms=1)
    # Worker threads write this note.
    unstated = gs.TaskSet([gs.Task("50ms", gs.Wcet.amdahl("5ms", 0.1))] * 2)
    with pytest.warns(gs.GpuschedNote, match="unsafe"):
        gs.partition(unstated, sms=8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gs.GpuschedNote)
        assert gs.test(short, sms=1)


def test_an_interrupt_stops_a_call():
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        gs.validate(systems=10**10)  # takes days
    timer.join()
    # The next call is not affected.
    assert gs.test(gs.TaskSet([gs.Task("5ms", "1ms")]), sms=1)


def test_an_interrupt_stops_a_program_of_a_study(tmp_path):
    (tmp_path / "sets.sh").write_text("while read -r line; do :; done\n")  # never answers
    spec = tmp_path / "own.toml"
    spec.write_text(
        """
name = "own"
sets = 4
sms = 4
population = { command = ["sh", "sets.sh"] }
axis = { utilization = [1], tasks = 2 }
[[variant]]
name = "edf"
policy = "edf"
[[algorithm]]
name = "1G"
heuristic = "1g"
"""
    )
    for call in (lambda: gs.study.sets(spec, point=0), lambda: gs.generate(study=spec, point=0, count=4)):
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            call()
        timer.join()
        assert time.monotonic() - begin < 30  # a program has 60 s for an answer


def test_other_threads_run_meanwhile():
    ticks = []
    done = threading.Event()

    def count():
        while not done.wait(0.01):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=count)
    thread.start()
    gs.validate(systems=3000, seed=1)
    done.set()
    thread.join()
    assert ticks  # a call that keeps the GIL would stop the other thread


def test_calls_of_several_threads_are_independent():
    found = {}

    def call(seed):
        found[seed] = gs.generate(tasks=20, utilization=9, count=50, seed=seed).to_json()

    threads = [threading.Thread(target=call, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, text in found.items():
        assert text == gs.generate(tasks=20, utilization=9, count=50, seed=seed).to_json()


def test_progress_reaches_the_caller():
    from gpusched import _native

    steps = []
    answer, refused, _ = _native.call(["validate", "--systems", "200", "--format", "json"], lambda *step: steps.append(step))
    assert refused is None and answer[0]
    assert steps[-1] == (200, 200, "systems")
    positions = [step[0] for step in steps]
    assert positions == sorted(positions)
