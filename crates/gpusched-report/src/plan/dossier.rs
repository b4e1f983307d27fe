//! The parts that an assessor keeps with a plan: its inputs, its origin, the commands that check it, and what it does not cover.

use gpusched_model::device::Device;
use gpusched_model::identity::sha256;
use gpusched_model::{Plan, TaskSet, counted};

use super::origin;
use crate::dossier::{Dossier, described};
use crate::file::File;

/// Returns the inputs and the origin of `plan`, and what it does not cover.
pub fn of(plan: &Plan, set: &TaskSet, file: &File) -> Dossier {
    let mut inputs = vec![described("Task set", set, &counted(set.tasks().len(), "task"))];
    if let Some(hardware) = &plan.hardware {
        let device = &hardware.device;
        let about = format!("{}, {}", device.name(), counted(device.sms(), "SM"));
        inputs.push(("GPU", about, sha256(device)));
    }
    let gpus =
        origin::gpus(plan, set).unwrap_or_else(|| "no task states the GPU of its measurement".to_owned());
    let measured = vec![("WCETs measured on".to_owned(), gpus)];
    let identity = plan.identity.as_ref();
    Dossier::new(("plan", identity), &inputs, measured, not_covered(plan, set)).in_file(file)
}

/// Returns the command that checks the plan, and the command that also compares the values that the plan states.
pub fn commands(plan: &Plan) -> [String; 2] {
    let command = "gpusched verify plan.json set.json".to_owned();
    let mut strict = command.clone();
    let mut state = |option: &str, value: Option<String>| {
        if let Some(value) = value {
            strict += &format!(" --{option} {value}");
        }
    };
    match &plan.hardware {
        None => state("sms", Some(plan.gpu_sms.to_string())),
        Some(hardware) => {
            let name = hardware.device.name();
            let known = Device::named(name).is_some();
            state("gpu", Some(if known { name } else { "YOUR-GPU.json" }.to_owned()));
            state("granularity", Some(hardware.granularity.to_string()));
        }
    }
    state("interference", plan.interference.map(|model| model.to_string()));
    if let Some(memory) = plan.memory.filter(|memory| memory.time.is_none()) {
        state("memory-bandwidth", Some(memory.bandwidth.to_string()));
        state("arbitration", Some(memory.arbitration.to_string()));
    }
    let mut policies = plan.partitions.iter().map(|partition| partition.verdict.policy);
    if let Some(policy) = policies.next()
        && policies.all(|other| other == policy)
    {
        state("policy", Some(policy.name().to_owned()));
    }
    [command, strict]
}

/// Returns the command that searches for changes with which a plan exists, with the options of the second of `commands`.
pub fn search([verify, strict]: &[String; 2]) -> String {
    format!(
        "gpusched partition set.json{}",
        strict.trim_start_matches(verify.as_str())
    )
}

/// Returns statements about what neither the plan nor its verification covers, except the statements about all results.
fn not_covered(plan: &Plan, set: &TaskSet) -> Vec<String> {
    let sentence = |text: &str| text.to_owned();
    let mut list = vec![sentence(
        "The numbers of the task set. The proof takes WCETs, periods, deadlines and memory traffic as they are stated.",
    )];
    if let Some(hardware) = &plan.hardware {
        list.push(format!(
            "The GPU itself. The plan describes a GPU with the name {} and partitions of granularity {}. \
             Whether the hardware and its driver create these partitions is a matter of measurement.",
            hardware.device.name(),
            hardware.granularity
        ));
    }
    if plan.memory.is_none() && plan.partitions.len() > 1 {
        list.push(sentence(
            "Delays by memory traffic of other partitions. The interference model of the plan counts no memory traffic.",
        ));
    }
    if set.other_traffic().is_empty() {
        list.push(sentence(
            "Programs that are not in the task set, such as the display, video engines and other processes on the GPU.",
        ));
    }
    list.extend([
        sentence("The code that releases and starts jobs. To compare a recorded run with the plan, use `gpusched recording audit`."),
        sentence("WCET margins of single tasks, statistics of the search and the simulated run. The proof does not use them."),
    ]);
    list
}
