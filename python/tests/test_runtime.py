"""Plans that run with the jobs of a program, without a GPU and on a stand-in for the driver."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time

import pytest

import gpusched as gs

SET = gs.TaskSet([
    gs.Task("20ms", {"table": [[8, "6ms"]]}, deadline="15ms", name="lidar"),
    gs.Task("10ms", {"table": [[8, "3ms"]]}, name="radar"),
])


@pytest.fixture(scope="module")
def plan():
    return gs.partition(SET, gpu="h100", granularity="green-context", policy="np-edf")


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    """Names the stand-in for the driver to the processes that the tests start."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler `cc`")
    source = os.path.join(os.path.dirname(__file__), "../../tests/command/run/fakecuda.c")
    library = tmp_path_factory.mktemp("driver") / "libfakecuda.so"
    subprocess.run(["cc", "-std=c11", "-shared", "-fPIC", "-O1", "-o", str(library), source], check=True)
    return str(library)


def test_a_run_without_a_gpu_is_kept(plan, tmp_path):
    warmed = []
    with gs.runtime.open(plan, SET, backend="simulated") as rt:
        assert (rt.stream("lidar"), rt.sms("lidar")) == (0, 8)
        rt.graph("lidar", lambda: warmed.append(1))
        rt.graph("radar", 1)
        first = rt.start()
        record = rt.wait("lidar", 3)
        assert record["arrival_ns"] == first + 3 * 20_000_000
        assert record["deadline_ns"] - record["arrival_ns"] == 15_000_000
        assert record["completion_ns"] >= record["decision_ns"] >= record["arrival_ns"] and not record["missed"]
        with pytest.raises(TimeoutError, match="number: found 1000000, expected its completion within"):
            rt.wait("lidar", 1_000_000, timeout=0.01)
        rt.stop()
        audit = rt.audit()
        assert audit and str(audit).startswith("KEPT: ") and "\nKEPT: trace.json shows no violation" in str(audit)
        rt.trace(tmp_path / "trace.json")
    head = json.loads((tmp_path / "trace.json").read_text())["gpusched"]
    assert head["kept"] and head["backend"] == "simulated"
    assert gs.recording.audit(tmp_path / "trace.json", set=SET, plan=plan)
    assert len(warmed) == 3
    with pytest.raises(gs.GpuschedError, match="found a closed runtime"):
        rt.start()


def test_threads_enqueue_jobs_only_without_a_guarantee(plan):
    with gs.runtime.open(plan, SET, backend="simulated", allow_unproven=True) as rt:
        rt.graph("radar", 1)
        rt.sporadic("lidar")
        rt.start()
        numbers = []
        for _ in range(3):
            with rt.job("lidar") as job:
                numbers.append(job.number)
        assert numbers == [0, 1, 2] and not rt.wait("lidar", 2)["failed"]
        rt.stop()
        assert rt.audit()
    with gs.runtime.open(plan, SET, backend="simulated") as rt:
        rt.graph("radar", 1)
        rt.sporadic("lidar")
        rt.start()
        with pytest.raises(gs.GpuschedError, match="lidar: found a job of a thread, expected `allow_unproven`"):
            with rt.job("lidar"):
                pass
        # A sporadic task without a graph can still be released: its jobs fail after a time-out, so this test does not.
        with pytest.raises(gs.GpuschedError, match="radar: found a periodic task, expected a sporadic task"):
            rt.release("radar")


def test_an_unproven_plan_says_so(plan):
    overheads = {"occupancy_ns": "9ms", "wake_ns": "1us"}
    with gs.runtime.open(plan, SET, backend="simulated", overheads=overheads, allow_unproven=True) as rt:
        rt.graph("radar", 1)
        rt.graph("lidar", 1)
        rt.start()
        rt.wait("radar", 1)
        rt.stop()
        assert "not proven: partition 0 fails its test: With overheads of 9ms per job and 1us per wake-up" in str(rt.audit())


def test_times_on_the_gpu_need_overheads():
    tasks = gs.TaskSet(SET.tasks, times="gpu")
    with pytest.warns(gs.GpuschedNote, match="no overheads of dispatchers are stated"):
        plan = gs.partition(tasks, gpu="h100", granularity="green-context", policy="np-edf")
    with pytest.raises(gs.GpuschedError, match="overheads: found none, expected bounds on the overheads"):
        gs.runtime.open(plan, tasks, backend="simulated")
    for options, expected in (
        ({"allow_unproven": True}, "not proven: the WCETs are times on the GPU alone, without overheads"),
        ({"overheads": {"occupancy_ns": "100us", "wake_ns": "50us"}}, None),
    ):
        with gs.runtime.open(plan, tasks, backend="simulated", **options) as rt:
            rt.graph("radar", 1)
            rt.graph("lidar", 1)
            rt.start()
            rt.wait("radar", 1)
            rt.stop()
            assert expected in str(rt.audit()) if expected else "not proven" not in str(rt.audit())


