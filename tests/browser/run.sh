#!/usr/bin/env bash
# Opens the pages of `gpusched report` in a real browser: HTML, console, network, sorting, search, zoom, downloads, three widths, light
# and dark. `run.sh FOLDER` also keeps the pages and a screenshot of each width in FOLDER.
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

"$gpusched" partition $sets/adas.json --gpu xavier -o "$out/adas.json"
page adas 0 "$out/adas.json" $sets/adas.json
"$gpusched" partition $sets/shared-memory.json --gpu h100 --granularity mig --interference conflict+bandwidth \
    --memory-bandwidth 2TB/s -o "$out/mig.json"
page mig 0 "$out/mig.json" $sets/shared-memory.json
"$gpusched" partition $sets/adas.json --gpu h100 --granularity tpc --policy dm --sensitivity -o "$out/tpc.json"
page tpc 0 "$out/tpc.json" $sets/adas.json
"$gpusched" generate --tasks 200 --utilization 40 --seed 3 -o "$out/large-set.json"
"$gpusched" partition "$out/large-set.json" --gpu h100 --heuristic sms -o "$out/large.json"
page large 0 "$out/large.json" "$out/large-set.json"
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
"$gpusched" recording tasks "$robot" -o "$out/robot.json" --quiet
page recording 0 "$robot" --set "$out/robot.json"

node "$modules/check.mjs" "$(command -v chromium)" "$out" "${1:+screenshots}"
