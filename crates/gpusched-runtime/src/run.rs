//! The result of a run.

use gpusched_model::counted;
use gpusched_model::time::Time;
use serde::{Deserialize, Serialize};

use crate::core::{Core, Counters, Job, Record, Skipped, Suspension};
use crate::program::{Part, Program};

/// A finished run.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// Time of the first arrivals on the clock of the run [ns]. Traces count times from here.
    pub origin: u64,
    /// Partitions in the order of the plan.
    pub partitions: Vec<PartRun>,
    /// The GPU and the computer of the run. `None` in virtual time.
    pub machine: Option<Machine>,
    /// Time for which the computer slept during the run [ns]. The clock of the run stands still in this time.
    pub interrupted: u64,
    /// Time from the first arrivals after which no job arrives.
    pub duration: Time,
    /// w: bound that the wake-ups were compared with. `None` if no bound is stated.
    pub wake_bound: Option<Time>,
    /// Whether the run stopped before all jobs were complete, or the records of its last jobs are lost.
    pub stopped: bool,
    /// Whether the user's program ran. It ends the run, so the run has no planned end.
    pub own: bool,
}

/// The run of one partition.
#[derive(Clone, PartialEq, Debug)]
pub struct PartRun {
    /// Records of all completed jobs, in the order of their completions.
    pub records: Vec<Record>,
    /// Counts and extremes.
    pub counters: Counters,
    /// Spans without guarantee.
    pub suspensions: Vec<Suspension>,
    /// First jobs that were skipped after an overrun.
    pub skipped: Vec<Skipped>,
    /// The context of the partition on a GPU. `None` in virtual time.
    pub context: Option<Context>,
    /// Error that ended the run of the partition early.
    pub lost: Option<String>,
}

/// The reason why a partition ends early without a fault of its own.
pub(crate) const OTHER_ENDED: &str = "another partition ended the run of all partitions";

/// Returns the reason why a partition ends after the overrun of `job`.
pub(crate) fn aborted_by(part: &Part, job: Job) -> String {
    format!(
        "{}#{} exceeded its budget, and the run ended",
        part.tasks[job.task].name, job.number
    )
}

impl PartRun {
    /// Creates the result of the run of `part` that `core` dispatched.
    pub fn of(core: &Core, part: &Part, records: Vec<Record>) -> PartRun {
        let aborted = core.aborted().map(|job| aborted_by(part, job));
        let halted = core.halted().then(|| OTHER_ENDED.to_owned());
        let mut skipped = core.skipped().to_vec();
        skipped.sort_by_key(|job| (job.arrival, job.task));
        PartRun {
            records,
            counters: core.counters(),
            suspensions: core.suspensions().to_vec(),
            skipped,
            context: None,
            lost: aborted.or(halted),
        }
    }

    /// Returns the number of completed jobs without a record.
    pub fn omitted(&self) -> u64 {
        let recorded = self.records.iter().filter(|record| record.last).count() as u64;
        self.counters.jobs.saturating_sub(recorded)
    }

    /// Whether each job of `part` that arrives before `duration` has run or was skipped.
    pub fn is_complete(&self, part: &Part, duration: Time) -> bool {
        let Counters { jobs, skipped, .. } = self.counters;
        u128::from(jobs) + u128::from(skipped) >= part.jobs(duration)
    }
}

impl Run {
    /// Returns the sums and maxima of the counters of all partitions. A damaged file of records may state counts of any size, so a sum
    /// beyond the largest number is the largest number.
    pub fn totals(&self) -> Counters {
        let mut all = Counters::default();
        for Counters {
            jobs,
            misses,
            overruns,
            failed,
            late_wakes,
            longest_wake,
            early,
            dropped,
            suspended,
            skipped,
            overheads,
        } in self.partitions.iter().map(|part| part.counters)
        {
            all.jobs = all.jobs.saturating_add(jobs);
            all.misses = all.misses.saturating_add(misses);
            all.overruns = all.overruns.saturating_add(overruns);
            all.failed = all.failed.saturating_add(failed);
            all.late_wakes = all.late_wakes.saturating_add(late_wakes);
            all.longest_wake = all.longest_wake.max(longest_wake);
            all.early = all.early.saturating_add(early);
            all.dropped = all.dropped.saturating_add(dropped);
            all.suspended = all.suspended.saturating_add(suspended);
            all.skipped = all.skipped.saturating_add(skipped);
            all.overheads = all.overheads.saturating_add(overheads);
        }
        all
    }

    /// Returns whether all jobs met their deadlines and all bounds of the plan held.
    pub fn kept(&self) -> bool {
        let all = self.totals();
        let broken = [
            all.misses,
            all.overruns,
            all.failed,
            all.late_wakes,
            all.overheads,
        ];
        let unbroken = broken.iter().all(|&count| count == 0);
        !self.is_lost() && unbroken && self.interrupted == 0 && self.on_other_sms() == 0
    }

    /// Returns whether an error ended the run of a partition early.
    pub fn is_lost(&self) -> bool {
        self.partitions.iter().any(|part| part.lost.is_some())
    }

