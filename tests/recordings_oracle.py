#!/usr/bin/env python3
"""Compares `gpusched recording summary` with Python's json, csv and sqlite3 modules.

usage: recordings_oracle.py GPUSCHED FILE...

The script counts launches, names and streams, and computes the sum, the minimum and the maximum of the execution times of each
kernel. It skips files that it does not know. Exit code 1: a number differs.
"""

import csv
import gzip
import json
import sqlite3
import subprocess
import sys
from collections import defaultdict
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path


def kineto(path):
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    with opened as file:
        document = json.load(file, parse_float=Decimal)
    events = document["traceEvents"] if isinstance(document, dict) else document
    for event in events:
        if event.get("ph") == "X" and event.get("cat", "").lower() == "kernel":
            args = event.get("args", {})
            stream = (args.get("device", event.get("pid")), args.get("context"), args.get("stream", event.get("tid")))
            start = int((Decimal(event["ts"]) * 1000).to_integral_value(ROUND_FLOOR))
            length = int((Decimal(event["dur"]) * 1000).to_integral_value(ROUND_CEILING))
            yield event["name"], stream, start, start + length


def nsys(path):
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    tables = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "CUPTI_ACTIVITY_KIND_KERNEL" in tables:
        query = (
            'SELECT s.value, k.deviceId, k.contextId, k.streamId, k.start, k."end" FROM CUPTI_ACTIVITY_KIND_KERNEL k '
            "JOIN StringIds s ON s.id = k.demangledName"
        )
        for name, device, context, stream, start, end in database.execute(query):
            yield name, (device, context, stream), start, end
    if "CUPTI_ACTIVITY_KIND_GRAPH_TRACE" in tables:
        query = 'SELECT graphId, deviceId, contextId, streamId, start, "end" FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE WHERE "end" > 0'
        for graph, device, context, stream, start, end in database.execute(query):
            yield f"CUDA graph {graph}", (device, context, stream), start, end


def rocprof(path):
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if "BeginNs" in row:
                yield row["KernelName"], (row["gpu-id"], row["queue-id"]), int(row["BeginNs"]), int(row["EndNs"])
            else:
                stream = (row["GPU_ID"], row["queue-id"])
                yield row["Kernel_Name"], stream, int(row["Start_Timestamp"]), int(row["End_Timestamp"])


def reader(path):
    start = path.open("rb").read(200)
    if start.startswith(b"SQLite format 3\0"):
        return nsys
    if path.suffixes[-2:] == [".json", ".gz"] or start.lstrip()[:1] == b"{":
        return kineto
    if b"BeginNs" in start or b"KernelName" in start or b"Kernel_Name" in start:
        return rocprof
    return None


def expected(launches):
    times, streams = defaultdict(list), set()
    first, last = None, None
    for name, stream, start, end in launches:
        times[name].append(end - start)
        streams.add(stream)
        first = start if first is None else min(first, start)
        last = end if last is None else max(last, end)
    kernels = {name: [len(t), sum(t), min(t), max(t)] for name, t in times.items()}
    return {"streams": len(streams), "span": None if first is None else last - first, "kernels": kernels}


def found(gpusched, path):
    run = subprocess.run([gpusched, "recording", "summary", path, "--format", "json"], capture_output=True, check=True)
    answer = json.loads(run.stdout)
    fields = ["launches", "total_ns", "min_ns", "max_ns"]
    kernels = {kernel["name"]: [kernel[field] for field in fields] for kernel in answer["kernels"]}
    return {"streams": answer["streams"], "span": answer["span_ns"], "kernels": kernels}


def main():
    gpusched, *files = sys.argv[1:]
    compared, wrong = 0, 0
    for path in map(Path, files):
        read = reader(path) if path.is_file() else None
        if read is None:
            continue
        compared += 1
        left, right = expected(read(path)), found(gpusched, path)
        if left != right:
            wrong += 1
            print(f"{path}: python {left}, gpusched {right}")
    print(f"{compared} recordings compared, {wrong} differ")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
