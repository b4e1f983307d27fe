"""Algorithms of the user in Python."""

import concurrent.futures
import json
import subprocess
import sys
import traceback

import pytest

import gpusched as gs

pytest.importorskip("pandas")

STUDY = """
name = "own"
sets = 12
sms = 8
paired = true

[axis]
utilization = [2, 4]
tasks = 5

[[variant]]
name = "edf"
wcet = "amdahl"
policy = "edf"

[[algorithm]]
name = "1G"
heuristic = "1g"
"""


def together(tasks, sms):
    """All tasks in one partition, as the heuristic 1G."""
    return [{"sms": sms, "tasks": list(range(len(tasks)))}]


def light(tasks, sms):
    """A test: the density on one SM fits on the GPU."""
    return sum(c / t.deadline_ns for c, t in zip(tasks.wcet(1), tasks)) <= sms


def best(tasks, sms):
    return gs.partition(tasks, sms=sms, policy="edf", heuristic="optimal")


def failing(tasks, sms):
    if len(failing.calls) == 5:
        raise ZeroDivisionError("five")
    failing.calls.append(sms)
    return together(tasks, sms)


ALGORITHMS = {"together": together, "light": light, "best": best}


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(STUDY)
    return path


def rows(frame, algorithm):
    return frame[frame["algorithm"] == algorithm].reset_index(drop=True)


def test_functions_are_algorithms_of_a_study(study, tmp_path):
    frame = gs.study.run(study, tmp_path / "one", threads=1, algorithms=ALGORITHMS)
    assert list(frame["algorithm"])[:4] == ["1G", "together", "light", "best"]
    # All tasks in one partition are schedulable exactly if 1G finds them schedulable.
    first, own = rows(frame, "1G"), rows(frame, "together")
    assert 0 < first["schedulable"].sum() < 24
    assert list(first["schedulable"]) == list(own["schedulable"])
    assert list(first["mean_sms"].fillna(0)) == list(own["mean_sms"].fillna(0))
    assert rows(frame, "light")["mean_sms"].isna().all()
    # A plan of `optimal` is as good as the heuristic `optimal`.
    text = STUDY.replace('"1g"', '"optimal"')
    optimal = gs.study.run(text, algorithms={})
    assert list(rows(frame, "best")["mean_sms"].fillna(0)) == list(optimal["mean_sms"].fillna(0))


def test_threads_shards_and_processes_give_the_same_bytes(study, tmp_path):
    gs.study.run(study, tmp_path / "one", threads=1, algorithms=ALGORITHMS)
    gs.study.run(study, tmp_path / "two", threads=3, algorithms=ALGORITHMS)
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        gs.study.run(study, tmp_path / "parts", executor=executor, shards=3, algorithms=ALGORITHMS)
    for file in ("own.csv", "own.paired.csv", "own.provenance.json", "own.toml"):
        one, *others = ((tmp_path / folder / file).read_bytes() for folder in ("one", "two", "parts"))
        assert others == [one, one], file
    # The folder of results is complete: its claims can be checked without the functions, but it runs only with them.
    copy = tmp_path / "one" / "own.toml"
    gs.study.check(tmp_path / "one")
    again = gs.study.run(copy, tmp_path / "one", algorithms=ALGORITHMS)
    assert len(again) == 8
    with pytest.raises(gs.GpuschedError, match="a program that registers the function"):
        gs.study.run(copy, tmp_path / "new")


def test_an_exception_is_the_cause_and_loses_nothing(study, tmp_path):
    failing.calls = []
    with pytest.raises(gs.GpuschedError, match='algorithm "failing": failed for set . of point 0.*five') as caught:
        gs.study.run(study, tmp_path / "failed", threads=1, algorithms={"failing": failing})
    cause = caught.value.__cause__
    assert isinstance(cause, ZeroDivisionError)
    assert "in failing" in "".join(traceback.format_exception(type(cause), cause, cause.__traceback__))
    assert not (tmp_path / "failed" / "own.csv").exists()
    failing.calls = [None] * 6
    gs.study.run(study, tmp_path / "failed", threads=1, algorithms={"failing": failing})
    # The run before recorded four task sets: two chunks of two.
    assert len(failing.calls) == 6 + 24 - 4
    failing.calls = [None] * 6
    gs.study.run(study, tmp_path / "whole", algorithms={"failing": failing})
    assert (tmp_path / "failed" / "own.csv").read_bytes() == (tmp_path / "whole" / "own.csv").read_bytes()


