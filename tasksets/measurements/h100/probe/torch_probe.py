"""Green contexts with PyTorch, CuPy, cuda-bindings and cuda-core. Each part is guarded and prints JSON lines."""
import ctypes
import gc
import json
import sys
import threading
import time
import traceback


def line(kind, **fields):
    print(json.dumps({"step": "torch", "kind": kind, **fields}, default=str), flush=True)


def part(function):
    try:
        start = time.perf_counter()
        function()
        line("part", name=function.__name__, seconds=round(time.perf_counter() - start, 2))
    except Exception as error:  # noqa: BLE001 - every failure is a finding
        line("failed", name=function.__name__, error=f"{type(error).__name__}: {error}"[:400], at=traceback.format_exc()[-400:])


def stats(values):
    values = sorted(values)
    n = len(values)
    return {"n": n, "min": values[0], "p50": values[n // 2], "p99": values[min(n - 1, n * 99 // 100)], "max": values[-1]} if n else {"n": 0}


G = {}  # state that later parts need


def ok(result):
    """Checks the result of a cuda-bindings call and returns its values."""
    code, *values = result if isinstance(result, tuple) else (result,)
    if int(code) != 0:
        raise RuntimeError(str(code))
    return values[0] if len(values) == 1 else values


def versions():
    import cupy
    import torch

    info = {"python": sys.version.split()[0], "torch": torch.__version__, "cupy": cupy.__version__, "device": torch.cuda.get_device_name(0)}
    for name in ("cuda.bindings", "cuda.core", "triton", "pynvml"):
        try:
            module = __import__(name, fromlist=["__version__"])
            info[name] = getattr(module, "__version__", "?")
        except Exception as error:  # noqa: BLE001
            info[name] = f"{type(error).__name__}: {error}"
    torch.zeros(1, device="cuda")
    line("versions", **info)
    G["torch"], G["cupy"] = torch, cupy


def contexts():
    from cuda.bindings import driver as drv

    device = ok(drv.cuDeviceGet(0))
    sms = ok(drv.cuDeviceGetDevResource(device, drv.CUdevResourceType.CU_DEV_RESOURCE_TYPE_SM))
    probe = drv.cuDevSmResourceSplitByCount(0, sms, 0, 8)
    line("count", result=str(probe[0]), groups=str(probe[2]) if len(probe) > 2 else None)
    groups, n, rest = ok(drv.cuDevSmResourceSplitByCount(16, sms, 0, 8))
    line("split", groups=int(n), sizes=[int(g.sm.smCount) for g in groups][: int(n)], rest=int(rest.sm.smCount))
    G["drv"], G["parts"] = drv, []
    for first, count in ((0, 2), (2, 8)):
        desc = ok(drv.cuDevResourceGenerateDesc(list(groups[first : first + count]), count))
        green = ok(drv.cuGreenCtxCreate(desc, device, drv.CUgreenCtxCreate_flags.CU_GREEN_CTX_DEFAULT_STREAM))
        got = ok(drv.cuGreenCtxGetDevResource(green, drv.CUdevResourceType.CU_DEV_RESOURCE_TYPE_SM))
        stream = ok(drv.cuGreenCtxStreamCreate(green, drv.CUstream_flags.CU_STREAM_NON_BLOCKING, 0))
        G["parts"].append({"green": green, "sms": int(got.sm.smCount), "stream": int(stream), "keep": (desc, stream)})
    line("contexts", sms=[p["sms"] for p in G["parts"]])


SOURCE = r"""
extern "C" __global__ void ids(unsigned *out) {
  unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
  unsigned long long a, b; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(a));
  do { asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(b)); } while (b - a < 20000);
  out[blockIdx.x] = s;
}"""


def sms_of(stream_pointer):
    cupy = G["cupy"]
    kernel = G.setdefault("kernel", cupy.RawKernel(SOURCE, "ids"))
    with cupy.cuda.ExternalStream(stream_pointer):
        out = cupy.zeros(2112, dtype=cupy.uint32)
        kernel((2112,), (1024,), (out,))
        return sorted(set(int(x) for x in cupy.asnumpy(out)))


def cupy_stream():
    sets = [sms_of(p["stream"]) for p in G["parts"]]
    for p, seen in zip(G["parts"], sets):
        p["ids"] = seen
    line("cupy-sms", counts=[len(s) for s in sets], sms=[p["sms"] for p in G["parts"]], shared=len(set(sets[0]) & set(sets[1])), ids=sets)


def torch_stream():
    torch = G["torch"]
    a = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
    times = {}
    for name, stream in [("default", torch.cuda.Stream())] + [(f"part{i}", torch.cuda.ExternalStream(p["stream"])) for i, p in enumerate(G["parts"])]:
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            for _ in range(3):
                a @ a
            b, e = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            b.record()
            for _ in range(10):
                a @ a
            e.record()
        torch.cuda.synchronize()
        times[name] = b.elapsed_time(e) / 10
    line("matmul", ms=times, sms=[p["sms"] for p in G["parts"]], ratio_to_default=[times[f"part{i}"] / times["default"] for i in range(len(G["parts"]))])


def make_model():
    torch = G["torch"]
    torch.manual_seed(1)
    model = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Conv2d(3 if i == 0 else 32, 32, 3, padding=1), torch.nn.BatchNorm2d(32), torch.nn.ReLU()) for i in range(12)]).cuda().eval()
    return model, torch.randn(1, 3, 256, 256, device="cuda")


