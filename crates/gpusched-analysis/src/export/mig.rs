//! MIG instances, each with a profile and a first memory slice (NVIDIA Multi-Instance GPU User Guide, `nvidia-smi mig
//! -cgi`), as a shell script that starts the processes.

use super::content::{Export, unplaced};
use super::mps::WAIT;
use gpusched_model::device::Place;
use gpusched_model::error::Error;

/// Returns a shell script that creates an instance for each partition, in the order of the partitions of the plan.
///
/// The names of instances follow no order, so the script creates one instance at a time, and compares the lists before and after.
pub(super) fn export(out: &Export<'_>) -> Result<String, Error> {
    let mut text = format!(
        "#!/bin/sh\n\
         # MIG instances on device {}, with one process per partition. Enable MIG mode and remove all instances before you run this script.\n\
         # PROFILE:START is an instance with the first memory slice START. The driver selects the SMs.\n\
         # Set GPU to the index or UUID of the GPU. Each argument is the command of a partition, in the order of the partitions:\n\
         #   GPU=0 sh FILE './lidar --fast' ./camera\n\
         # A process needs a queue for each of its streams, so the script sets CUDA_DEVICE_MAX_CONNECTIONS=32, unless it is set.\n\
         {}set -e\n\
         : \"${{GPU:?expected the index or UUID of the GPU, as nvidia-smi -L prints it}}\"\n\
         export CUDA_DEVICE_MAX_CONNECTIONS=\"${{CUDA_DEVICE_MAX_CONNECTIONS:-32}}\"\n\
         processes=\n\
         # Prints the UUIDs of all instances.\n\
         instances() {{ nvidia-smi -L | sed -n 's/.*UUID: \\(MIG-[^)]*\\)).*/\\1/p'; }}\n\
         # partition NUMBER PROFILE:START COMMAND: creates an instance, and starts the command in it.\n\
         partition() {{\n  \
           before=$(instances)\n  \
           nvidia-smi mig -i \"$GPU\" -cgi \"$2\" -C\n  \
           name=\n  \
           for found in $(instances); do\n    \
             case \"$before\" in *\"$found\"*) ;; *) name=$found ;; esac\n  \
           done\n  \
           : \"${{name:?expected a new instance from nvidia-smi}}\"\n  \
           echo \"partition $1: CUDA_VISIBLE_DEVICES=$name\"\n  \
           [ -n \"$3\" ] || return 0\n  \
           CUDA_VISIBLE_DEVICES=$name sh -c \"$3\" &\n  \
           processes=\"$processes $!\"\n\
         }}\n",
        out.device().name(),
        out.assumptions("#")
    );
    for (index, partition) in out.partitions() {
        let Some(Place::Instance(instance)) = &partition.place else {
            return Err(unplaced(index));
        };
        text += &format!("# {}\n", out.comment(index, partition));
        text += &format!(
            "partition {index} {}:{} \"${{{}-}}\"\n",
            instance.profile,
            instance.start,
            index + 1
        );
    }
    Ok(text + WAIT)
}
