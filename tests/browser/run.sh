#!/usr/bin/env bash
# Opens the pages of `gpusched report` in a real browser: HTML, console, network, sorting, search, zoom, downloads, three widths, light
# and dark, and the weight of the page as a PDF. `run.sh FOLDER` also keeps the pages and a screenshot of each width in FOLDER.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "browser test skipped: it needs node and npm"
    exit 0
fi
if ! command -v chromium >/dev/null; then
    apt-get update -qq && apt-get install -y -qq chromium
fi

cargo build --release --locked --quiet
gpusched=$PWD/target/release/gpusched
modules=target/browser
mkdir -p "$modules"
cp tests/browser/package.json tests/browser/package-lock.json tests/browser/check.mjs "$modules"
(cd "$modules" && npm ci --silent --no-audit --no-fund)

out=${1:-}
if [ -z "$out" ]; then
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi
mkdir -p "$out"
sets=tasksets/tasksets
robot=tasksets/recordings/robot/alone-8.sqlite@8

# `page NAME STATUS ARGUMENTS` writes a page and checks the exit code.
page() {
    local name=$1 expected=$2 status=0
    shift 2
    "$gpusched" report "$@" -o "$out/$name.html" --quiet || status=$?
    if [ "$status" != "$expected" ]; then
        echo "report $*: exit code $status, expected $expected"
        exit 1
    fi
}

"$gpusched" partition $sets/adas.json --gpu xavier --granularity sm --policy edf -o "$out/adas.json"
page adas 0 "$out/adas.json" $sets/adas.json
"$gpusched" partition $sets/shared-memory.json --gpu h100 --granularity mig --interference conflict+bandwidth \
    --memory-bandwidth 2TB/s -o "$out/mig.json"
page mig 0 "$out/mig.json" $sets/shared-memory.json
cat >"$out/slices-set.json" <<'END'
{"name": "slices", "tasks": [
  {"name": "camera", "kind": "memory", "period": "20ms", "wcet": {"amdahl": {"work": "160ms", "serial": 0.02}}, "traffic": "6GB", "bandwidth": "900GB/s"},
  {"name": "lidar", "kind": "memory", "period": "25ms", "wcet": {"amdahl": {"work": "180ms", "serial": 0.02}}, "traffic": "4GB", "bandwidth": "700GB/s"},
  {"name": "detector", "kind": "compute", "period": "30ms", "wcet": {"amdahl": {"work": "420ms", "serial": 0.02}}, "traffic": "1GB"},
  {"name": "planner", "kind": "compute", "period": "50ms", "wcet": {"amdahl": {"work": "500ms", "serial": 0.01}}, "traffic": "500MB"}
]}
END
"$gpusched" partition "$out/slices-set.json" --gpu h100 --granularity mig --interference conflict+bandwidth \
    --memory-bandwidth 2TB/s -o "$out/slices.json"
page slices 0 "$out/slices.json" "$out/slices-set.json"
"$gpusched" partition $sets/adas.json --gpu h100 --granularity tpc --policy dm --sensitivity -o "$out/tpc.json"
page tpc 0 "$out/tpc.json" $sets/adas.json
"$gpusched" generate --tasks 200 --utilization 40 --seed 3 -o "$out/large-set.json"
"$gpusched" partition "$out/large-set.json" --gpu h100 --heuristic sms -o "$out/large.json"
page large 0 "$out/large.json" "$out/large-set.json"
"$gpusched" generate --tasks 50 --utilization 34 --seed 3 -o "$out/fifty-set.json"
"$gpusched" partition "$out/fifty-set.json" --gpu h100 -o "$out/fifty.json"
page fifty 0 "$out/fifty.json" "$out/fifty-set.json"
"$gpusched" partition $sets/adas.json --sms 1 -o "$out/failed.json" || true
page failed 1 "$out/failed.json" $sets/adas.json
"$gpusched" partition $sets/adas.json --sms 6 --heuristic sms -o "$out/none.json" || true
page none 1 "$out/none.json" $sets/adas.json
sed 's/"sms_used":7/"sms_used":6/' "$out/adas.json" >"$out/refused.json"
page refused 1 "$out/refused.json" $sets/adas.json
cat >"$out/hostile-set.json" <<'END'
{"name": "</title><script>alert(1)</script>", "tasks": [
  {"name": "</pre></script><img src=x onerror=alert(2)>\" '&amp; `code`", "period": "10ms", "wcet": {"table": [[1, "1ms"]]}},
  {"name": "=HYPERLINK(\"http://example.com\")", "period": "20ms", "traffic": "1MB", "wcet": {"table": [[1, "2ms"]]}}
]}
END
"$gpusched" partition "$out/hostile-set.json" --gpu xavier -o "$out/hostile.json" --quiet
page hostile 0 "$out/hostile.json" "$out/hostile-set.json"
page study 0 analysis/singh21-fig3.4
cat >"$out/robot-system.json" <<'END'
{"name": "robot",
 "cores": [{"name": "cpu0", "policy": "fp"}],
 "copy_engines": [{"name": "copy", "policy": "fifo", "bandwidth": "10GB/s"}],
 "partitions": [{"name": "gpu", "policy": "np-fp"}],
 "tasks": [
  {"name": "camera", "period": "33ms", "wait": "suspend", "segments": [
   {"on": "cpu0", "wcet": "2ms"}, {"on": "copy", "bytes": "8MB"},
   {"on": "gpu", "wcet": {"amdahl": {"work": "30ms", "serial": 0.05}}, "traffic": "50MB"}, {"on": "cpu0", "wcet": "1ms"}]},
  {"name": "control", "period": "10ms", "segments": [{"on": "cpu0", "wcet": "1ms"}]}],
 "chains": [{"tasks": ["camera", "control"], "limit": "100ms"}]}
END
memory="--interference conflict+bandwidth --memory-bandwidth 100GB/s"
"$gpusched" partition "$out/robot-system.json" --gpu orin $memory -o "$out/system.json"
page system 0 "$out/system.json" "$out/robot-system.json" $memory
late=tasksets/end_to_end/waters2019-iv-split-2x.json
"$gpusched" test $late --format json >"$out/late.json" || true
page late 1 "$out/late.json" $late
camera=tasksets/end_to_end/camera-budgets.json
"$gpusched" budget nominal $camera --deadlines --format json -o "$out/chosen.json" --quiet
page budgets 0 "$out/chosen.json" $camera
histo=tasksets/kernels/histo-table1.json
"$gpusched" budget nominal $histo --format json -o "$out/nominal.json" --quiet
page kernel 0 "$out/nominal.json" $histo
"$gpusched" recording tasks "$robot" -o "$out/robot.json" --quiet
page recording 0 "$robot" --set "$out/robot.json"

node "$modules/check.mjs" "$(command -v chromium)" "$out" "${1:+screenshots}"
