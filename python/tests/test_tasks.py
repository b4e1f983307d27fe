"""Tasks and task sets as objects."""

import json
import pickle
import warnings

import pytest

import gpusched as gs

LIDAR = gs.Task("50ms", gs.Wcet.amdahl("80ms", 0.1, 2.3), deadline="40ms", name="lidar", kind="memory")
CAMERA = gs.Task("33ms", gs.Wcet.amdahl("90ms", 0.02, 1.2), name="camera", kind="compute")


def test_times_are_read_exactly():
    assert gs.to_ns("2.5us") == 2500
    assert gs.to_ns("0.1s") == 100_000_000
    assert gs.to_ns(7) == 7
    for bad in ("2.5", "1.5ns", "fast", "-1ms"):
        with pytest.raises(ValueError, match="time: found"):
            gs.to_ns(bad)


def test_a_set_survives_its_file(tmp_path):
    tasks = gs.TaskSet([LIDAR, CAMERA], name="pair")
    file = tmp_path / "pair.json"
    file.write_text(tasks.to_json())
    assert gs.TaskSet.read(file) == tasks
    assert tasks[0].deadline_ns == 40_000_000 and tasks[1].deadline_ns == 33_000_000
    assert tasks[1].jitter is None and len(tasks[:1]) == 1


def test_a_set_states_where_its_wcets_were_measured():
    orin = {"gpu": "NVIDIA Orin", "sms": 16, "tool": "nsys 2025.3.2", "margin": 1.2}
    tasks = gs.TaskSet([CAMERA, LIDAR.replace(measured_on={"gpu": "h100"})], measured_on=orin)
    assert json.loads(tasks.to_json())["measured_on"] == orin
    assert tasks[0].measured_on is None and tasks[1].measured_on == {"gpu": "h100"}
    assert gs.TaskSet.from_dict(tasks.to_dict()) == tasks
    with pytest.warns(gs.GpuschedNote, match="is from `h100`, but the GPU is `orin`"):
        plan = gs.partition(tasks, gpu="orin")
    names = [one["id"] for one in plan["assumptions"]]
    assert "wcet-other-gpu" in names


def test_all_forms_of_wcets_are_accepted():
    forms = [
        gs.Wcet.amdahl("8ms", 0.1),
        gs.Wcet.proportional("8ms", 0.1, 1.5),
        gs.Wcet.affine("8ms", "1ms"),
        gs.Wcet.affine("8ms", "1ms", conflict=("9ms", "1ms")),
        gs.Wcet.table({1: "8ms", 2: "5ms"}),
        gs.Wcet.table({1: "8ms", 2: "5ms"}, {1: "9ms", 2: "6ms"}),
        "8ms",
    ]
    for form in forms:
        assert gs.test(gs.TaskSet([gs.Task("20ms", form, kind="compute")]), sms=1), form
        # Half of the period is below every one of these WCETs.
        assert not gs.test(gs.TaskSet([gs.Task("7ms", form, kind="compute")]), sms=1), form


def test_tables_give_the_same_set():
    pd = pytest.importorskip("pandas")
    tasks = gs.TaskSet([LIDAR, CAMERA])
    frame = tasks.to_frame()
    assert list(frame["period_ns"]) == [50_000_000, 33_000_000]
    again = gs.TaskSet.from_frame(frame.drop(columns="wcet"))
    assert gs.partition(again, sms=8)["partitions"] == gs.partition(tasks, sms=8)["partitions"]
    rows = pd.DataFrame({"period": ["5ms"], "wcet": [gs.Wcet.table({1: "1ms"})]})
    assert gs.TaskSet.from_frame(rows)[0].period_ns == 5_000_000


def test_a_task_cannot_be_changed():
    with pytest.raises(AttributeError, match="replace"):
        LIDAR.deadline = "1ms"
    with pytest.raises(AttributeError, match="trafic"):
        LIDAR.trafic
    with pytest.raises(TypeError, match="trafic"):
        gs.Task("5ms", "1ms", trafic="3MB")
    assert LIDAR.replace(deadline="30ms").deadline_ns == 30_000_000 and LIDAR.deadline == "40ms"
    LIDAR.wcet["amdahl"]["work"] = "1ms"
    LIDAR.to_dict()["wcet"]["amdahl"]["work"] = "1ms"
    assert LIDAR.wcet["amdahl"]["work"] == "80ms"
    assert pickle.loads(pickle.dumps(LIDAR)) == LIDAR


def test_fields_are_those_of_the_schema():
    from gpusched.tasks import FIELDS

    assert set(FIELDS) == set(gs.schema("task-set").data["$defs"]["TaskShape"]["properties"])


