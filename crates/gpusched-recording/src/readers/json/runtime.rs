//! The object `gpusched` in a trace of `gpusched run`: what the dispatcher knows, and the events do not show.

use serde::Deserialize;

use crate::model::{Context, DispatchedPartition, DispatchedTask, Dispatcher, Recording};

/// The parts of the object that an audit uses. The reader ignores all other fields. Traces of version 1 state only the
/// hashes, the overheads and the contexts.
#[derive(Deserialize)]
pub struct Head {
    #[serde(default)]
    backend: Option<String>,
    #[serde(default)]
    kept: Option<bool>,
    #[serde(default)]
    plan_sha256: Option<String>,
    #[serde(default)]
    set_sha256: Option<String>,
    #[serde(default)]
    arrivals: Option<String>,
    #[serde(default)]
    duration_ns: Option<u64>,
    #[serde(default)]
    ends_ns: Option<u64>,
    #[serde(default)]
    wake_bound_ns: Option<u64>,
    #[serde(default)]
    overheads: Overheads,
    #[serde(default)]
    contexts: Vec<Partition>,
    /// Absent for a run in virtual time.
    #[serde(default)]
    machine: Option<Machine>,
}

/// The GPU of a run.
#[derive(Deserialize)]
struct Machine {
    /// CUDA version that the driver supports, such as 13000.
    #[serde(default)]
    driver: Option<u32>,
    #[serde(default)]
    split: Option<String>,
    #[serde(default)]
    wait: Option<String>,
}

#[derive(Deserialize, Default)]
struct Overheads {
    #[serde(default)]
    occupancy_ns: u64,
    #[serde(default)]
    wake_ns: u64,
}

#[derive(Deserialize)]
struct Partition {
    context: i64,
    /// Number of SMs in the plan.
    #[serde(default)]
    sms: Option<u32>,
    #[serde(default)]
    policy: Option<String>,
    #[serde(default)]
    tasks: Vec<Task>,
    #[serde(default)]
    ranks: Option<Vec<usize>>,
    #[serde(default)]
    skipped_jobs: Vec<Skipped>,
    #[serde(default)]
    lost: Option<String>,
    #[serde(default)]
    omitted: u64,
    /// Absent for a run in virtual time.
    #[serde(default)]
    granted: Option<Granted>,
}

#[derive(Deserialize)]
struct Task {
    #[serde(rename = "task")]
    name: String,
    #[serde(default)]
    wcet_ns: Option<u64>,
    #[serde(default)]
    period_ns: Option<u64>,
    #[serde(default)]
    deadline_ns: Option<u64>,
    #[serde(default)]
    sporadic: bool,
}

#[derive(Deserialize)]
struct Skipped {
    /// Position of the task in the partition.
    task: usize,
    job: u64,
}

#[derive(Deserialize)]
struct Granted {
    granted: u32,
    #[serde(default)]
    sm_ids: Option<Vec<u32>>,
    #[serde(default)]
    same_at_end: Option<bool>,
}

impl Head {
    /// Adds the content of the object to `recording`.
    pub fn add(self, recording: &mut Recording) {
        let is_virtual = self.backend.as_deref() == Some("simulated");
        let sizes = self.contexts.iter().map(|partition| Context {
            process: None,
            device: 0,
            id: partition.context,
            parent: None,
            green: true,
            // In virtual time, a partition has its planned size by definition.
            sms: match &partition.granted {
                Some(granted) => Some(granted.granted),
                None => partition.sms.filter(|_| is_virtual),
            },
        });
        recording.contexts.extend(sizes);
        let periodic = self.arrivals.as_deref() == Some("periodic");
        let partitions = self.contexts.into_iter().map(|partition| {
            let (sm_ids, same_at_end) = match partition.granted {
                Some(granted) => (granted.sm_ids, granted.same_at_end),
                None => (None, None),
            };
            let tasks = partition.tasks.into_iter().map(|task| DispatchedTask {
                name: task.name,
                wcet_ns: task.wcet_ns,
                period_ns: task.period_ns,
                deadline_ns: task.deadline_ns,
                sporadic: task.sporadic,
            });
            DispatchedPartition {
                context: partition.context,
                sms: partition.sms,
                policy: partition.policy,
                tasks: tasks.collect(),
                ranks: partition.ranks,
                sm_ids,
                same_at_end,
                skipped: { partition.skipped_jobs.into_iter() }
                    .map(|skipped| (skipped.task, skipped.job))
                    .collect(),
                lost: partition.lost,
                omitted: partition.omitted,
            }
        });
        let machine = self.machine.as_ref();
        let driver = machine.and_then(|machine| machine.driver);
        recording.dispatcher = Some(Dispatcher {
            is_virtual,
            driver: driver.map(|version| format!("CUDA {}.{}", version / 1000, version % 1000 / 10)),
            split: machine.and_then(|machine| machine.split.clone()),
            wait: machine.and_then(|machine| machine.wait.clone()),
            kept: self.kept,
            plan_sha256: self.plan_sha256,
            set_sha256: self.set_sha256,
            overhead_ns: self.overheads.occupancy_ns,
            // Traces of version 1 state no bound apart from the overheads.
            wake_ns: self
                .wake_bound_ns
                .or(Some(self.overheads.wake_ns).filter(|&wake| wake > 0)),
            periodic_until_ns: self.duration_ns.filter(|_| periodic),
            ends_ns: self.ends_ns,
            partitions: partitions.collect(),
            failed: Vec::new(),
        });
    }
}