def test_other_threads_run_while_one_waits(plan):
    with gs.runtime.open(plan, SET, backend="simulated") as rt:
        rt.graph("radar", 1)
        rt.graph("lidar", 1)
        rt.start()
        waiter = threading.Thread(target=rt.wait, args=("lidar", 5))
        waiter.start()
        steps = 0
        while waiter.is_alive():
            steps += 1
            time.sleep(0.001)
        assert steps >= 5  # with the GIL held, this thread would not have run


@pytest.mark.parametrize("call", ["audit", "graph", "sporadic"])
def test_other_threads_run_while_a_call_waits_for_a_stop(plan, call):
    with gs.runtime.open(plan, SET, backend="simulated", allow_unproven=True) as rt:
        rt.graph("radar", 1)
        rt.sporadic("lidar")
        rt.start()
        calls = {"audit": rt._native.audit, "graph": lambda: rt._native.graph("radar", 1),
                 "sporadic": lambda: rt._native.sporadic("radar")}

        def late():
            with contextlib.suppress(Exception):
                calls[call]()

        threads = [threading.Thread(target=rt.stop), threading.Thread(target=late)]
        with rt.job("lidar") as job:
            for thread in threads:
                thread.start()
                time.sleep(0.05)
        # With the GIL held, the job would not end before its time-out of 1 s.
        for thread in threads:
            thread.join()
        assert not rt.wait("lidar", job.number)["failed"]


def test_errors_are_one_sentence(plan):
    def refused(match, *arguments, **options):
        with pytest.raises(gs.GpuschedError, match=match) as caught:
            gs.runtime.open(*arguments, **{"backend": "simulated", **options})
        assert "gpusched-" not in str(caught.value).partition("\n")[0].replace("gpusched-model", "")

    edf = gs.partition(SET, gpu="h100", granularity="green-context", policy="edf")
    refused("plan.json: at policy: found edf, expected np-edf, np-fifo", edf, SET)
    refused('backend: found "vulkan", expected cuda or simulated', plan, SET, backend="vulkan")
    refused("cpu_count: found 5, expected 1, one per partition", plan, SET, cpus=[0] * 5)
    refused("missing.json", plan, "missing.json")
    refused("overheads.json", plan, SET, overheads={"wake_ns": "1us"})
    refused(": partition 0 fails its test: With overheads", plan, SET, overheads={"occupancy_ns": "9ms", "wake_ns": "1us"})
    with pytest.raises(TypeError, match="plan: "):
        gs.runtime.open(5, SET)


def on_driver(driver, code, **environment):
    """Runs ``code`` in a process with the stand-in for the driver, which a process loads once."""
    program = "import json, sys\nimport gpusched as gs\nplan, tasks = json.loads(sys.argv[1])\n" + code
    plan = gs.partition(SET, gpu="h100", granularity="green-context", policy="np-edf")
    arguments = json.dumps([json.loads(plan.to_json()), json.loads(SET.to_json())])
    environment = {**os.environ, "GPUSCHED_CUDA_LIBRARY": driver, **environment}
    return subprocess.run([sys.executable, "-c", program, arguments], env=environment, capture_output=True, text=True)


def test_graphs_run_by_their_handles(driver):
    ran = on_driver(driver, """
import ctypes
work = ctypes.c_uint64(100_000)  # a graph of the stand-in: a time in ns
with gs.runtime.open(plan, tasks) as rt:
    assert rt.stream("lidar")
    for name in ("lidar", "radar"):
        rt.graph(name, ctypes.addressof(work))
    try:
        rt.graph("lidar", lambda: None)
    except gs.GpuschedError as error:
        print(error)
    rt.start()
    print(rt.wait("lidar", 5)["number"])
    rt.stop()
    print(str(rt.audit()).splitlines()[0])
""")
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert lines[:2] == ["lidar: found a function, expected the handle of a graph, or `import torch` before", "5"]
    assert lines[2].startswith(("KEPT: ", "BROKEN: ")) and ", no failed job" in lines[2]


