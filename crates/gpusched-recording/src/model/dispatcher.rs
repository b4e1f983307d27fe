//! Statements of a dispatcher of gpusched about its run.

/// The dispatcher of `gpusched run`. The launches of its trace last from the decision of the dispatcher to the observed
/// completion, and the ranges start at the arrivals. A field is `None` if the trace does not state it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dispatcher {
    /// Whether the run is in virtual time, without a GPU.
    pub is_virtual: bool,
    /// CUDA version of the driver, such as `CUDA 13.0`.
    pub driver: Option<String>,
    /// How the SMs were split.
    pub split: Option<String>,
    /// How the dispatchers waited for the end of jobs.
    pub wait: Option<String>,
    /// Whether the dispatcher saw no broken bound. It sees more than a trace shows, such as a sleep of the computer.
    pub kept: Option<bool>,
    /// SHA-256 of the plan as gpusched writes it.
    pub plan_sha256: Option<String>,
    /// SHA-256 of the task set as gpusched writes it.
    pub set_sha256: Option<String>,
    /// o: bound on the occupancy of a job minus its time on the GPU [ns]. 0 if the WCETs include the overheads.
    pub overhead_ns: u64,
    /// w: bound on the time from an arrival in an idle partition to the decision [ns]. `None` if no bound is stated.
    pub wake_ns: Option<u64>,
    /// Time after which no job arrives [ns], if job n of each task arrives at n·T, apart from the jobs of sporadic tasks.
    pub periodic_until_ns: Option<u64>,
    /// Time until which the records of all partitions are complete, if the run stopped early [ns].
    pub ends_ns: Option<u64>,
    /// The partitions.
    pub partitions: Vec<DispatchedPartition>,
    /// Launches whose work failed, as positions in the recording, ascending.
    pub failed: Vec<usize>,
}

/// A partition of a dispatcher.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DispatchedPartition {
    /// Number of the context.
    pub context: i64,
    /// Number of SMs in the plan.
    pub sms: Option<u32>,
    /// Name of the policy.
    pub policy: Option<String>,
    /// Tasks of the partition, in the order of the plan.
    pub tasks: Vec<DispatchedTask>,
    /// Positions of the tasks in the task set, by decreasing rank. `None` without fixed priorities.
    pub ranks: Option<Vec<usize>>,
    /// Numbers of the SMs that a kernel in the context observed. `None` in virtual time.
    pub sm_ids: Option<Vec<u32>>,
    /// Whether the SMs were the same at the end of the run.
    pub same_at_end: Option<bool>,
    /// Jobs that did not run, because an earlier job of their task exceeded its budget: the position of the task in
    /// [`tasks`](DispatchedPartition::tasks), and the number of the job.
    pub skipped: Vec<(usize, u64)>,
    /// Error that ended the run of the partition early.
    pub lost: Option<String>,
    /// Number of completed jobs that the trace does not contain.
    pub omitted: u64,
}

/// A task of a dispatcher.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DispatchedTask {
    /// Name of the task.
    pub name: String,
    /// C(m): WCET on the SMs of the partition [ns].
    pub wcet_ns: Option<u64>,
    /// Period T [ns].
    pub period_ns: Option<u64>,
    /// Relative deadline D [ns].
    pub deadline_ns: Option<u64>,
    /// Whether a program released the jobs. Otherwise, they arrive periodically.
    pub sporadic: bool,
}

impl Dispatcher {
    /// Returns the time until which the trace contains each job of the task `name` that arrives, at n·T [ns].
    pub fn periodic_until(&self, name: &str) -> Option<u64> {
        let (omitted, sporadic) = self
            .placed(name)
            .map_or((0, false), |(partition, task)| (partition.omitted, task.sporadic));
        self.periodic_until_ns.filter(|_| omitted == 0 && !sporadic)
    }

    /// Returns the reason why the trace does not show which jobs waited at the decisions before the jobs of the task `name`.
    pub fn unseen(&self, name: &str) -> Option<&'static str> {
        match self.placed(name)? {
            (partition, _) if partition.omitted > 0 => {
                Some("the trace does not contain all jobs of the partition")
            }
            (_, task) if task.sporadic => {
                Some("the trace does not state when the dispatcher saw the sporadic jobs of the partition")
            }
            _ => None,
        }
    }

    fn placed(&self, name: &str) -> Option<(&DispatchedPartition, &DispatchedTask)> {
        self.partitions.iter().find_map(|partition| {
            let task = partition.tasks.iter().find(|task| task.name == name)?;
            Some((partition, task))
        })
    }

    /// Returns the partition with the context `id`.
    pub fn partition(&self, id: i64) -> Option<&DispatchedPartition> {
        self.partitions.iter().find(|partition| partition.context == id)
    }

    /// Returns the numbers of the jobs of `task` that were skipped.
    pub fn skipped(&self, task: &str) -> impl Iterator<Item = u64> {
        self.partitions.iter().flat_map(move |partition| {
            let of = partition.skipped.iter();
            let of =
                of.filter(move |(index, _)| partition.tasks.get(*index).is_some_and(|of| of.name == task));
            of.map(|&(_, job)| job)
        })
    }
}
