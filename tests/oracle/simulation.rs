//! A uniprocessor, simulated unit by unit, without recurrences, demand bounds or other formulas.

/// A sporadic task in whole units: C, D, T, J, b.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Task {
    pub c: i64,
    pub d: i64,
    pub t: i64,
    pub j: i64,
    /// The longest block; C if the kernel is one block.
    pub b: i64,
}

/// A job: its task, arrival, release and execution time.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Job {
    pub task: usize,
    pub arrival: i64,
    pub release: i64,
    pub c: i64,
}

/// Order of jobs: the smaller key has priority. Jobs of one task always run in the order of their arrival.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// The earlier deadline has priority; ties go to the smaller rank of the task.
    Edf(Vec<usize>),
    /// The smaller rank of the task has priority.
    Fixed(Vec<usize>),
    /// The earlier release has priority; ties go to the lower position of the task.
    Fifo,
}

/// Times when a running job can be preempted.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Preemption {
    Preemptive,
    NonPreemptive,
    /// At block boundaries. Each preemption adds one block to the preempted job. The shorter block is the last or the first one.
    Limited {
        short_first: bool,
    },
}

/// End of a simulation, at the latest after the last job.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Until {
    /// At the first missed deadline.
    Late,
    /// At the first instant without work.
    Idle,
    /// After the last job.
    Done,
}

/// Result of a simulation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Longest response time of each task, from arrival, over its finished jobs.
    pub response: Vec<i64>,
    /// The task of the first job that misses its deadline.
    pub late: Option<usize>,
    /// Number of preemptions.
    pub preemptions: u64,
    /// Time of the end.
    pub end: i64,
    /// Finished jobs and their completion times.
    pub finished: Vec<(Job, i64)>,
}

struct Pending {
    job: Job,
    left: i64,
    /// Remaining time units of the current block; 0 at a block boundary.
    in_block: i64,
    started: bool,
}

/// Simulates `jobs` from the first release.
pub fn run(set: &[Task], jobs: &[Job], order: &Order, preemption: Preemption, until: Until) -> Outcome {
    let mut coming: Vec<Job> = jobs.to_vec();
    coming.sort_by_key(|job| (job.release, job.arrival, job.task));
    let mut coming = coming.into_iter().peekable();
    let mut outcome = Outcome {
        response: vec![0; set.len()],
        late: None,
        preemptions: 0,
        end: 0,
        finished: Vec::new(),
    };
    let mut pending: Vec<Pending> = Vec::new();
    let mut running: Option<usize> = None; // position in pending
    let mut now = coming.peek().map_or(0, |job| job.release);
    loop {
        while let Some(job) = coming.next_if(|job| job.release <= now) {
            pending.push(Pending {
                job,
                left: job.c,
                in_block: 0,
                started: false,
            });
        }
        outcome.end = now;
        if pending.is_empty() {
            if until == Until::Idle {
                return outcome;
            }
            match coming.peek() {
                Some(job) => now = job.release,
                None => return outcome,
            }
            continue;
        }
        let free = match (running, preemption) {
            (None, _) | (_, Preemption::Preemptive) => true,
            (Some(_), Preemption::NonPreemptive) => false,
            (Some(position), Preemption::Limited { .. }) => pending[position].in_block == 0,
        };
        if free {
            let key = |pending: &Pending| {
                let job = pending.job;
                match order {
                    Order::Edf(rank) => (job.arrival + set[job.task].d, rank[job.task], job.arrival),
                    Order::Fixed(rank) => (0, rank[job.task], job.arrival),
                    Order::Fifo => (job.release, job.task, job.arrival),
                }
            };
            let next = (0..pending.len()).min_by_key(|&position| key(&pending[position]));
            if let (Some(old), Some(new)) = (running, next)
                && old != new
            {
                outcome.preemptions += 1;
                if let Preemption::Limited { .. } = preemption {
                    pending[old].left += set[pending[old].job.task].b;
                }
            }
            running = next;
        }
        let position = running.unwrap();
        let job = &mut pending[position];
        let block = set[job.job.task].b;
        if job.in_block == 0 {
            let short = job.job.c % block;
            let first = matches!(preemption, Preemption::Limited { short_first: true });
            job.in_block = if first && !job.started && short > 0 {
                short
            } else {
                block.min(job.left)
            };
            job.started = true;
        }
        job.left -= 1;
        job.in_block -= 1;
        now += 1;
        if job.left == 0 {
            let job = pending.swap_remove(position).job;
            running = None;
            outcome.finished.push((job, now));
            let response = &mut outcome.response[job.task];
            *response = (*response).max(now - job.arrival);
            if now > job.arrival + set[job.task].d {
                outcome.late = outcome.late.or(Some(job.task));
            }
        }
        let late = pending
            .iter()
            .find(|pending| now >= pending.job.arrival + set[pending.job.task].d);
        if let Some(late) = late {
            outcome.late = outcome.late.or(Some(late.job.task));
        }
        if until == Until::Late && outcome.late.is_some() {
            return outcome;
        }
    }
}

