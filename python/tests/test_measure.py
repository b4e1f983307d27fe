"""Kernels of a program, measured on a stand-in for the driver."""

import json
import os
import subprocess
import sys
import warnings

import pytest

import gpusched as gs

from test_runtime import driver  # noqa: F401  (a fixture)

#: A stand-in for torch: a graph is a time in ns, which is 800 us on 8 SMs.
TORCH = """
import contextlib, ctypes, json, sys, types
import gpusched as gs
calls, alive = [], []
class Stream:
    def __init__(self, pointer):
        self.pointer = pointer
        self.sms = ctypes.c_uint.from_address(pointer).value  # as the stand-in for the driver keeps it
    def synchronize(self): calls.append("synchronize")
class Graph:
    def __init__(self): alive.append(self)
    def raw_cuda_graph_exec(self): return ctypes.addressof(self.work)
@contextlib.contextmanager
def stream(on):
    calls.append(f"on {on.sms}")
    yield
@contextlib.contextmanager
def graph(captured, stream):
    captured.work = ctypes.c_uint64(6_400_000 // stream.sms)
    calls.append("capture")
    yield
torch = types.ModuleType("torch")
torch.cuda = types.SimpleNamespace(ExternalStream=Stream, CUDAGraph=Graph, stream=stream, graph=graph)
def model():
    calls.append("work")
def captured(stream):
    made = Graph()
    with graph(made, Stream(stream)):
        return made
"""


@pytest.fixture
def measured(driver):  # noqa: F811
    """Runs code on the stand-in for the driver, with a stand-in for torch. Returns its JSON output."""

    def run(code, torch=True, **environment):
        program = TORCH + ("sys.modules['torch'] = torch\n" if torch else "") + code
        environment = {**os.environ, "GPUSCHED_CUDA_LIBRARY": driver, "GPUSCHED_NVML_LIBRARY": "none", **environment}
        command = [sys.executable, "-W", "ignore", "-c", program]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

    return run


def test_a_function_is_captured_on_the_stream_of_each_size(measured):
    found = measured("""
result = gs.measure(model, sms=[8, 16, 132], samples=5)
rows = result.to_csv().splitlines()
tasks = gs.wcet.fit(result, period="50ms")
print(json.dumps({"calls": calls, "series": result["series"], "rows": rows, "tasks": tasks.data, "text": result.to_text(),
                  "csv": result.to_csv() == "\\n".join(rows) + "\\n"}))
""")
    one = ["work", "work", "work", "synchronize", "capture", "work"]
    assert found["calls"] == [call for sms in (8, 16, 132) for call in [f"on {sms}", *one]]
    assert [(series["sms"], series["samples"]) for series in found["series"]] == [(8, 5), (16, 5), (132, 5)]
    for series in found["series"]:
        # The occupancy contains the whole graph.
        assert min(series["time_ns"]) >= 6_400_000 // series["sms"]
    # The table is of the same jobs, and not of a second measurement.
    times = [str(time) for series in found["series"] for time in series["time_ns"]]
    assert [row.split(",")[1] for row in found["rows"][1:]] == times and found["csv"]
    assert found["rows"][1].split(",")[8] == "model" and "model on Fake H100: 15 jobs" in found["text"]
    task = found["tasks"]["tasks"][0]
    assert (found["tasks"]["times"], task["name"], task["measured_on"]["gpu"]) == ("occupancy", "model", "Fake H100")
    assert task["measured_on"]["samples"] == 15


def test_a_function_may_capture_its_own_graph(measured):
    found = measured("""
result = gs.measure(captured, sms="8", samples=3, other=[model, captured], cold=True, contention="concurrent", name="own")
print(json.dumps({"series": result["series"], "kernel": result["kernel"], "calls": calls}))
""")
    assert found["kernel"] == "own"
    names = [(series["contention"], series["cache"], series.get("other")) for series in found["series"]]
    assert names == [
        ("isolated", "warm", None),
        ("isolated", "cold", None),
        ("concurrent", "warm", "model"),
        ("concurrent", "warm", "captured"),
    ]
    # On the stand-in, concurrent graphs run one after the other.
    assert all(min(series["time_ns"]) >= (800_000 if number < 2 else 1_600_000) for number, series in enumerate(found["series"]))


def test_a_graph_runs_on_the_sms_of_its_capture(measured):
    found = measured("""
made = Graph()
made.work = ctypes.c_uint64(100_000)
whole = gs.measure(made, sms=132, samples=2)
try:
    gs.measure(made.raw_cuda_graph_exec(), sms=8)
except gs.GpuschedError as error:
    refused = [str(error), error.hint]
print(json.dumps({"kernel": whole["kernel"], "times": whole["series"][0]["time_ns"], "refused": refused}))
""")
    assert found["kernel"] == "graph" and min(found["times"]) >= 100_000
    message, hint = found["refused"]
    assert message.startswith("graph: found a graph for 8 of 132 SMs, expected a function, because a graph runs on the SMs of")
    assert hint == "state `sms=132`, or a function that captures the graph"


