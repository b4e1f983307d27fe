"""Functions equal commands: all are reachable, and their results are equal byte for byte."""

import json
import re
import subprocess
import sys

import pytest

import gpusched as gs
from gpusched import _native

ADAS = "tasksets/tasksets/adas.json"

#: Calls in Python and in a shell that must write the same bytes.
EQUAL = [
    (lambda: gs.partition(ADAS, gpu="orin"), f"partition {ADAS} --gpu orin"),
    (lambda: gs.test(ADAS, sms=8, policy="dm"), f"test {ADAS} --sms 8 --policy dm"),
    (lambda: gs.gpus("a100"), "gpus a100"),
    (lambda: gs.schema("task-set"), "schema task-set"),
    (lambda: gs.generate(tasks=5, utilization=2, count=9, seed=3), "generate --tasks 5 --utilization 2 --count 9 --seed 3"),
    (lambda: gs.wcet.bound("tasksets/kernels/histo-m4.json", q="0.13"), "wcet bound tasksets/kernels/histo-m4.json --q 0.13"),
    (lambda: gs.wcet.curve("tasksets/kernels/histo-m4.json", steps=5), "wcet curve tasksets/kernels/histo-m4.json --steps 5"),
    (
        lambda: gs.budget.nominal("tasksets/kernels/histo-m4.json", slowdown=0.1),
        "budget nominal tasksets/kernels/histo-m4.json --slowdown 0.1",
    ),
    (lambda: gs.validate(systems=40, seed=5), "validate --systems 40 --seed 5"),
    (lambda: gs.simulate.tasks(ADAS, gpu="xavier", seed=2), f"simulate tasks {ADAS} --gpu xavier --seed 2"),
    (lambda: gs.study.list("analysis"), "study list analysis"),
    (lambda: gs.study.check("analysis/sanudo20-eq3"), "study check analysis/sanudo20-eq3"),
]


def untimed(output):
    """The bytes without measured times of the search, which differ from run to run."""
    return re.sub(rb'"(search|prefill)_ns":[0-9]+', b"", output)


def command(arguments):
    """Runs the command of the wheel in a process of its own."""
    run = subprocess.run(
        [sys.executable, "-m", "gpusched", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False
    )
    return run.returncode, run.stdout


@pytest.mark.parametrize(("call", "words"), EQUAL, ids=[words for _, words in EQUAL])
def test_bytes_equal_the_command(checkout, call, words):
    arguments = words.split() + ([] if words.startswith("generate") else ["--format", "json"])
    code, output = command(arguments)
    result = call()
    assert untimed(result.to_json().encode()) == untimed(output)
    assert code == (0 if isinstance(result, gs.TaskSets) or result else 1)


def leaves(node, words=()):
    if not node["commands"]:
        yield words
    for inner in node["commands"]:
        yield from leaves(inner, (*words, inner["name"]))


def test_every_command_is_a_function():
    paths = [words for words in leaves(json.loads(_native.commands())) if words[0] not in ("completions", "man")]
    assert len(paths) > 30
    for words in paths:
        place = gs
        for word in words:
            word = word.replace("-", "_")
            place = getattr(place, word if hasattr(place, word) else word + "_")
        assert callable(place) and place.__doc__, words


def test_generated_files_are_current(checkout):
    run = subprocess.run([sys.executable, "python/tools/commands.py", "--check"], check=False)
    assert run.returncode == 0


def test_documents_are_files(checkout):
    path = gs.partition(ADAS, gpu="orin")
    text = (checkout / ADAS).read_text()
    for form in (gs.TaskSet.read(ADAS), json.loads(text), text):
        assert gs.partition(form, gpu="orin")["partitions"] == path["partitions"]
    # A plan, a device and a list of sets are documents, too.
    assert path.verify()
    assert gs.verify(path.data, json.loads(text))
    device = json.loads((checkout / "tasksets/devices/orin.json").read_text())
    given, named = dict(gs.test(ADAS, gpu=device).data), dict(gs.test(ADAS, gpu="orin").data)
    assert given.pop("identity")["device_sha256"] == named.pop("identity")["device_sha256"]
    assert given == named
    sets = gs.generate(tasks=4, utilization=2, count=3)
    plans = gs.partition(sets, sms=20)
    assert len(plans) == 3 and all(plan.verify() for plan in plans)
    assert plans[2]["partitions"] == gs.partition(sets[2], sms=20)["partitions"]


def test_results_are_shown(checkout):
    pytest.importorskip("pandas")
    plan = gs.partition(gs.TaskSet.read(ADAS), gpu="orin")
    assert plan.sms_used == plan["sms_used"] == 10
    frame = plan.to_frame()
    assert sorted(frame["task"]) == list(range(8)) and frame.groupby("partition")["sms"].first().sum() == 10
    assert "Schedulable" in plan._repr_html_() and "<script" not in plan._repr_html_()
    assert plan.gantt()._repr_svg_().startswith("<svg")
    assert "partition" in str(plan)
    page = plan.report()
    assert page and page.html.startswith("<!DOCTYPE html>") and "iframe" in page._repr_html_()
    assert plan.export("csv").startswith("device,granularity,partition")
    assert list(gs.test(ADAS, gpu="orin").to_frame()["sms"]) == [16]
    late = gs.partition(ADAS, sms=2)
    assert not late and "Not schedulable" in late._repr_html_()
    figure = gs.plot("analysis/singh21-fig3.4/singh21-fig3.4.csv")
    assert figure.svg.startswith("<svg")
    with pytest.raises(ValueError, match="expected a name that ends in .svg"):
        figure.save("figure.pdf")
    with pytest.raises(AttributeError, match="sms_used"):
        plan.nothing


def test_results_keep_their_input(tmp_path):
    wcet = {"amdahl": {"work": "5ms", "serial": 0.1, "conflict": 1}}
    task = {"period": "50ms", "wcet": wcet, "kind": "compute"}
    tasks = {"tasks": [task]}
    plan = gs.partition(tasks, sms=4)
    tasks["tasks"].append(task)
    assert "1 task" in plan.to_text() and plan.verify() and len(plan.to_frame()) == 1
    file = tmp_path / "set.json"
    file.write_text(json.dumps(tasks))
    plan = gs.partition(file, sms=4)
    file.write_text(json.dumps({"tasks": [task]}))
    with pytest.raises(gs.GpuschedError, match="has changed"):
        plan.to_text()


def test_several_results_are_true_if_all_are():
    good = gs.TaskSet([gs.Task("50ms", "5ms", kind="compute")])
    late = gs.TaskSet([gs.Task("5ms", "50ms", kind="compute")])
    assert gs.partition([good, good], sms=4)
    assert not gs.partition([good, late], sms=4)
    with pytest.raises(ValueError, match="not schedulable"):
        gs.partition(late, sms=4).gantt()


def test_pairs_and_lists_are_options(checkout):
    results = "analysis/singh21-fig3.4/singh21-fig3.4.csv"
    lists = gs.plot(results, where={"algorithm": ["1G", "SMS-INA"]}, x_range=(0, 40), size=(900, 350))
    texts = gs.plot(results, where=["algorithm=1G", "algorithm=SMS-INA"], x_range="0..40", size="900x350")
    assert lists.svg == texts.svg and 'width="900"' in lists.svg
