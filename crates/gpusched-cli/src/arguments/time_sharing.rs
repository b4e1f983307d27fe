//! Options for tasks that share a GPU by time slices.

use gpusched_analysis::end_to_end::{SharedContexts, TurnSearch, choose_turns};
use gpusched_model::end_to_end::{Draft, Environment, Idle, TimeShares};
use gpusched_model::error::Error;
use gpusched_model::time::Time;
use gpusched_model::{Policy, Refusal, TaskSet};

use super::names::named;
use super::values::whole;
use crate::report::{Content, OutputPath, Progress};
use crate::{Global, complain};

/// Turns of the tasks of a task set, if the GPU has no partitions.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Time slices")]
pub struct TimeSharing {
    /// Share the GPU by time slices of this length, e.g., 2ms; or choose from several
    ///
    /// Each task has a context (a process) of its own, and the contexts take turns on all SMs. So the GPU has no partitions. With
    /// several lengths, such as `500us,1ms,5ms`, gpusched chooses one for each task. Only for task sets: an end-to-end system
    /// states the slices of its contexts.
    #[arg(long, value_name = "TIME", requires = "switch", value_delimiter = ',')]
    time_slice: Vec<Time>,
    /// Longest time to switch to another context, e.g., 200us
    #[arg(long, value_name = "TIME", requires = "time_slice")]
    switch: Option<Time>,
    /// Longest time for which a kernel exceeds a slice [default: `block`, or the WCET]
    ///
    /// By default, a kernel keeps the GPU for its longest thread block. If the task states no `block`, it keeps the GPU until its
    /// end. State 0ns if the GPU preempts kernels at any instruction, and add the time of the preemption to `--switch`.
    #[arg(long, value_name = "TIME", requires = "time_slice")]
    overrun: Option<Time>,
    /// Turns of tasks without kernels
    ///
    /// The rule `fixed` is for virtual GPUs with fixed shares of time.
    #[arg(long, value_name = "RULE", requires = "time_slice", value_parser = named::<Idle>(), default_value_t)]
    idle: Idle,
    /// Give a task up to N turns per round
    ///
    /// gpusched chooses the number of turns of each task.
    #[arg(long, value_name = "N", requires = "time_slice", default_value_t = 1, value_parser = whole::<usize>(1..=8))]
    turns: usize,
    /// Let tasks share contexts, with at most N contexts
    ///
    /// By default, each task has its own context. gpusched chooses which tasks share a context. `--policy` orders the kernels of
    /// a context: `np-fifo` (default), as in one CUDA stream, `np-edf`, `edf`, or fixed priorities. With `np-fp-audsley` and
    /// `fp-audsley`, gpusched also chooses the priorities.
    #[arg(long, value_name = "N", requires = "time_slice", value_parser = whole::<usize>(1..=1000))]
    contexts: Option<usize>,
    /// Stop the choice after N tests
    #[arg(long, value_name = "N", requires = "time_slice", default_value_t = 20_000, value_parser = whole::<u64>(1..=100_000_000))]
    turn_tests: u64,
    /// Also write the system with its contexts, for `verify` and `simulate tasks`
    #[arg(long, value_name = "PATH", requires = "time_slice",
        value_parser = OutputPath::of(Content::Json), value_hint = clap::ValueHint::FilePath)]
    pub system: Option<OutputPath>,
}

impl TimeSharing {
    /// Whether the tasks share the GPU by time slices.
    pub fn is_given(&self) -> bool {
        !self.time_slice.is_empty()
    }

    /// Checks the options. `policy` is the policy that the user states.
    ///
    /// # Errors
    /// Fails if a slice is 0, with a policy if each task has its own context, and with a policy that contexts cannot follow.
    pub fn check(&self, policy: Option<Policy>) -> Result<(), Error> {
        if let Some(found) = self.time_slice.iter().find(|&&slice| slice == Time::ZERO) {
            return Err(Error::parameter("time_slice", found, "more than 0 ns"));
        }
        match (policy, self.shared(policy)) {
            (Some(found), None) => {
                let expected = "no policy without --contexts, because each task has its own context";
                Err(Error::parameter("policy", found, expected))
            }
            (_, shared) => Ok(shared.map_or(Ok(()), |shared| shared.check())?),
        }
    }

    /// Returns the contexts that tasks may share.
    fn shared(&self, policy: Option<Policy>) -> Option<SharedContexts> {
        self.contexts.map(|contexts| SharedContexts {
            contexts,
            policy: policy.unwrap_or(Policy::NpFifo), // the order of kernels in one stream
        })
    }

    /// Returns the system where the tasks of `set` share `sms` SMs. If the user leaves a choice, gpusched chooses slices, turns
    /// and contexts with which all tasks meet their deadlines. `policy` orders the kernels of one context.
    ///
    /// # Errors
    /// Fails if the tasks have no valid system.
    pub fn system(
        &self,
        (set, sms): (&TaskSet, u32),
        policy: Option<Policy>,
        environment: Environment,
        global: &Global,
    ) -> Result<Draft, Refusal> {
        let (Some(&first), Some(switch)) = (self.time_slice.first(), self.switch) else {
            return Refusal::refuse("time_slice", "no time", "a time such as 2ms");
        };
        let shares = TimeShares {
            slice: first,
            switch,
            overrun: self.overrun,
            idle: self.idle,
        };
        let draft = Draft::time_shared(set, sms, shares)?;
        if self.time_slice.len() == 1 && self.turns == 1 && self.contexts.is_none() {
            return Ok(draft);
        }
        let search = TurnSearch {
            slices: &self.time_slice,
            turns: self.turns,
            shared: self.shared(policy),
            tests: self.turn_tests,
            environment,
        };
        let progress = Progress::new(global, "choices of contexts tested");
        let chosen = choose_turns(&draft, &search, &|tests| progress.at(tests))?;
        drop(progress);
        if !chosen.schedulable && !global.quiet {
            let tests = chosen.tests;
            complain(&match chosen.complete {
                true => format!(
                    "note: gpusched tested all {tests} choices of contexts, slices and turns: none has a proof"
                ),
                false => {
                    format!(
                        "note: gpusched tested {tests} choices of contexts, slices and turns: others may be better"
                    )
                }
            });
        }
        Ok(chosen.draft)
    }
}