def test_torch_captures_functions(driver):
    """A stand-in for torch notes the calls, because the tests have no GPU."""
    ran = on_driver(driver, """
import contextlib, ctypes, sys, types
work = ctypes.c_uint64(100_000)
calls = []
class Stream:
    def __init__(self, pointer): self.pointer = pointer
    def synchronize(self): calls.append("synchronize")
class Graph:
    def raw_cuda_graph_exec(self): return ctypes.addressof(work)
@contextlib.contextmanager
def stream(on):
    calls.append("stream")
    yield
@contextlib.contextmanager
def graph(captured, stream):
    calls.append("capture")
    yield
torch = types.ModuleType("torch")
torch.cuda = types.SimpleNamespace(ExternalStream=Stream, CUDAGraph=Graph, stream=stream, graph=graph)
sys.modules["torch"] = torch
with gs.runtime.open(plan, tasks, allow_unproven=True) as rt:
    rt.graph("lidar", lambda: calls.append("work"))
    rt.sporadic("radar")
    rt.start()
    rt.wait("lidar", 2)
    with rt.job("radar") as job:
        assert job.stream == rt.stream("radar")
    assert not rt.wait("radar", 0)["failed"]
    rt.stop()
print(*calls)
""")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "stream work work work synchronize capture work stream\n"


def test_faults_of_the_driver_are_one_sentence(driver):
    code = """
try:
    gs.runtime.open(plan, tasks)
except gs.GpuschedError as error:
    print(error)
"""
    ran = on_driver(driver, code, FAKE_SHORT="2")
    assert ran.stdout == "partition 0: found 6 SMs, expected 8, the size in the plan\n", ran.stderr
    ran = on_driver("libno-such-driver.so.1", code)
    expected = "found no CUDA driver (libno-such-driver.so.1 does not load), expected a driver of CUDA 12.5 or newer"
    assert ran.stdout == expected + "\n\nhint: the backend `simulated` runs the plan without a GPU\n"


def test_the_program_of_the_guide_runs(tmp_path):
    """Both programs of the how-to page for PyTorch, with a stand-in for torch and without a GPU."""
    page = os.path.join(os.path.dirname(__file__), "../../docs/how-to/pytorch-program.md")
    with open(page, encoding="utf-8") as file:
        first, second = [block.split("```")[0] for block in file.read().split("```python\n")[1:3]]
    stand_in = "import sys\nfrom unittest.mock import MagicMock\nsys.modules['torch'] = MagicMock()\n"
    command = [sys.executable, "-W", "ignore", "-c", f"{stand_in}{first}\nframes = range(3)\n{second}", "simulated"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("KEPT: ") and ran.stdout.count("no deadline miss") == 2 and "BROKEN" not in ran.stdout, ran.stdout
    assert (tmp_path / "trace.json").is_file()


def test_a_killed_program_keeps_its_records(plan, tmp_path):
    for name, document in (("plan", plan), ("set", SET)):
        (tmp_path / f"{name}.json").write_text(document.to_json())
    program = """
import os, signal
import gpusched as gs
rt = gs.runtime.open("plan.json", "set.json", backend="simulated", ring="run.ring")
rt.graph("lidar", 1)
rt.graph("radar", 1)
rt.start()
print(rt.wait("radar", 5)["completion_ns"], flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    killed = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert killed.returncode == -9, killed.stderr
    with pytest.warns(gs.GpuschedNote, match="complete records, of all partitions until"):
        recovered = gs.recording.recover(tmp_path / "run.ring")
    trace = tmp_path / "trace.json"
    trace.write_text(recovered.to_json())
    head = recovered["gpusched"]
    assert head["backend"] == "simulated" and head["totals"]["jobs"] >= 6
    assert head["origin_ns"] + head["duration_ns"] >= int(killed.stdout)
    assert gs.recording.audit(trace, set=SET, plan=plan)
    with pytest.raises(gs.GpuschedError, match="found a file, which may contain the records of an earlier run"):
        gs.runtime.open(plan, SET, backend="simulated", ring=tmp_path / "run.ring")


def test_a_trace_removes_the_file_of_records(plan, tmp_path):
    ring = tmp_path / "run.ring"
    with gs.runtime.open(plan, SET, backend="simulated", ring=ring) as rt:
        rt.graph("lidar", 1)
        rt.graph("radar", 1)
        rt.start()
        rt.wait("lidar", 1)
        rt.stop()
        assert ring.exists()
        with pytest.raises(gs.GpuschedError, match="stream: found a stopped session"):
            rt.stream("lidar")
        assert rt.sms("lidar") == 8
        rt.trace(tmp_path / "trace.json")
        assert not ring.exists()
