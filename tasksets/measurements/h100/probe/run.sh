#!/bin/bash
# Runs all steps of the probe on a machine with a GPU:  OUT=/some/empty/folder bash run.sh
# Each step is one process with its own time limit, so that a failed step does not stop the others. No setting of the GPU is changed.
# On an H100, all steps take about 130 s. SKIP="cm torch" leaves steps out.
cd "$(dirname "$0")" || exit 1
: "${OUT:=$PWD/out}"
mkdir -p "$OUT"
W=$(mktemp -d)
START=$(date +%s)
LIMIT=${LIMIT:-300} # no new step starts after this number of seconds
LAST=${LAST:-345} # every step has ended after this number of seconds
log() { echo "[$(( $(date +%s) - START )) s] $*" | tee -a "$OUT/log.txt"; }
export CUDA_DEVICE_MAX_CONNECTIONS=${CUDA_DEVICE_MAX_CONNECTIONS:-32} CUDA_MODULE_LOADING=${CUDA_MODULE_LOADING:-EAGER}

{ date -u; uname -a; nproc; nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,clocks.sm,clocks.mem,persistence_mode,compute_mode,mig.mode.current,power.limit --format=csv; nvidia-smi -q; nvidia-smi topo -m; ulimit -r -l; nvcc --version; g++ --version | head -1; } > "$W/machine.txt" 2>&1
nvidia-smi --query-gpu=timestamp,clocks.sm,clocks.mem,clocks_event_reasons.active,temperature.gpu,power.draw,pstate,utilization.gpu --format=csv -lms 200 > "$OUT/clocks.csv" 2>> "$OUT/log.txt" &
SMI=$!
trap 'kill $SMI 2> /dev/null' EXIT

if [ -x ./rtprobe ] && timeout 20 ./rtprobe info > /dev/null 2>> "$OUT/log.txt"; then
  cp ./rtprobe "$W/rtprobe"
  log "rtprobe is already built"
elif timeout 90 nvcc -O3 -std=c++17 -lineinfo -arch=sm_90 -cudart static -o "$W/rtprobe" rtprobe.cu -ldl -lpthread 2>> "$OUT/log.txt"; then
  log "built with the nvcc of the machine"
else
  log "no program"; exit 1
fi
P=$W/rtprobe

step() { # NAME LIMIT COMMAND...
  local name=$1 limit=$2 rc
  shift 2
  case " $SKIP " in *" $name "*) log "$name: left out"; return ;; esac
  if [ $(( $(date +%s) - START )) -ge "$LIMIT" ]; then log "$name: no time left"; return; fi
  local left=$(( LAST - $(date +%s) + START ))
  [ "$limit" -gt "$left" ] && limit=$left
  timeout -k 3 "$limit" "$@" >> "$W/results.jsonl" 2>> "$OUT/log.txt"
  rc=$?
  log "$name: rc $rc"
  [ $rc -ne 0 ] && echo "{\"step\":\"$name\",\"kind\":\"rc\",\"rc\":$rc}" >> "$W/results.jsonl"
  return 0
}

echo 'kernel,sms,gpu_ns,occupancy_ns,contention,cache,sample' > "$W/measure.csv"
echo 'config,block,sm,start_ns,end_ns' > "$W/placement.csv"
echo 'loud,partition,task,job,arrival_ns,decision_ns,enqueued_ns,completion_ns,kernels' > "$W/dispatch.csv"

echo 'mode,others,sample,enqueue_ns,total_ns' > "$W/overhead.csv"

step info      20 "$P" info
step sizes     20 "$P" sizes 10
step smids     30 "$P" smids 20
step gpc       15 "$P" gpc 8
step dispatch  30 "$P" dispatch 22 "$W/dispatch.csv"
step planned   40 env PROBE_PLAN=plans.txt "$P" planned 32 "$W/dispatch.csv"
step overhead  40 "$P" overhead 32 "$W/overhead.csv"
step cm        60 "$P" cm 50 "$W/measure.csv"
step conflict  45 "$P" conflict 38 "$W/measure.csv"
step queues32  15 "$P" queues 8
step queues8   15 env CUDA_DEVICE_MAX_CONNECTIONS=8 "$P" queues 8
step bandwidth 15 "$P" bandwidth 10
step ports     20 "$P" ports 12
step placement 20 "$P" placement 14 "$W/placement.csv"
step pipes     15 "$P" pipes 8
step graph     15 "$P" graph
if command -v ncu > /dev/null; then # memory traffic of one cold job of each kernel
  step ncu 40 ncu --clock-control none --csv --page raw --log-file "$OUT/ncu.csv" --metrics dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,sm__cycles_elapsed.max,gpu__time_duration.sum "$P" traffic
fi
step lock      20 "$P" lock 14
step locklazy  20 env CUDA_MODULE_LOADING=LAZY "$P" lock 14
step preempt   15 "$P" preempt 10
step slice1    15 "$P" slice
# Two processes at the same time: default time slices, and a short kernel beside long kernels.
pair() { # NAME LIMIT STEP_A STEP_B
  case " $SKIP " in *" $1 "*) return ;; esac
  [ $(( $(date +%s) - START )) -ge "$LIMIT" ] && return
  local at
  at=$(awk '{print $1 + 6}' /proc/uptime)
  PROBE_AT=$at PROBE_WHO=a timeout -k 3 "$2" "$P" "$3" > "$W/a" 2>> "$OUT/log.txt" &
  local pid=$!
  PROBE_AT=$at PROBE_WHO=b timeout -k 3 "$2" "$P" "$4" > "$W/b" 2>> "$OUT/log.txt"
  log "$1: rc b $?"
  wait $pid
  log "$1: rc a $?"
  cat "$W/a" "$W/b" >> "$W/results.jsonl"
}
pair slice2    25 slice slice                                        # 10 s
step short1    15 "$P" short                                         # 3 s
pair short2    25 hog short                                          # 8 s
step torch     70 env CUDA_MODULE_LOADING=LAZY python3 torch_probe.py

cat "$W/machine.txt" >> "$OUT/log.txt"
gzip -9 -c "$W/results.jsonl" > "$OUT/results.jsonl.gz"
gzip -9 -c "$W/placement.csv" > "$OUT/placement.csv.gz"
gzip -9 -c "$W/overhead.csv" > "$OUT/overhead.csv.gz"
cp "$W/measure.csv" "$W/dispatch.csv" "$OUT/"
log "end"
python3 summary.py "$W/results.jsonl"
ls -l "$OUT"
