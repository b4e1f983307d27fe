//! MIG instances, each with a profile and a first memory slice (NVIDIA Multi-Instance GPU User Guide, `nvidia-smi mig
//! -cgi`).

use super::content::{Export, unplaced};
use gpusched_model::device::Place;
use gpusched_model::error::Error;

/// Returns a shell script that creates all instances with one command, in the order of the partitions of the plan.
pub(super) fn export(out: &Export<'_>) -> Result<String, Error> {
    let mut text = format!(
        "#!/bin/sh\n\
         # MIG instances on device {}. Enable MIG mode and remove all instances before you run this script.\n\
         # Set GPU to the index or UUID of the GPU.\n\
         # PROFILE:START is an instance with the first memory slice START. The driver selects the SMs.\n\
         {}set -e\n\
         : \"${{GPU:?expected the index or UUID of the GPU, as nvidia-smi -L prints it}}\"\n",
        out.device().name(),
        out.assumptions("#")
    );
    let mut instances = Vec::new();
    for (index, partition) in out.partitions() {
        let Some(Place::Instance(instance)) = &partition.place else {
            return Err(unplaced(index));
        };
        let tuple = format!("{}:{}", instance.profile, instance.start);
        text += &format!("# {tuple}: {}\n", out.comment(index, partition));
        instances.push(tuple);
    }
    text += &format!("nvidia-smi mig -i \"$GPU\" -cgi {} -C\n", instances.join(","));
    Ok(text)
}
