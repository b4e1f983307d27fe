//! Task sets on a GPU without partitions: each task has its own context, and the contexts take turns.

use std::collections::HashSet;

use super::{
    Arrivals, ContextDraft, Draft, DraftPolicy, Idle, Jobs, PartitionDraft, SegmentDraft, TaskDraft,
};
use crate::time::Time;
use crate::{Contention, TaskSet};

/// Turns of tasks that share a GPU. Every task has the same slice.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TimeShares {
    /// q: slice [ns]; > 0.
    pub slice: Time,
    /// θ: time to switch to another task [ns].
    pub switch: Time,
    /// o: maximum overrun of a slice [ns]. If `None`, a kernel keeps the GPU for its longest thread block, or for its WCET if
    /// its longest thread block is unknown.
    pub overrun: Option<Time>,
    /// Turns of tasks without kernels.
    pub idle: Idle,
}

impl Draft {
    /// Returns the system where each task of `set` has its own context on all `sms` SMs of a GPU.
    pub fn time_shared(set: &TaskSet, sms: u32, shares: TimeShares) -> Draft {
        let mut names = HashSet::new();
        let mut name = |index: usize, stated: Option<&str>| {
            let stated = stated.map_or_else(|| format!("task {index}"), str::to_owned);
            let mut name = stated.clone();
            while !names.insert(name.clone()) {
                name = format!("{name} ({index})");
            }
            name
        };
        let (mut contexts, mut tasks) = (Vec::new(), Vec::new());
        for (index, task) in set.tasks().iter().enumerate() {
            let name = name(index, task.name());
            let context = format!("context of {name}");
            let longest = || {
                let wcet = task.wcet().at(sms, Contention::Conflict);
                let wcet = wcet.or_else(|| task.wcet().at(sms, Contention::Isolated));
                let wcet = wcet.unwrap_or(Time::LIMIT); // the system refuses a task without a WCET
                task.block().map_or(wcet, |block| block.min(wcet))
            };
            contexts.push(ContextDraft {
                name: context.clone(),
                slice: shares.slice,
                policy: None,
                overrun: Some(shares.overrun.unwrap_or_else(longest)),
            });
            tasks.push(TaskDraft {
                name,
                period: task.period(),
                deadline: Some(task.deadline()),
                jitter: Some(task.jitter()),
                arrivals: Arrivals::Sporadic,
                max_interarrival: None,
                phase: None,
                priority: None,
                gpu_priority: None,
                wait: None,
                segments: vec![SegmentDraft {
                    on: context,
                    wcet: Some(task.wcet().clone()),
                    bcet: None,
                    bytes: None,
                    block: None,
                    kind: task.kind(),
                    traffic: None,
                    bandwidth: None,
                }],
                jobs: Jobs::Sequential,
                buffers: None,
                alternatives: Vec::new(),
            });
        }
        Draft {
            name: set.name().map(str::to_owned),
            cores: Vec::new(),
            copy_engines: Vec::new(),
            partitions: vec![PartitionDraft {
                name: "gpu".to_owned(),
                sms: Some(sms),
                policy: DraftPolicy::TimeSliced,
                switch: Some(shares.switch),
                contexts,
                runlist: None,
                idle: Some(shares.idle),
            }],
            tasks,
            chains: Vec::new(),
        }
    }
}