def test_each_fault_is_one_exception(measured):
    found = measured("""
import gc, warnings, weakref
def failing(): raise KeyError("weights")
def no_graph(stream): return "text"
def empty(): warnings.warn("The CUDA Graph is empty. This usually means that the graph was attempted to be captured on wrong device or stream.")
def empty_graph(stream): empty()
def raised(call):
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
faults = [
    raised(lambda: gs.measure(failing, sms=8)),
    raised(lambda: gs.measure(no_graph, sms=8)),
    raised(lambda: gs.measure(model, sms=7)),
    raised(lambda: gs.measure(model, sms=8, samples=0)),
    raised(lambda: gs.measure(model, sms=8, contention="concurrent")),
    raised(lambda: gs.measure(empty, sms=8)),
    raised(lambda: gs.measure(empty_graph, sms=8)),
    raised(lambda: gs.measure(True, sms=8)),
    raised(lambda: gs.measure("text", sms=8)),
]
# After a measurement, the graphs are free, and a failed measurement has not damaged the next one.
alive.clear()
result = gs.measure(model, sms=8, samples=2)
made = [weakref.ref(graph) for graph in alive]
alive.clear()
gc.collect()
print(json.dumps({"faults": faults, "free": [graph() is None for graph in made], "jobs": len(result["series"][0]["time_ns"])}))
""")
    expected = [
        "KeyError: 'weights'",
        "GpuschedError: no_graph: found a result of type str, expected the handle of a graph",
        "GpuschedError: --sms: found 7, expected sizes that the GPU grants: 8, 16, ",
        "GpuschedError: --samples: found 0, expected a whole number from 1",
        "GpuschedError: --contention: found concurrent, expected another kernel",
        "GpuschedError: empty: found an empty CUDA graph, expected work on the stream of the capture",
        "GpuschedError: empty_graph: found an empty CUDA graph, expected work on the stream of the capture",
        "GpuschedError: bool: found an object of type bool, expected a graph, or a function",
        "GpuschedError: str: found an object of type str, expected a graph, or a function",
    ]
    assert len(found["faults"]) == len(expected)
    for fault, start in zip(found["faults"], expected):
        assert fault.startswith(start), fault
    assert found["free"] == [True] and found["jobs"] == 2
    without = measured("""
try:
    gs.measure(model, sms=8)
except gs.GpuschedError as error:
    print(json.dumps(str(error)))
""", torch=False)
    assert without == "model: found a function, expected the handle of a graph, or `import torch` before"


def test_a_failed_launch_ends_the_measurement(measured):
    found = measured("""
try:
    gs.measure(model, sms=8)
except gs.GpuschedError as error:
    print(json.dumps([str(error), len(sys.modules["gpusched.measure"]._lost)]))
""", FAKE_FAIL="cuGraphLaunch:5:700")
    # A job of the graph may still run, so the graph stays.
    assert found == ["cuGraphLaunch: found CUDA_ERROR_ILLEGAL_ADDRESS, expected CUDA_SUCCESS", 1]


def test_the_result_states_that_the_sms_of_graphs_are_not_observed(measured):
    found = measured("""
result = gs.measure(model, sms=8, samples=2)
print(json.dumps([result["notes"], result["conditions"]["settings"]]))
""")
    assert any("whose SMs gpusched cannot observe" in note for note in found[0]), found


def test_an_interrupt_ends_the_series(measured):
    # A whole series takes 80 s.
    found = measured("""
import signal, time
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 1)
begin = time.monotonic()
try:
    gs.measure(model, sms=8, samples=100_000)
except KeyboardInterrupt:
    print(json.dumps(time.monotonic() - begin))
""")
    assert found < 40


def test_an_interrupt_ends_the_kernel_on_other_sms(measured, tmp_path):
    plugin = str(tmp_path / "libjobs.so")
    source = os.path.join(os.path.dirname(__file__), "../../tests/command/measure/plugin.c")
    options = ["-std=c11", "-shared", "-fPIC", "-O1", "-DRUN", "-DNANOSECONDS=1000000ull"]
    subprocess.run(["cc", *options, "-o", plugin, source, "-ldl"], check=True)
    # The jobs alone take 3 s, and the interrupt comes while the other kernel runs.
    found = measured(f"""
import signal, time
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 4.5)
begin = time.monotonic()
try:
    gs.measure.interference(plugin={plugin!r}, beside="dram-read", sms="8", samples=3000)
except KeyboardInterrupt:
    print(json.dumps(time.monotonic() - begin))
""")
    assert found < 40


def test_an_exception_in_release_ends_the_measurement(measured):
    found = measured("""
kernel = sys.modules["gpusched.measure"]._Kernel
def release(self): raise KeyError("release")
kernel.release = release
try:
    gs.measure(model, sms=[8, 16], samples=2)
except KeyError as error:
    print(json.dumps([str(error), calls.count("capture")]))
""")
    # The second size is not measured.
    assert found == ["'release'", 1]


def test_without_a_gpu_there_is_one_sentence(measured):
    found = measured("""
try:
    gs.measure(model)
except gs.GpuschedError as error:
    print(json.dumps(str(error)))
""", GPUSCHED_CUDA_LIBRARY="libno-such-driver.so.1")
    expected = "found no CUDA driver (libno-such-driver.so.1 does not load), expected a driver of CUDA 12.5 or newer"
    assert found.startswith(expected)


def test_the_module_is_a_function_and_keeps_its_functions(checkout):
    assert callable(gs.measure) and gs.measure.kernel.__name__ == "measure_kernel"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gs.GpuschedNote)
        result = gs.measure.kernel(
            "tasksets/kernels/programs/copyl.json", backend="simulated", machine="rtx2060", sms="6,12", samples=2
        )
        assert isinstance(result, gs.Measurement)
        # The rows are those of the command, without a second measurement.
        assert result.to_csv().splitlines()[1].startswith("6,")
        assert gs.wcet.fit(result, period="1ms")["tasks"][0]["name"] == "copyl"