def test_a_function_can_ask_for_the_test_of_a_partition(study):
    def exact(tasks, sms):
        return together(tasks, sms) if tasks.accepts(range(len(tasks)), sms) else False

    frame = gs.study.run(study, algorithms={"exact": exact})
    assert list(rows(frame, "1G")["schedulable"]) == list(rows(frame, "exact")["schedulable"])
    tasks = gs.TaskSet([gs.Task(period="10ms", wcet={"amdahl": {"work": "40ms", "serial": 0, "conflict": 2}})] * 2)
    with pytest.raises(ValueError, match="no test of partitions"):
        tasks.accepts([0], 8)
    asked = []

    def ask(tasks, sms):
        asked.extend(tasks.accepts(group, count) for group, count in [([0], 3), ([0], 4), ([0, 1], 8), ([0, 1], 16), ([], 1)])
        with pytest.raises(ValueError, match="found 2, expected positions below 2"):
            tasks.accepts([2], 8)
        with pytest.raises(ValueError, match="sms"):
            tasks.accepts([0], 0)
        return False

    gs.partition(tasks, sms=16, heuristic=ask)
    assert asked == [False, True, False, True, True]


def test_rejected_partitions_of_a_function_are_named(tmp_path):
    tasks = gs.TaskSet([gs.Task(period="10ms", wcet={"amdahl": {"work": "40ms", "serial": 0, "conflict": 2}})] * 2)
    for parts, reason in [
        ([{"sms": 72, "tasks": [0, 1]}], "a partition has more SMs than the GPU, which has 68"),
        ([{"sms": 35, "tasks": [0]}, {"sms": 35, "tasks": [1]}], "the partitions have 70 SMs, but the GPU has 68"),
        ([{"sms": 4, "tasks": [0, 1]}], "partition of 4 SMs with #0, #1: "),
    ]:
        with pytest.warns(gs.GpuschedNote, match="its partitions are rejected: " + reason):
            assert not gs.partition(tasks, sms=68, heuristic=lambda tasks, sms, parts=parts: parts)


def test_a_changed_function_is_another_experiment(study, tmp_path):
    module = tmp_path / "mine.py"
    code = "import sys, gpusched as gs\n\ndef mine(tasks, sms):\n    return {}\n\n"
    run = f"gs.study.run({str(study)!r}, {str(tmp_path / 'results')!r}, algorithms={{'mine': mine}})\n"

    def result(answer):
        module.write_text(code.format(answer) + run)
        return subprocess.run([sys.executable, module], capture_output=True, text=True, check=False)

    assert result("True").returncode == 0
    assert result("True").returncode == 0
    changed = result("False")
    assert changed.returncode == 1 and "GpuschedError" in changed.stderr, changed.stderr
    text = json.loads((tmp_path / "results" / "own.provenance.json").read_text())
    assert text["experiment_sha256"]
    assert 'function = "__main__.mine ' in (tmp_path / "results" / "own.toml").read_text()


def test_functions_without_a_file_have_a_version():
    code = "def f(tasks, sms):\n    return sms in {'a', 'b', 'c'}\nfrom gpusched._own import version\nprint(version(f))"

    def versions(text):
        runs = [subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True) for _ in range(3)]
        return {run.stdout for run in runs}

    [first] = versions(code)
    [other] = versions(code.replace("'c'", "'d'"))
    assert first.startswith("__main__.f ") and first != other


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (None, "found a value of type NoneType, expected True, False, a list of partitions, or a Plan"),
        ("yes", "found a value of type str"),
        ([{"sms": 8, "tasks": [0, 1, 2, 3]}], "no partition for task 4"),
        ([{"sms": 8, "tasks": [0, 1, 2, 3, 4, 4]}], "found 4, expected each of the 5 tasks once"),
        ([{"sms": 0, "tasks": [0, 1, 2, 3, 4]}], "at least 1 SM and 1 task"),
        ([{"sms": 8}], "missing field `tasks`"),
        ([], "no partition for task 0"),
    ],
)
def test_wrong_answers_are_refused(study, answer, expected):
    with pytest.raises(gs.GpuschedError, match='algorithm "wrong".*set . of point') as caught:
        gs.study.run(study, algorithms={"wrong": lambda tasks, sms: answer})
    assert expected in str(caught.value)