def test_tables_keep_every_form():
    pd = pytest.importorskip("pandas")
    forms = [
        gs.Wcet.amdahl("8ms", 0.1),
        gs.Wcet.proportional("8ms", 0.1, 1.5),
        gs.Wcet.affine("8ms", "1ms", conflict=("9ms", "1ms")),
        gs.Wcet.table({1: "8ms", 2: "5ms"}),
        "8ms",
    ]
    for form in forms:
        tasks = gs.TaskSet([gs.Task("20ms", form, deadline="19ms")])
        again = gs.TaskSet.from_frame(tasks.to_frame())
        assert gs.test(again, sms=2)["evidence"] == gs.test(tasks, sms=2)["evidence"], form
    sets = gs.generate(tasks=3, utilization=1, count=2)
    assert gs.TaskSets.from_frame(sets.to_frame())[1].to_frame().equals(sets[1].to_frame())
    for bad in ({"period_ns": [50.5], "wcet": ["1ms"]}, {"period": ["5ms"]}, {"set": [0], "period": ["5ms"], "wcet": ["1ms"]}):
        with pytest.raises(ValueError, match="found"):
            gs.TaskSet.from_frame(pd.DataFrame(bad))


def test_tables_are_read_as_strictly_as_files():
    pd = pytest.importorskip("pandas")
    for bad, found in [
        ({"period": ["5ms"], "work": ["4ms"]}, "serial"),
        ({"period": ["5ms"], "work": ["4ms"], "serial": [None]}, "serial"),
        ({"period": ["5ms"], "period_ns": [9_000_000], "wcet": ["1ms"]}, "second column"),
        ({"period": ["5ms"], "wcet": ["1ms"], "wcet_ns": [1]}, "several WCET functions"),
        ({"period": ["5ms"], "wcet_8": ["1ms"], "wcet_8_ns": [1]}, "second column"),
        ({"period": ["5ms"], "wcet": [None]}, "no value"),
        ({"period": [], "wcet": []}, "no rows"),
    ]:
        with pytest.raises(gs.GpuschedError, match=found):
            gs.TaskSet.from_frame(pd.DataFrame(bad))
    named = pd.DataFrame({"name": ["[lidar]"], "period": ["5ms"], "wcet": ["1ms"]})
    assert gs.TaskSet.from_frame(named)[0].name == "[lidar]" and gs.TaskSet.from_frame(named, "x").name == "x"
    # A whole number beside a missing value stays exact.
    exact = pd.DataFrame({"period_ns": [2**60 + 1] * 2, "deadline_ns": pd.Series([2**59 + 1, None], dtype=object), "wcet_ns": [1, 2]})
    assert [task.deadline_ns for task in gs.TaskSet.from_frame(exact)] == [2**59 + 1, 2**60 + 1]


def test_plans_know_their_sets_of_tables(tmp_path):
    pd = pytest.importorskip("pandas")
    rows = pd.DataFrame({"set": [0, 0, 1], "name": ["a", "b", "c"], "period": "10ms", "wcet": "6ms"})
    names = [["a", "b"], ["c"]]
    rows.to_csv(tmp_path / "sets.csv", index=False)
    for given in (rows, tmp_path / "sets.csv"):
        assert [[task.name for task in plan.task_set] for plan in gs.partition(given, sms=4)] == names
    [plan] = gs.partition([gs.TaskSet.from_frame(rows[2:].drop(columns="set"))], sms=4)
    assert plan and gs.partition(rows[2:].drop(columns="set"), sms=4).task_set[0].name == "c"


def test_each_row_of_a_table_states_its_set():
    pd = pytest.importorskip("pandas")
    rows = pd.DataFrame({"set": [1, 0, 1], "name": ["a", "b", "c"], "period": "10ms", "wcet": "6ms"})
    names = [["b"], ["a", "c"]]
    for frame in (rows, rows.set_index("set")):
        assert [[task.name for task in tasks] for tasks in gs.TaskSets.from_frame(frame)] == names
    for missing in (None, float("nan"), pd.NA):
        with pytest.raises(ValueError, match="set: found 1 missing"):
            gs.TaskSets.from_frame(rows.assign(set=pd.Series([0, missing, 0], dtype=object)))
    with pytest.raises(ValueError, match="at set: found an empty cell"):
        gs.TaskSets.from_frame(rows.assign(set=["0", "", "0"]))