    /// Returns the result of the run of `program` in one line.
    pub fn headline(&self, program: &Program) -> String {
        let all = self.totals();
        let verdict = match (self.kept(), self.stopped && !self.own) {
            (false, _) => "BROKEN",
            (true, true) => "STOPPED",
            (true, false) => "KEPT",
        };
        let mut text = format!("{verdict}: {}", counted(all.jobs, "job"));
        match self.ends(program).map(Time::from_ns) {
            _ if self.own => {}
            Some(end) => text += &format!(", of all partitions until {end} of {}", self.duration),
            None => text += &format!(" until {}", self.duration),
        }
        for (count, noun) in [
            (all.misses, "deadline miss"),
            (all.overruns, "overrun"),
            (all.late_wakes, "late wake-up"),
            (all.failed, "failed job"),
        ] {
            if noun == "late wake-up" && self.wake_bound.is_none() {
                text += ", wake-ups not checked";
                continue;
            }
            let plural = if noun.ends_with('s') { "es" } else { "s" };
            match count {
                0 => text += &format!(", no {noun}"),
                1 => text += &format!(", 1 {noun}"),
                _ => text += &format!(", {count} {noun}{plural}"),
            }
        }
        if all.overheads > 0 {
            text += &format!(", {} above the bound", counted(all.overheads, "overhead"));
        }
        if all.skipped > 0 {
            text += &format!(", {} skipped", counted(all.skipped, "job"));
        }
        if self.interrupted > 0 {
            text += &format!(", interrupted for {}", Time::from_ns(self.interrupted));
        }
        let other = self.on_other_sms();
        if other > 0 {
            text += &format!(", {} on other SMs", counted(other, "partition"));
        }
        let lost = self.partitions.iter().filter(|part| part.lost.is_some()).count();
        if lost > 0 {
            text += &format!(", {} lost", counted(lost, "partition"));
        }
        text
    }

    /// Returns the time from the first arrivals until which the records of all partitions are complete [ns]. Returns `None`
    /// for a run that did not stop early.
    pub fn ends(&self, program: &Program) -> Option<u64> {
        let partitions = program.partitions.iter().zip(&self.partitions);
        let ends = partitions.map(|(part, run)| {
            let last = run.records.iter().map(|record| record.completion).max();
            match run.is_complete(part, self.duration) {
                true => self.duration.ns(),
                false => last.map_or(0, |last| last.saturating_sub(self.origin)),
            }
        });
        ends.min().filter(|_| self.stopped)
    }

    /// Returns the number of partitions whose kernels did not run on exactly the granted SMs during the whole run, as far as
    /// the SMs were observed.
    pub fn on_other_sms(&self) -> usize {
        let contexts = self.partitions.iter().filter_map(|part| part.context.as_ref());
        let exact = |context: &&Context| {
            context.same_at_end == Some(true) && context.sm_ids.len() == context.granted as usize
        };
        contexts.filter(|context| !exact(context)).count()
    }
}

/// The GPU and the computer of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the GPU.
    pub gpu: String,
    /// Number of SMs of the GPU.
    pub sms: u32,
    /// CUDA version that the driver supports, such as 13000.
    pub driver: i32,
    /// Smallest partition and alignment that the driver states.
    pub granularity: (u32, u32),
    /// How the partitions were created.
    pub split: String,
    /// How the dispatchers wait for completions.
    pub wait: String,
    /// Part of each execution time that is left for launch and detection [ns].
    pub reserve_ns: Time,
    /// Time before an arrival from which an idle dispatcher spins [ns].
    pub spin_ns: Time,
    /// Priority of the dispatcher threads under SCHED_FIFO; 0 for the default scheduler.
    pub fifo_priority: i32,
    /// Settings of the process and of the computer that affect the times of a run.
    pub settings: Vec<(String, String)>,
    /// Notes about settings that make a run less predictable.
    pub notes: Vec<String>,
}

/// The context of a partition on a GPU.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Context {
    /// Number of SMs that the driver granted.
    pub granted: u32,
    /// Numbers of the SMs that a kernel in the context observed, ascending.
    pub sm_ids: Vec<u32>,
    /// Whether the SM ids were the same at the end of the run.
    pub same_at_end: Option<bool>,
    /// Settings of the thread of the partition.
    pub thread: Vec<(String, String)>,
    /// Time from the decision until all work is enqueued [ns].
    pub enqueue: Statistics,
    /// Occupancy of a job minus the time for which its kernel spins [ns].
    pub overhead: Statistics,
    /// Time from an arrival in the idle partition to the decision [ns].
    pub wake: Statistics,
    /// Jobs that failed or did not end in time.
    pub problems: Vec<String>,
}

/// Statistics of a list of times [ns].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Number of times.
    pub count: usize,
    /// Smallest time.
    pub min: u64,
    /// Median.
    pub p50: u64,
    /// 99th percentile.
    pub p99: u64,
    /// 99.9th percentile.
    pub p999: u64,
    /// Largest time.
    pub max: u64,
}

impl Statistics {
    /// Returns the statistics of the times from an arrival in the idle partition to the decision.
    pub fn of_wakes(records: &[Record]) -> Statistics {
        Statistics::of(records.iter().filter_map(|record| record.wake).collect())
    }

    /// Returns the statistics of `times`.
    pub fn of(mut times: Vec<u64>) -> Statistics {
        times.sort_unstable();
        let (Some(&min), Some(&max)) = (times.first(), times.last()) else {
            return Statistics::default();
        };
        let at = |permille: usize| times[(times.len() * permille / 1000).min(times.len() - 1)];
        Statistics {
            count: times.len(),
            min,
            p50: at(500),
            p99: at(990),
            p999: at(999),
            max,
        }
    }
}
