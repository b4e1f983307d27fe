//! Static SM partitions of MPS, with a number of chunks for each partition (NVIDIA Multi-Process Service,
//! `nvidia-cuda-mps-control -S`, `sm_partition add`).

use super::content::Export;
use gpusched_model::error::Error;

/// Returns a shell script with one command per partition.
///
/// The percentage in the comment is for MPS without static partitions. gpusched rounds the percentage up, so that the
/// clients can use at least the SMs of the partition. The percentage limits the number of SMs of the clients, but it
/// reserves no SMs for the clients.
pub(super) fn export(out: &Export<'_>) -> Result<String, Error> {
    let device = out.device();
    let chunk = device.mps().map_or(1, |rule| rule.chunk);
    let mut text = format!(
        "#!/bin/sh\n\
         # Static SM partitions of MPS on device {}, in chunks of {chunk} SMs.\n\
         # Start the control daemon in static partitioning mode (nvidia-cuda-mps-control -d -S). Set GPU to the UUID of the GPU.\n\
         # The command of a partition prints a name. Start the clients of the partition with CUDA_MPS_SM_PARTITION set to this name.\n\
         # Without static partitions, set CUDA_MPS_ACTIVE_THREAD_PERCENTAGE to the percentage. The percentage reserves no SMs.\n\
         {}set -e\n\
         : \"${{GPU:?expected the UUID of the GPU, as nvidia-smi -L prints it}}\"\n",
        device.name(),
        out.assumptions("#")
    );
    for (index, partition) in out.partitions() {
        let percentage = (u64::from(partition.sms) * 100).div_ceil(device.sms().into());
        text += &format!("# {}; {percentage} %\n", out.comment(index, partition));
        text += &format!(
            "echo \"sm_partition add $GPU {}\" | nvidia-cuda-mps-control\n",
            partition.sms / chunk
        );
    }
    Ok(text)
}