def test_names_are_checked(study):
    with pytest.raises(gs.GpuschedError, match="1G"):
        gs.study.run(study, algorithms={"1G": together})
    with pytest.raises(TypeError, match="expected a function"):
        gs.study.run(study, algorithms={"mine": 3})
    with pytest.raises(gs.GpuschedError, match="expected a study of partitioning"):
        gs.study.run('kind = "cases"\nname = "x"\ncase = []', algorithms={"mine": together})


def tasks_of(count=5, utilization=2):
    [tasks] = gs.generate(tasks=count, utilization=utilization, seed=3)
    return tasks


def test_a_function_is_a_heuristic():
    tasks = tasks_of()
    plan = gs.partition(tasks, sms=8, policy="edf", heuristic=together)
    same = gs.partition(tasks, sms=8, policy="edf", heuristic="1g")
    assert bool(plan) == bool(same) and plan["partitions"] == same["partitions"]
    optimal = gs.partition(tasks, sms=8, policy="edf", heuristic=best)
    assert optimal and optimal.verify()
    assert optimal["partitions"] == best(tasks, 8)["partitions"]
    assert "heuristic best" in optimal.to_text()
    assert gs.partition(tasks, sms=8, policy="edf", heuristic=lambda tasks, sms: optimal).verify()
    several = gs.partition([tasks, tasks], sms=8, policy="edf", heuristic=best)
    assert [plan["partitions"] for plan in several] == [optimal["partitions"]] * 2
    none = gs.partition(tasks, sms=8, heuristic=lambda tasks, sms: False)
    assert not none and none["partitions"] == []
    # Partitions that fail their test, or do not fit, are no plan.
    for parts, reason in [
        ([{"sms": 1, "tasks": [0, 1, 2, 3, 4]}], "the utilization is above 1"),
        ([{"sms": 8, "tasks": [i]} for i in range(5)], "the partitions have 40 SMs, but the GPU has 8"),
        ([{"sms": 2**32 - 1, "tasks": [0, 1, 2, 3, 4]}], "a partition has more SMs than the GPU"),
    ]:
        with pytest.warns(gs.GpuschedNote, match=reason):
            assert not gs.partition(tasks, sms=8, heuristic=lambda tasks, sms, parts=parts: parts)


def test_a_heuristic_sees_only_what_a_plan_can_use(checkout):
    tasks = tasks_of()
    with pytest.raises(gs.GpuschedError, match="found true, expected partitions"):
        gs.partition(tasks, sms=8, heuristic=lambda tasks, sms: True)
    with pytest.raises(gs.GpuschedError, match="expected no such option"):
        gs.partition(tasks, sms=8, heuristic=together, improve=True)
    with pytest.raises(gs.GpuschedError, match="one of `sizes`"):
        gs.partition(tasks, gpu="h100", granularity="green-context", heuristic=lambda tasks, sms: together(tasks, 7))
    with pytest.raises(gs.GpuschedError, match="expected a task set"):
        gs.partition("tasksets/end_to_end/waters2019-alternatives.json", sms=8, heuristic=together)
    with pytest.raises(gs.GpuschedError) as caught:
        gs.partition(tasks, sms=8, heuristic=lambda tasks, sms: 1 // 0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_task_set_states_its_wcets():
    tasks = gs.TaskSet([
        gs.Task("50ms", gs.Wcet.amdahl("80ms", 0.1, 2), kind="memory"),
        gs.Task("50ms", gs.Wcet.table({2: "8ms", 4: "5ms"})),
        gs.Task("50ms", 7),
    ])
    assert tasks.wcet(1) == [88_000_000, None, 7]
    assert tasks.wcet(3, conflict=True) == [2 * (80_000_000 / 3 + 8_000_000) // 1 + 1, 8_000_000, 7]
    assert tasks.wcet(4) == [28_000_000, 5_000_000, 7]
    assert tasks.wcet(0) == [None] * 3
    tasks.tasks.pop()
    assert tasks.wcet(4) == [28_000_000, 5_000_000]
    with pytest.raises(gs.GpuschedError, match="positive time"):
        gs.TaskSet([gs.Task("0ms", 7)]).wcet(1)
    import pickle

    assert pickle.loads(pickle.dumps(tasks)).wcet(4) == tasks.wcet(4)


def test_functions_are_algorithms_only_where_algorithms_are_expected():
    tasks = gs.TaskSet([gs.Task("20ms", "1ms", name="a")])
    for options in ({"policy": together}, {"sms": together}, {"gpu": dict}):
        with pytest.raises(TypeError, match=f"{next(iter(options))}: found a function"):
            gs.partition(tasks, **{"sms": 8, **options})
