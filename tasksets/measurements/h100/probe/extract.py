"""Writes the files of the folders `..` and `../gpu` from the output of run.sh.

    extract.py OUT FOLDER      OUT holds the files of run.sh, FOLDER receives the tables
"""
import collections
import csv
import gzip
import io
import json
import pathlib
import sys

KERNELS = ["fma", "copy", "l2read", "gemm", "chase", "many"]
PERIODS = {"fma": 3, "copy": 2, "l2read": 2, "gemm": 5, "chase": 16, "many": 4}  # [ms]
RUNS = ["a-quiet", "a-write", "b-quiet", "b-read", "b-write"]  # runs of plans.txt
TRAFFIC = ["dram-read", "dram-write", "l2-read", "l2-write"]


def rows_of(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", newline="") as file:
        yield from csv.DictReader(file)


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(header)
        out.writerows(rows)


def times(out, folder):
    """One file per kernel, for `gpusched wcet fit`. Jobs that ran beside another kernel are left out."""
    for kernel in KERNELS:
        rows = []
        for row in rows_of(out / "measure.csv"):
            if row["kernel"] != kernel:
                continue
            cache, contention = row["cache"], row["contention"]
            if cache in ("warm", "cold", "warm-fine"):
                cache = cache.removesuffix("-fine")
            elif cache.startswith("after-"):
                contention = "isolated"  # the job ran alone, with the caches of the job before
            else:
                continue  # beside an aggressor (interference.csv), or the base of those rows
            rows.append((row["sms"], row["occupancy_ns"], contention, row["gpu_ns"], cache, row["sample"]))
        rows.sort(key=lambda row: (row[2], int(row[0]), row[4], int(row[5])))
        write(folder / f"{kernel}.csv", ["sms", "time_ns", "contention", "gpu_ns", "cache", "sample"], rows)


def longest(folder, kernel):
    """Longest time on m or more SMs, for each measured m [ns]."""
    most = collections.defaultdict(int)
    for row in rows_of(folder / f"{kernel}.csv"):
        most[int(row["sms"])] = max(most[int(row["sms"])], int(row["time_ns"]))
    return [[m, max(most[n] for n in most if n >= m)] for m in sorted(most)]


def task_sets(folder):
    """Task sets of all kernels: with the times alone, and with the times beside another partition and a margin of 25 %."""
    beside = collections.defaultdict(int)
    for row in rows_of(folder / "gpu" / "interference.csv"):
        if row["place"] == "other-partition" and row["aggressor"] in TRAFFIC:
            beside[row["victim"]] = max(beside[row["victim"]], int(row["time_max_ns"]))
    samples = sum(1 for kernel in KERNELS for _ in rows_of(folder / f"{kernel}.csv"))
    for name, margin in (("alone", "1"), ("beside", "1.25")):
        origin = {"gpu": "NVIDIA H100 80GB HBM3", "sms": 132, "clocks": {"core_khz": 1980000, "dram_khz": 2619000}, "tool": "rtprobe", "date": "2026-11-27", "samples": samples, "margin": float(margin)}
        tasks = []
        for kernel, period in PERIODS.items():
            table = longest(folder, kernel)
            if name == "beside":  # longest time beside an aggressor on 32 SMs, over the longest time alone on 32 SMs
                alone = max(int(row["time_ns"]) for row in rows_of(folder / f"{kernel}.csv") if row["sms"] == "32")
                numerator = max(beside[kernel], alone) * 125
                table = [[m, -(-ns * numerator // (alone * 100))] for m, ns in table]
            tasks.append({"name": kernel, "period": f"{period}ms", "wcet_source": "measured", "wcet": {"table": table}})
        text = ",\n".join("  " + json.dumps(task) for task in tasks)
        head = json.dumps({"name": f"h100-{name}", "measured_on": origin})[:-1]
        (folder.parent.parent / "tasksets" / f"h100-{name}.json").write_text(head + ', "tasks": [\n' + text + "]}\n")


def micro(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


def runs(out, folder):
    """The first half second of three runs of the dispatcher, in the form of Kineto. A launch lasts from the decision to the observed completion."""
    for run in RUNS:
        events, names, sms = [], {}, {}
        for row in rows_of(out / "dispatch.csv"):
            arrival, decision, enqueued, completion = (int(row[key]) for key in ("arrival_ns", "decision_ns", "enqueued_ns", "completion_ns"))
            if row["loud"] != run or arrival >= 500_000_000:
                continue
            # Late jobs of a task overlap from release to launch, so consecutive jobs are on different host threads.
            lane = names.setdefault(row["task"], len(names) + 1) + 10 * (int(row["job"]) % 20)
            context, correlation = int(row["partition"]) + 1, len(events) // 3 + 1
            host = f'"pid":1,"tid":{lane},"ph":"X"'
            events.append(f'{{{host},"cat":"user_annotation","name":"{row["task"]}#{row["job"]}","ts":{micro(arrival)},"dur":{micro(max(enqueued, decision + 2) - arrival)}}}')
            events.append(f'{{{host},"cat":"cuda_runtime","name":"cudaLaunchKernel","ts":{micro(decision + 1)},"dur":0.001,"args":{{"correlation":{correlation}}}}}')
            events.append(
                f'{{"pid":0,"tid":{context},"ph":"X","cat":"kernel","name":"{row["task"]}","ts":{micro(decision + 1)},"dur":{micro(completion - decision - 1)},'
                f'"args":{{"device":0,"context":{context},"stream":{context},"correlation":{correlation}}}}}'
            )
        text = '{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA H100 80GB HBM3","numSms":132}],"traceEvents":[\n' + ",\n".join(events) + "]}\n"
        (folder / "gpu" / f"run-{run}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def placement(out, folder):
    """The SM of each block of a kernel that starts on an idle GPU, or beside the blocks of another kernel."""
    rows, seen = [], collections.Counter()
    for row in rows_of(out / "placement.csv.gz"):
        config = row["config"]
        if config.startswith("idle-queue") or not config.endswith("-0"):
            continue
        kind, where, first, second, _ = config.split("-")
        kernel = int(seen[config] >= int(first.split("x")[0]))  # the rows of the occupant come first
        seen[config] += 1
        rows.append((f"{kind}-{where}-{first}-{second}", kernel, row["block"], row["sm"], row["start_ns"], row["end_ns"]))
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["config", "kernel", "block", "sm", "start_ns", "end_ns"])
    out.writerows(rows)
    (folder / "placement.csv.gz").write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))


def interference(lines, folder):
    base, rows = {}, []
    for line in lines:
        if line["step"] != "conflict" or line["kind"] != "conflict":
            continue
        key, gpu, occupancy = (line["kernel"], line["place"]), line["gpu_ns"], line["occupancy_ns"]
        if line["aggressor"] == "none":
            base.setdefault(key, gpu["max"])
        if line["aggressor"] != "none" and line["serial"]:
            rows.append((line["kernel"], line["sms"], line["place"], line["aggressor"], line["aggressor_sms"], 0, "", "", "", "", ""))
            continue  # the kernel did not start before the aggressor ended
        factor = f"{gpu['max'] / base[key]:.2f}"
        rows.append((line["kernel"], line["sms"], line["place"], line["aggressor"], line["aggressor_sms"], gpu["n"], gpu["min"], gpu["p50"], gpu["max"], occupancy["max"], factor))
    rows.sort(key=lambda row: (KERNELS.index(row[0]), row[2]))
    write(folder / "interference.csv", ["victim", "victim_sms", "place", "aggressor", "aggressor_sms", "samples", "gpu_min_ns", "gpu_p50_ns", "gpu_max_ns", "time_max_ns", "factor"], rows)


def overheads(lines, folder):
    info = next(line for line in lines if line["step"] == "info" and line["kind"] == "device")
    rows = []
    for line in lines:
        if line["step"] == "overhead" and line["kind"] == "overhead" and line["green"]:
            enqueue, total = line["enqueue_ns"], line["total_ns"]
            rows.append((line["mode"], 1 + line["other_dispatchers"], total["n"], enqueue["p50"], enqueue["max"], total["min"], total["p50"], total["p99"], total["max"]))
    write(folder / "overheads.csv", ["wait", "dispatchers", "samples", "enqueue_p50_ns", "enqueue_max_ns", "total_min_ns", "total_p50_ns", "total_p99_ns", "total_max_ns"], rows)
    chosen = next(row for row in rows if row[0] == "write-value" and row[1] == 4)
    # The dispatchers of the plans spin while they idle.
    wake = max(line["longest_wake_ns"] for line in lines if line["kind"] == "planned-replay")
    record = {
        "device": info["name"], "driver": "580.159.04", "wait": "write-value", "dispatchers": 4, "occupancy_ns": chosen[8], "wake_ns": wake,
        "samples": chosen[2], "longest": chosen[8], "margin": 0,
    }
    (folder / "overheads.json").write_text(json.dumps(record, indent=2) + "\n")


def hardware(lines, folder):
    info = next(line for line in lines if line["step"] == "info" and line["kind"] == "device")
    splits = collections.defaultdict(list)
    for line in lines:
        if line["step"] == "sizes" and line["kind"] == "split" and line["groups"]:
            entry = {"asked": line["asked"], "size": line["sizes"][0], "groups": line["groups"], "rest": line["rest"]}
            before = splits[line["flags"]]
            if not before or {**before[-1], "asked": 0} != {**entry, "asked": 0}:
                before.append(entry)
            else:
                before[-1]["asked"] = entry["asked"]  # the largest request with this result
    groups = {}
    for line in lines:
        if line["step"] == "smids" and line["kind"] == "sms" and line["what"] in ("groups-of-8", "groups-of-16", "merged-8"):
            groups.setdefault(line["what"], []).append(line["ids"])
    order = next(line["first_sms"] for line in lines if line["step"] == "placement" and line["config"] == "idle-whole-0x0-66x1024-0")
    record = {
        "gpu": info["name"], "driver": "580.159.04", "cuda": "13.0", "date": "2026-11-27", "sms": info["sms"], "min_partition": info["min_partition"], "alignment": info["alignment"],
        "splits": {"default": splits[0], "ignore_sm_coscheduling": splits[1]},
        "sms_of_groups": groups,
        "sms_joined_by_clusters": [line["sms"] for line in lines if line["step"] == "gpc" and line["kind"] == "gpc"],
        "clusters_at_once": {str(line["size"]): line["most"] for line in lines if line["kind"] == "active-clusters"},
        "sms_of_first_66_blocks": order,
    }
    text = ",\n".join(f"  {json.dumps(key)}: {compact(value)}" for key, value in record.items())
    (folder / "hardware.json").write_text("{\n" + text + "\n}\n")


def compact(value):
    """JSON with one line per entry of a list or an object of lists."""
    if isinstance(value, list) and value and isinstance(value[0], (list, dict)):
        return "[\n    " + ",\n    ".join(json.dumps(entry) for entry in value) + "\n  ]"
    if isinstance(value, dict) and any(isinstance(entry, list) for entry in value.values()):
        return "{\n    " + ",\n    ".join(f"{json.dumps(key)}: [\n      " + ",\n      ".join(json.dumps(entry) for entry in entries) + "\n    ]" for key, entries in value.items()) + "\n  }"
    return json.dumps(value)


def traffic(out, folder):
    """Memory traffic of one job with a cold L2, from Nsight Compute: jobs in the order of KERNELS, `many` has ten kernels."""
    text = [line for line in open(out / "ncu.csv") if line.startswith('"')]
    kernels = list(csv.DictReader(text))[1:]  # the first row holds units
    jobs = [row for row in kernels if "k_chain" not in row["Kernel Name"]]
    totals = []
    for index, row in enumerate(jobs):
        values = [float(row[name].replace(",", "")) for name in ("dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum")]
        if index >= len(KERNELS):
            totals[-1] = [a + b for a, b in zip(totals[-1], values)]
        else:
            totals.append(values)
    write(folder / "traffic.csv", ["kernel", "dram_read_bytes", "dram_write_bytes", "l2_read_sectors", "l2_write_sectors"], [(name, *(round(v) for v in row)) for name, row in zip(KERNELS, totals)])


def main(out, folder):
    out, folder = pathlib.Path(out), pathlib.Path(folder).resolve()
    with gzip.open(out / "results.jsonl.gz", "rt") as file:
        lines = [json.loads(line) for line in file]
    times(out, folder)
    (folder / "gpu").mkdir(exist_ok=True)
    interference(lines, folder / "gpu")
    overheads(lines, folder / "gpu")
    hardware(lines, folder / "gpu")
    traffic(out, folder / "gpu")
    placement(out, folder / "gpu")
    task_sets(folder)
    runs(out, folder)
    kept = [line for line in lines if line["step"] != "info" or line["kind"] != "symbol"]
    for line in kept:
        line.pop("at", None)  # paths of the machine
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in kept)
    (folder / "gpu" / "results.jsonl.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
