//! Task sets on a GPU without partitions: each task has its own context, and the contexts take turns.

use std::collections::HashSet;
use std::num::NonZeroU64;

use super::{
    Arrivals, ContextDraft, Draft, DraftPolicy, Idle, Jobs, PartitionDraft, SegmentDraft, TaskDraft,
};
use crate::time::Time;
use crate::{Contention, MeasuredOn, Refusal, Task, TaskSet};

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
    /// Returns the system where each task of `set` has its own context on all `sms` SMs of a GPU. Each job is one segment.
    ///
    /// # Errors
    /// Fails if the set states that a WCET lacks gaps between the kernels of a job. With [`Idle::Skip`], also fails if it states
    /// several kernels per job, because a context without a kernel loses its turn between two kernels.
    pub fn time_shared(set: &TaskSet, sms: u32, shares: TimeShares) -> Result<Draft, Refusal> {
        for (index, task) in set.tasks().iter().enumerate() {
            one_segment(set, task, shares.idle)
                .map_err(|refusal| refusal.within(&format!("tasks[{index}]")))?;
        }
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
                    e1: None,
                    delay_rate: None,
                    profile: None,
                }],
                jobs: Jobs::Sequential,
                buffers: None,
                alternatives: Vec::new(),
            });
        }
        Ok(Draft {
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
            budgets: None,
        })
    }
}

/// Refuses `task` if `set` states that its job is more than one segment without gaps.
fn one_segment(set: &TaskSet, task: &Task, idle: Idle) -> Result<(), Refusal> {
    let measured = set.measured_on(task).map(MeasuredOn::fields);
    if let Some(gaps) = measured.and_then(|on| on.left_out_gaps) {
        let found = format!("gaps of up to {gaps} that the WCET does not contain");
        return Refusal::refuse(
            "measured_on.left_out_gaps",
            found,
            "a WCET that contains the gaps of a job",
        );
    }
    let kernels = measured.and_then(|on| on.kernels).map_or(1, NonZeroU64::get);
    let launches = task.launches().map_or(1, |launches| launches.get().into());
    let (field, most) = match launches > kernels {
        true => ("launches", launches),
        false => ("measured_on.kernels", kernels),
    };
    if idle == Idle::Skip && most > 1 {
        let expected = "1, because a context without a kernel loses its turn between two kernels of a job";
        return Err(Refusal::new(field, most, expected)
            .hint("write an end-to-end system with one segment per kernel and per gap, or state that contexts keep their turns: `wait`"));
    }
    Ok(())
}
