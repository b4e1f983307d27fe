//! GPUs on which the WCETs of a plan were measured.

use gpusched_model::provenance::SameGpu;
use gpusched_model::{Plan, TaskSet, counted};

/// Returns the GPUs of the WCETs, each with its relation to the GPU of the plan. Returns `None` if no task states where
/// its WCET was measured.
pub fn gpus(plan: &Plan, set: &TaskSet) -> Option<String> {
    let mut gpus: Vec<String> = Vec::new();
    let mut unknown = 0;
    for task in set.tasks() {
        let Some(measured) = set.measured_on(task) else {
            unknown += 1;
            continue;
        };
        let gpu = { measured.gpu_label() }.unwrap_or_else(|| "a GPU without a name".to_owned());
        let relation = match &plan.hardware {
            None => "",
            Some(hardware) => match measured.same_gpu(&hardware.device) {
                SameGpu::Yes => "",
                SameGpu::No => " (another GPU)",
                SameGpu::Unknown => " (not compared with the GPU of the plan)",
            },
        };
        let gpu = format!("{}{relation}", gpu.replace('`', ""));
        if !gpus.contains(&gpu) {
            gpus.push(gpu);
        }
    }
    if gpus.is_empty() {
        return None;
    }
    if unknown > 0 {
        gpus.push(format!("unknown for {}", counted(unknown, "task")));
    }
    Some(gpus.join(", "))
}