def eager_and_graph():
    torch, part0 = G["torch"], G["parts"][0]
    model, x = make_model()
    stream = torch.cuda.ExternalStream(part0["stream"])
    with torch.no_grad(), torch.cuda.stream(stream):
        for _ in range(10):
            model(x)
    torch.cuda.synchronize()
    before = torch.cuda.memory_stats().get("num_device_alloc", 0)
    enqueue, total = [], []
    with torch.no_grad(), torch.cuda.stream(stream):
        for _ in range(200):
            t0 = time.perf_counter_ns()
            model(x)
            t1 = time.perf_counter_ns()
            stream.synchronize()
            enqueue.append(t1 - t0)
            total.append(time.perf_counter_ns() - t0)
    line("eager", enqueue_ns=stats(enqueue), occupancy_ns=stats(total), device_allocs_after_warm_up=torch.cuda.memory_stats().get("num_device_alloc", 0) - before)
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
        y = model(x)
    handle = int(graph.raw_cuda_graph_exec())
    libcuda = ctypes.CDLL("libcuda.so.1")
    launch = libcuda.cuGraphLaunch
    launch.argtypes, launch.restype = [ctypes.c_void_p, ctypes.c_void_p], ctypes.c_int
    enqueue, total = [], []
    for _ in range(300):
        t0 = time.perf_counter_ns()
        code = launch(handle, part0["stream"])
        t1 = time.perf_counter_ns()
        stream.synchronize()
        enqueue.append(t1 - t0)
        total.append(time.perf_counter_ns() - t0)
        if code:
            raise RuntimeError(f"cuGraphLaunch {code}")
    line("graph-by-handle", enqueue_ns=stats(enqueue[20:]), occupancy_ns=stats(total[20:]))
    G["keep"] = (graph, model, x, y)


def graph_context():
    """On which SMs does a graph run that was captured in one context and is launched in another?"""
    torch, cupy = G["torch"], G["cupy"]
    kernel = G["kernel"]
    out = torch.zeros(2112, device="cuda", dtype=torch.int32)
    view = cupy.asarray(out).view(cupy.uint32)
    stream = torch.cuda.ExternalStream(G["parts"][0]["stream"])
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
        with cupy.cuda.ExternalStream(stream.cuda_stream):
            kernel((2112,), (1024,), (view,))
    a, b = (set(p["ids"]) for p in G["parts"])
    for name, target in (("same", stream), ("other", torch.cuda.ExternalStream(G["parts"][1]["stream"])), ("primary", torch.cuda.Stream())):
        out.fill_(-1)
        torch.cuda.synchronize()
        with torch.cuda.stream(target):
            graph.replay()
        torch.cuda.synchronize()
        seen = set(out.tolist())
        line("graph-sms", captured="part0", launched=name, in_part0=len(seen & a), in_part1=len(seen & b), elsewhere=len(seen - a - b))