@pytest.mark.filterwarnings("ignore::gpusched.GpuschedNote")
def test_csv_files_have_the_columns_of_frames(checkout, tmp_path):
    pd = pytest.importorskip("pandas")
    camera = gs.TaskSet.read("tasksets/tasksets/camera.csv")
    assert camera[0].wcet["table"]["conflict"][2] == [8, 15_000_000] and camera[1].jitter == 500_000
    measured = {"gpu": "NVIDIA Orin", "sms": 16}
    more = gs.TaskSet(
        [
            gs.Task("20ms", gs.Wcet.affine("8ms", "1ms"), bandwidth=[[1, "7GB/s"]], launches=2),
            gs.Task("20ms", {"table": [[2, "5ms"], [4, "3ms"]]}, name="both", block="1us"),
            gs.Task("20ms", "1ms", name="a,b", wcet_source="estimated"),
            gs.Task("20ms", gs.Wcet.amdahl("8ms", 0.1, 1.5), kind="memory", jitter="1ms"),
        ],
        name="more",
        times="gpu",
        measured_on=measured,
    )

    def text(tasks):
        """The table of gpusched, with a deadline of each task."""
        return gs.export(gs.TaskSet.from_frame(tasks.to_frame()), as_="csv")

    def verdict(tasks):
        """The verdict. Its identity has other digests if a table states a default."""
        found = dict(gs.test(tasks, sms=8).data)
        assert found.pop("identity").get("set_name") == tasks.name
        return found

    for tasks in (camera, more):
        # Each way to the task set gives the same result: pandas, a file of pandas, and a file of gpusched.
        expected = verdict(tasks)
        path = tmp_path / "tasks.csv"
        tasks.to_frame().to_csv(path, index=False)
        ways = [gs.TaskSet.from_frame(tasks.to_frame()), gs.TaskSet.from_frame(pd.read_csv(path)), gs.TaskSet.read(path)]
        path.write_text(gs.export(tasks, as_="csv"))
        ways += [gs.TaskSet.from_frame(pd.read_csv(path)), gs.TaskSet.read(path)]
        for way, again in enumerate(ways):
            assert (again.name, verdict(again)) == (tasks.name, expected), way
            assert text(again) == text(tasks), way
    sets = gs.generate(tasks=3, utilization=1, count=4)
    sets.to_frame().to_csv(path, index=False)
    assert [tasks.to_frame().to_dict() for tasks in gs.import_.csv(path)] == [tasks.to_frame().to_dict() for tasks in sets]
    with pytest.raises(ValueError, match="4 task sets"):
        gs.TaskSet.read(path)
    with pytest.raises(ValueError, match="several WCET functions"):
        gs.TaskSet.from_frame(pd.DataFrame({"period": ["5ms"], "wcet_1": ["1ms"], "wcet": ["1ms"]}))
    with pytest.raises(ValueError, match="other_traffic"):
        gs.TaskSet(camera, other_traffic=[{"traffic": "1MB", "period": "1ms"}]).to_frame()


def test_files_of_other_tools_are_task_sets(checkout):
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", gs.GpuschedNote)
        [simso] = gs.import_.simso("tasksets/other_tools/simso-script.xml", sms=4)
        exported = gs.export(simso, as_="simso", sms=4)
        [schedcat] = gs.import_.schedcat("tasksets/other_tools/schedcat-nolock.xml")
    assert [task.name for task in simso] == ["T1", "T2", "T3"] and "WCET=\"3\"" in exported and len(schedcat) == 8
    texts = " ".join(str(note.message) for note in notes)
    for part in ("each WCET holds on 4 SMs", "left out: name of the set", "the times are in us"):
        assert part in texts, texts
    assert gs.test(simso, sms=4, policy="edf", interference="none")


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy")
    task = gs.Task(numpy.int64(20_000_000), gs.Wcet.amdahl(numpy.int64(5_000_000), numpy.float64(0.1)))
    assert task.period_ns == 20_000_000 and gs.test(gs.TaskSet([task]), sms=1)
    with pytest.raises(ValueError):
        gs.test(gs.TaskSet([gs.Task("5ms", gs.Wcet.amdahl("1ms", float("nan")))]), sms=1)


def test_generated_sets_are_arrays():
    pytest.importorskip("numpy")
    sets = gs.generate(tasks=3, utilization=2, count=5, seed=7)
    arrays = sets.to_arrays()
    assert arrays["period_ns"].shape == (5, 3)
    utilization = (arrays["work_ns"] / arrays["period_ns"]).sum(axis=1)
    assert abs(utilization - 2).max() < 1e-6
    assert json.loads(sets.to_json().splitlines()[4]) == sets[4].to_dict()
    # A larger count does not change the first sets.
    assert gs.generate(tasks=3, utilization=2, count=2, seed=7).to_json() == "".join(
        line + "\n" for line in sets.to_json().splitlines()[:2]
    )
