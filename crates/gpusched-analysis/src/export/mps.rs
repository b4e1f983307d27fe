//! Static SM partitions of MPS, with a number of chunks for each partition (NVIDIA Multi-Process Service, *Legacy MPS v2 Interface* and
//! *MPS v3 Configuration File*), as shell scripts that start the processes.

use super::content::Export;
use gpusched_model::error::Error;

/// Returns the start of a script. `steps` are comments about the daemon.
fn start(out: &Export<'_>, steps: &str) -> String {
    let device = out.device();
    format!(
        "#!/bin/sh\n\
         # Static SM partitions of MPS on device {}, in chunks of {} SMs, with one process per partition.\n\
         {steps}\
         # Set GPU to the UUID of the GPU. Each argument is the command of a partition, in the order of the partitions:\n\
         #   GPU=GPU-… sh FILE './lidar --fast' ./camera\n\
         # A process needs a queue for each of its streams, so the script sets CUDA_DEVICE_MAX_CONNECTIONS=32, unless it is set.\n\
         {}set -e\n\
         : \"${{GPU:?expected the UUID of the GPU, as nvidia-smi -L prints it}}\"\n\
         export CUDA_DEVICE_MAX_CONNECTIONS=\"${{CUDA_DEVICE_MAX_CONNECTIONS:-32}}\"\n\
         processes=\n",
        device.name(),
        chunk(out),
        out.assumptions("#")
    )
}

/// Number of SMs of a chunk.
fn chunk(out: &Export<'_>) -> u32 {
    out.device().mps().map_or(1, |rule| rule.chunk)
}

/// The end of a script: it fails if a process fails.
pub(super) const WAIT: &str = "for process in $processes; do wait \"$process\"; done\n";

/// Returns a shell script for MPS v2 with one command per partition.
///
/// The percentage in the comment is for MPS without static partitions. gpusched rounds the percentage up, so that the
/// clients can use at least the SMs of the partition. The percentage limits the number of SMs of the clients, but it
/// reserves no SMs for the clients.
pub(super) fn export(out: &Export<'_>) -> Result<String, Error> {
    let mut text = start(
        out,
        "# Start the control daemon in static partitioning mode (nvidia-cuda-mps-control -d -S).\n\
         # Without static partitions, set CUDA_MPS_ACTIVE_THREAD_PERCENTAGE to the percentage. The percentage reserves no SMs.\n",
    );
    text += "\
# partition NUMBER CHUNKS COMMAND: creates a partition, and starts the command in it.\n\
partition() {\n  \
  name=$(echo \"sm_partition add $GPU $2\" | nvidia-cuda-mps-control | tail -n 1)\n  \
  name=${name##* }\n  \
  : \"${name:?expected the name of a partition from nvidia-cuda-mps-control}\"\n  \
  echo \"partition $1: CUDA_MPS_SM_PARTITION=$name\"\n  \
  [ -n \"$3\" ] || return 0\n  \
  CUDA_MPS_SM_PARTITION=$name sh -c \"$3\" &\n  \
  processes=\"$processes $!\"\n\
}\n";
    for (index, partition) in out.partitions() {
        let percentage = (u64::from(partition.sms) * 100).div_ceil(out.device().sms().into());
        text += &format!("# {}; {percentage} %\n", out.comment(index, partition));
        text += &format!(
            "partition {index} {} \"${{{}-}}\"\n",
            partition.sms / chunk(out),
            index + 1
        );
    }
    Ok(text + WAIT)
}

/// Returns a shell script for MPS v3, which reads the partitions from a file in TOML. Each partition is the partition of a namespace. A
/// process selects its namespace by the folder of the socket.
pub(super) fn export_v3(out: &Export<'_>) -> Result<String, Error> {
    let mut text = start(
        out,
        "# MPS v3: the script writes the file gpusched-mps.toml into CUDA_MPS_PIPE_DIRECTORY, and starts the control daemon with it.\n\
         # No other control daemon may run. To stop the daemon: nvidia-cuda-mps-control -q\n",
    );
    text += "\
export CUDA_MPS_PIPE_DIRECTORY=\"${CUDA_MPS_PIPE_DIRECTORY:-/tmp/nvidia-mps}\"\n\
mkdir -p \"$CUDA_MPS_PIPE_DIRECTORY\"\n\
cat > \"$CUDA_MPS_PIPE_DIRECTORY/gpusched-mps.toml\" <<END\n\
schema_version = \"1.0\"\n\
\n\
[servers.gpusched]\n\
allowed_devices = \"$GPU\"\n\
uid = $(id -u)\n\
\n\
[[servers.gpusched.devices]]\n\
uuid = \"$GPU\"\n";
    for (index, partition) in out.partitions() {
        text += &format!(
            "\n[[servers.gpusched.devices.sm_partitions]]\nname = \"partition-{index}\"\nchunks = {}\ninclude_remainder = false\n",
            partition.sms / chunk(out)
        );
    }
    for (index, _) in out.partitions() {
        text += &format!(
            "\n[servers.gpusched.namespaces.partition-{index}]\n\
             \n[[servers.gpusched.namespaces.partition-{index}.devices]]\nuuid = \"$GPU\"\nsm_partition = \"partition-{index}\"\n"
        );
    }
    text += "\
END\n\
nvidia-cuda-mps-control -d -p 3 -a \"$CUDA_MPS_PIPE_DIRECTORY/gpusched-mps.toml\"\n\
# partition NUMBER COMMAND: starts the command in a partition.\n\
partition() {\n  \
  directory=$CUDA_MPS_PIPE_DIRECTORY/gpusched/partition-$1\n  \
  echo \"partition $1: CUDA_MPS_PIPE_DIRECTORY=$directory\"\n  \
  [ -n \"$2\" ] || return 0\n  \
  CUDA_MPS_PIPE_DIRECTORY=$directory sh -c \"$2\" &\n  \
  processes=\"$processes $!\"\n\
}\n";
    for (index, partition) in out.partitions() {
        text += &format!("# {}\n", out.comment(index, partition));
        text += &format!("partition {index} \"${{{}-}}\"\n", index + 1);
    }
    Ok(text + WAIT)
}