/// Returns the jobs that arrive before `end`. Every task that `which` selects releases a job at
/// 0. This job arrives as early as its jitter allows, and later jobs arrive as soon as possible.
/// `blocker` arrives at −1, without jitter.
pub fn critical(set: &[Task], which: impl Fn(usize) -> bool, blocker: Option<usize>, end: i64) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (task, &Task { c, t, j, .. }) in set.iter().enumerate() {
        let (first, earliest) = match blocker {
            Some(blocker) if blocker == task => (-1, -1),
            _ if which(task) => (-j, 0),
            _ => continue,
        };
        let arrivals = (0..).map(|k| first + k * t).take_while(|&arrival| arrival < end);
        jobs.extend(arrivals.map(|arrival| Job {
            task,
            arrival,
            release: arrival.max(earliest),
            c,
        }));
    }
    jobs
}

pub fn hyperperiod(set: &[Task]) -> i64 {
    fn gcd(a: i64, b: i64) -> i64 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    set.iter().fold(1, |h, task| h / gcd(h, task.t) * task.t)
}

/// Compares Σ C per hyperperiod with the hyperperiod.
pub fn load(set: &[Task]) -> std::cmp::Ordering {
    let h = hyperperiod(set);
    set.iter().map(|task| task.c * (h / task.t)).sum::<i64>().cmp(&h)
}

/// A time after every finite busy period under EDF, and after two hyperperiods, for busy periods without end (U = 1 with jitter).
pub fn horizon(set: &[Task]) -> i64 {
    let most = |f: fn(&Task) -> i64| set.iter().map(f).max().unwrap();
    2 * hyperperiod(set) + 2 * most(|task| task.d) + 2 * most(|task| task.j) + most(|task| task.c)
}

/// A time when the first jobs of a level under fixed priorities have completed, plus one hyperperiod for the following jobs: (B + Σ
/// C·(2 + J/T)) / (1 − U), with U of the tasks `above`.
pub fn long_horizon(set: &[Task], above: impl Fn(usize) -> bool) -> i64 {
    let h = hyperperiod(set);
    let higher = set.iter().enumerate().filter(|&(task, _)| above(task));
    let load: i64 = higher.map(|(_, task)| task.c * (h / task.t)).sum();
    let work: i64 = set.iter().map(|task| task.c * (2 + task.j / task.t)).sum();
    2 * h + work * h / (h - load)
}

/// A legal pattern of arrivals before `end`, chosen to collide. Distances are minimal or slightly longer. The jitter is zero,
/// maximal, up to a common release, or random. Jobs of a task are released in order, and some are shorter than C.
pub fn random_pattern(set: &[Task], rng: &mut impl rand::RngExt, end: i64) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (task, &Task { c, t, j, .. }) in set.iter().enumerate() {
        let start = rng.random_range(0..4);
        let mut arrival = match rng.random_range(0..3) {
            0 => start,
            1 => start - j,
            _ => rng.random_range(-j..=t),
        };
        let mut earliest = i64::MIN;
        let habit = rng.random_range(0..3);
        while arrival < end {
            let late = match (habit, rng.random_range(0..3)) {
                (0, _) => 0,
                (1, 0) => j,
                (1, _) => (start - arrival).clamp(0, j), // a common release
                _ => rng.random_range(0..=j),
            };
            earliest = earliest.max(arrival + late);
            jobs.push(Job {
                task,
                arrival,
                release: earliest,
                c: if rng.random_bool(0.9) {
                    c
                } else {
                    rng.random_range(1..=c)
                },
            });
            arrival += t;
            if rng.random_bool(0.1) {
                arrival += rng.random_range(0..=t / 2);
            }
        }
    }
    jobs
}
