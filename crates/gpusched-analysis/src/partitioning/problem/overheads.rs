//! The overheads of the dispatcher in the analysis of a partition ([`Demand::with_overheads`]).

use super::{Problem, Scale, missed};
use crate::schedulability::Demand;
use crate::schedulability::demand::{later, longer};
use gpusched_model::error::{Error, Refusal};
use gpusched_model::policy::Strength;
use gpusched_model::time::Time;
use gpusched_model::verdict::{Evidence, Verdict};
use gpusched_model::{Overheads, Policy, Task};

impl<'a> Problem<'a> {
    /// Returns the problem with the overheads of the dispatchers, which the WCETs do not include. `None` changes nothing.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if no dispatcher on a GPU can follow the policy, and for partitions that share a
    /// memory. Under limited preemption, also fails for a task with thread blocks and an unknown number of launches,
    /// because each launch adds the overhead.
    pub fn with_overheads(self, overheads: Option<Overheads>) -> Result<Problem<'a>, Error> {
        let Some(stated) = overheads else {
            return Ok(self);
        };
        if !self.policy.is_dispatchable() {
            let reason = match self.policy.runs_together() {
                true => "kernels that run together have no dispatcher",
                false => "no dispatcher on a GPU preempts at any point",
            };
            let expected = format!("np-edf, np-fp…, lp-edf or lp-fp… with overheads, because {reason}");
            return Err(Error::parameter("policy", self.policy, expected));
        }
        if self.memory.is_some() {
            let expected =
                "conflict or none with overheads, because no analysis counts overheads and shared memory";
            let found = self.interference_name().map(|name| name.to_string());
            return Err(Error::parameter(
                "interference",
                found.unwrap_or_default(),
                expected,
            ));
        }
        let unknown = |task: &Task| task.block().is_some() && task.launches().is_none();
        if self.policy.counts_blocks()
            && let Some(index) = self.tasks.iter().position(unknown)
        {
            let expected =
                "the number of launches of a job with overheads, because each launch adds the overhead";
            return Err(Refusal::new(format!("tasks[{index}].launches"), "none", expected).into());
        }
        Ok(Problem {
            overheads: Some(stated),
            ..self
        })
    }

    /// Returns the overheads of the dispatchers, or `None` if the WCETs include them.
    pub fn overheads(&self) -> Option<Overheads> {
        self.overheads
    }

    /// Returns the problem as if the WCETs included the overheads.
    pub fn without_overheads(self) -> Problem<'a> {
        Problem {
            overheads: None,
            ..self
        }
    }

    /// Returns J', the release jitter of `task` [ns].
    pub fn jitter(&self, task: &Task) -> Time {
        let wake = self.overheads.map_or(Time::ZERO, |overheads| overheads.wake_ns);
        later(task.jitter(), wake)
    }

    /// Returns D − J' of `task` [ns], or 0 if J' is larger.
    pub(crate) fn due(&self, task: &Task) -> u64 {
        task.deadline().ns().saturating_sub(self.jitter(task).ns())
    }

    /// Returns `wcet` of `task` with the overheads of all launches: C' = C + n·o.
    pub(super) fn occupancy(&self, task: &Task, wcet: Time) -> Time {
        longer(wcet, self.launches(task))
    }

    /// Returns the longest thread block of a task with the overhead of one launch. `block` is the block without it.
    pub(super) fn launch(&self, block: Time) -> Time {
        longer(block, self.occupancy_ns())
    }

    /// Returns n·o, the overhead of the n launches of a job of `task` [ns].
    pub(super) fn launches(&self, task: &Task) -> Time {
        let launches = task.launches().map_or(1, |launches| launches.get());
        let all = self.occupancy_ns().ns().saturating_mul(launches.into());
        Time::from_ns(all.min(Time::LIMIT.ns()))
    }

    /// Returns o [ns].
    fn occupancy_ns(&self) -> Time {
        self.overheads
            .map_or(Time::ZERO, |overheads| overheads.occupancy_ns)
    }

    /// Returns the demand of `task` with its WCET, its longest block and its work multiplied by `scale`. The overheads do
    /// not grow.
    pub(crate) fn scaled_demand(&self, task: usize, scale: Scale, demand: &Demand) -> Demand {
        let all = self.launches(&self.tasks[task]);
        let whole = demand.block == demand.wcet;
        let once = if whole { all } else { self.occupancy_ns() };
        let bare = |time: Time, overhead| time.checked_sub(overhead).unwrap_or_default();
        let scaled = scale.demand(&Demand {
            wcet: bare(demand.wcet, all),
            block: bare(demand.block, once),
            least_work: demand.least_work.saturating_sub(all.ns().into()),
            ..*demand
        });
        Demand {
            wcet: longer(scaled.wcet, all),
            block: longer(scaled.block, once),
            least_work: scaled.least_work.saturating_add(all.ns().into()),
            ..scaled
        }
    }

    /// Returns the strength of a positive verdict. With wake-ups, an exact test is only sufficient: it counts a late wake-up
    /// and blocking together, but a late wake-up occurs only after idle time.
    pub fn strength(&self) -> Strength {
        let wakes = { self.overheads }.is_some_and(|overheads| overheads.wake_ns > Time::ZERO);
        match self.policy.strength() {
            Strength::Exact if wakes => Strength::Sufficient,
            strength => strength,
        }
    }

    /// Returns the verdict with `evidence`.
    pub(super) fn verdict_with(&self, evidence: Evidence) -> Verdict {
        Verdict {
            strength: self.strength(),
            ..Verdict::new(self.policy, evidence)
        }
    }

    /// Returns why `tasks` fail their test on `sms` SMs only because of the overheads. Returns `None` if they pass, or if
    /// they fail without overheads, too.
    pub fn caused_by_overheads(&self, tasks: &[usize], sms: u32) -> Option<Excess> {
        let overheads = self.overheads?;
        if !self.without_overheads().accepts(tasks, sms) {
            return None;
        }
        let demands = self.demands(tasks, sms).ok()?;
        let evidence = crate::schedulability::evidence(self.policy, &demands, sms);
        let (position, excess) = missed(&evidence, &demands)?;
        Some(Excess {
            task: *tasks.get(position)?,
            excess,
            policy: self.policy,
            overheads,
        })
    }
}

/// Tasks pass their test without overheads, and fail it with overheads.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Excess {
    /// Position of the task that misses its deadline. If the utilization is above 1, the task with the shortest period.
    pub task: usize,
    /// Time by which the task exceeds its deadline [ns]. `None` if the evidence states no time.
    pub excess: Option<Time>,
    policy: Policy,
    overheads: Overheads,
}

impl Excess {
    /// Describes the failure in one sentence for display. `name` is the name of the task.
    pub fn told(&self, name: &str) -> String {
        let Excess {
            excess,
            policy,
            overheads,
            ..
        } = self;
        let late = match excess {
            Some(excess) => format!("task {name} needs {excess} more than its deadline permits"),
            None => format!("task {name} and its co-located tasks fail the test"),
        };
        format!(
            "With overheads of {overheads}, {late}. Without overheads, the tasks are schedulable under {policy}."
        )
    }
}
