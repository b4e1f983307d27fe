#!/usr/bin/env bash
# Runs a study with 64 shards on a real Slurm, whose four nodes are processes of this machine. Kills two shards with SIGKILL in
# the middle of their work, drains one node, and compares all results with an undivided run, byte by byte.
#
# Usage: tests/slurm/run.sh [--install] [COMMAND]     COMMAND: the gpusched to test [default: target/release/gpusched]
#
# Needs slurmctld, slurmd and munged; without them, the script prints a message and ends with exit code 0. With --install, root
# on Debian or Ubuntu installs them with apt-get. The test takes about a minute on two cores. It writes to a temporary folder
# only, and ends all processes that it started.
set -euo pipefail
cd "$(dirname "$0")/../.."
install=
if [ "${1:-}" = --install ]; then
    install=yes
    shift
fi
program=$(realpath "${1:-target/release/gpusched}")
study=$(realpath analysis/singh21-fig3.5.toml)
name=singh21-fig3.5
sets=16
shards=64
nodes=4

missing() {
    local tool
    for tool in slurmctld slurmd sbatch squeue scontrol munged; do
        command -v "$tool" >/dev/null || { echo "$tool"; return; }
    done
}
export PATH=$PATH:/usr/sbin:/sbin
if [ -n "$(missing)" ] && [ -n "$install" ]; then
    export DEBIAN_FRONTEND=noninteractive
    packages="apt-get install -y --no-install-recommends slurm-wlm munge"
    $packages >/dev/null 2>&1 || { apt-get update && $packages; } >/dev/null 2>&1 || true
fi
if [ -n "$(missing)" ]; then
    echo "tests/slurm/run.sh: skipped, because there is no $(missing)"
    exit 0
fi

folder=$(mktemp -d)
cleanup() {
    status=$?
    if [ $status != 0 ]; then
        squeue 2>/dev/null || true
        for file in "$folder"/log/* "$folder"/cluster/logs/*; do
            [ -s "$file" ] && { echo "--- $file"; tail -n 5 "$file"; }
        done
    fi
    scancel --me 2>/dev/null || true
    scontrol shutdown 2>/dev/null || true
    for file in "$folder"/*.pid; do
        [ -s "$file" ] && kill "$(cat "$file")" 2>/dev/null
    done
    sleep 1
    rm -rf "$folder"
    exit $status
}
trap cleanup EXIT
fail() { echo "tests/slurm/run.sh: $*" >&2; exit 1; }

# A cluster of this user. Each node is a slurmd with its own port.
port=$((20000 + RANDOM % 20000))
me=$(id -un)
mkdir "$folder/state" "$folder/spool" "$folder/log"
cat >"$folder/slurm.conf" <<END
ClusterName=test
SlurmctldHost=localhost
SlurmUser=$me
SlurmdUser=$me
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
SlurmctldPort=$port
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmdSpoolDir=$folder/spool/%n
StateSaveLocation=$folder/state
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=n[1-$nodes] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=2 State=UNKNOWN
PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
head -c 1024 /dev/urandom >"$folder/munge.key"
chmod 600 "$folder/munge.key"
munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
    --log-file="$folder/log/munged.log" --seed-file="$folder/munge.seed"
export SLURM_CONF=$folder/slurm.conf
slurmctld -c
for node in $(seq $nodes); do
    slurmd -N "n$node"
done
for _ in $(seq 100); do
    [ "$(sinfo --noheader --Node --states=idle 2>/dev/null | wc -l)" = $nodes ] && break
    sleep 0.1
done
[ "$(sinfo --noheader --Node --states=idle | wc -l)" = $nodes ] || fail "the nodes did not start: $(sinfo)"

"$program" study run "$study" --sets $sets --quiet -o "$folder/whole" >/dev/null
"$program" study submit "$study" --sets $sets --shards $shards --time 10 -o "$folder/cluster"

# Prints the processes of shards that have recorded at least one chunk.
in_the_middle() {
    local file shard process
    for process in $(pgrep -f -- "--shard [0-9]+/$shards"); do
        [ "$(readlink "/proc/$process/cwd")" = "$folder/cluster" ] || continue
        shard=$(tr '\0' ' ' <"/proc/$process/cmdline" 2>/dev/null | sed -n "s|.*--shard \([0-9]*\)/$shards .*|\1|p")
        file="$folder/cluster/shards/$name.shard-$shard-of-$shards.checkpoint.jsonl"
        [ -s "$file" ] && [ "$(wc -l <"$file")" -ge 2 ] && echo "$process $shard"
    done
    true
}
killed=()
for _ in $(seq 600); do
    while read -r process shard; do
        [ ${#killed[@]} -lt 2 ] || break
        [[ " ${killed[*]} " != *" $shard "* ]] || continue
        kill -KILL "$process" 2>/dev/null && killed+=("$shard")
    done < <(in_the_middle)
    [ ${#killed[@]} = 2 ] && break
    sleep 0.05
done
[ ${#killed[@]} = 2 ] || fail "no two shards were seen at work"
for shard in "${killed[@]}"; do
    part=$folder/cluster/shards/$name.shard-$shard-of-$shards
    [ ! -e "$part.provenance.json" ] || fail "shard $shard had finished before it was killed"
    echo "killed shard $shard after $(($(wc -l <"$part.checkpoint.jsonl") - 1)) chunks"
done
scontrol update nodename=n2 state=drain reason=test
sinfo --Node
"$program" study status "$folder/cluster" && fail "the study was finished before the node was drained"

for _ in $(seq 600); do
    [ -s "$folder/cluster/$name.csv" ] && [ -z "$(squeue --me --noheader)" ] && break
    sleep 0.5
done
"$program" study status "$folder/cluster"
[ "$(grep -c '"array"' "$folder/cluster/submission.json")" = 2 ] || fail "the killed shards were not submitted again"
compared=0
for file in "$folder/whole/$name".*; do
    case $file in
    *.timing.csv | *.checkpoint.jsonl) ;; # measured times
    *) cmp "$file" "$folder/cluster/$(basename "$file")" && compared=$((compared + 1)) ;;
    esac
done
[ $compared -ge 5 ] || fail "only $compared files to compare"
echo "tests/slurm/run.sh: $shards shards, 2 killed, 1 node drained: the results are byte-identical"