def torch_green_contexts():
    """Do two contexts of torch.cuda.green_contexts share SMs (pytorch#195378)?"""
    torch = G["torch"]
    from torch.cuda.green_contexts import GreenContext

    first, second = GreenContext.create(16), GreenContext.create(32)
    sets = []
    for context in (first, second):
        stream = context.Stream()
        sets.append(set(sms_of(stream.cuda_stream if hasattr(stream, "cuda_stream") else stream.native_handle)))
    line("torch-green", counts=[len(s) for s in sets], shared=len(sets[0] & sets[1]))
    torch.cuda.synchronize()


def gil():
    """Enqueue time of an eager model while another Python thread computes."""
    torch = G["torch"]
    model, x = make_model()
    stream = torch.cuda.ExternalStream(G["parts"][0]["stream"])
    leave = threading.Event()

    def busy():
        n = 0
        while not leave.is_set():
            n += sum(i * i for i in range(2000))

    with torch.no_grad(), torch.cuda.stream(stream):
        for _ in range(10):
            model(x)
    stream.synchronize()
    gc.disable()
    for others in (0, 1, 3):
        leave.clear()
        threads = [threading.Thread(target=busy) for _ in range(others)]
        for thread in threads:
            thread.start()
        enqueue = []
        with torch.no_grad(), torch.cuda.stream(stream):
            for _ in range(100 if others == 0 else 10):
                t0 = time.perf_counter_ns()
                model(x)
                enqueue.append(time.perf_counter_ns() - t0)
                stream.synchronize()
        leave.set()
        for thread in threads:
            thread.join()
        line("gil", other_threads=others, enqueue_ns=stats(enqueue))
    gc.enable()


def cuda_core():
    import cuda.core as core

    device = core.Device(0)
    device.set_current()
    resources = getattr(device, "resources", None)
    if resources is None:
        line("cuda-core", resources=None)
        return
    sm = resources.sm
    line("cuda-core", sm_count=sm.sm_count, min_partition=sm.min_partition_size, alignment=sm.coscheduled_alignment)
    groups, rest = sm.split(core.SMResourceOptions(count=(16, 64)))
    line("cuda-core-split", sizes=[g.sm_count for g in groups], rest=rest.sm_count)


def nvml():
    import pynvml

    pynvml.nvmlInit()
    handle = pynvml.nvmlDeviceGetHandleByIndex(0)
    fields = {}
    for name, call in {
        "sm_clock": lambda: pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM),
        "memory_clock": lambda: pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_MEM),
        "max_sm_clock": lambda: pynvml.nvmlDeviceGetMaxClockInfo(handle, pynvml.NVML_CLOCK_SM),
        "reasons": lambda: pynvml.nvmlDeviceGetCurrentClocksEventReasons(handle),
        "processes": lambda: len(pynvml.nvmlDeviceGetComputeRunningProcesses(handle)),
        "mig": lambda: pynvml.nvmlDeviceGetMigMode(handle),
        "persistence": lambda: pynvml.nvmlDeviceGetPersistenceMode(handle),
        "compute_mode": lambda: pynvml.nvmlDeviceGetComputeMode(handle),
    }.items():
        try:
            fields[name] = call()
        except Exception as error:  # noqa: BLE001
            fields[name] = f"{type(error).__name__}: {error}"
    line("nvml", **fields)


if __name__ == "__main__":
    for function in (versions, contexts, cupy_stream, torch_stream, eager_and_graph, graph_context, torch_green_contexts, gil, nvml, cuda_core):
        part(function)
    sys.stdout.flush()
    import os

    os._exit(0)
