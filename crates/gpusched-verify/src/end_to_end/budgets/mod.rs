//! WCETs under memory bandwidth budgets: equations 1 to 6 of `docs/explanation/budgets-end-to-end.md`, with separate code.
//!
//! Each WCET G must equal the right side of its equation, for the windows of the stated table. Then the table is a table of
//! the system whose WCETs are G.
//!
//! * `demand`: G of one segment;
//! * `chosen`: results of `budget nominal --deadlines`.

mod chosen;
mod demand;

use gpusched_model::end_to_end::{
    Answer, BudgetEvidence, CorePolicy, Draft, Environment, Grouping, PartitionPolicy, Resource,
    SegmentDraft, SegmentTimes, System,
};
use gpusched_model::time::Time;
use gpusched_model::wcet::MAX_SMS;
use gpusched_model::{Contention, Factor, Refusal};

use super::compare::same_length;
use crate::fault::Fault;
pub use chosen::verify_chosen;
use demand::{Exposed, ns, of_kernel, periods};

/// A system whose WCETs are the WCETs under budgets in a result.
pub(super) struct Stated<'a> {
    draft: &'a Draft,
    found: &'a BudgetEvidence,
    /// The system without budgets and overheads of dispatchers, with its WCETs in isolation.
    alone: System,
    /// The system with the WCETs under budgets.
    pub system: System,
    /// b of each segment [ns].
    bursts: Vec<Vec<u64>>,
}

impl<'a> Stated<'a> {
    /// Reads the WCETs under budgets in `answer`. `draft` has budgets.
    ///
    /// # Errors
    /// Fails if the lists in `answer` do not fit the system, or if a budget or a WCET is invalid.
    pub fn new(answer: &'a Answer, draft: &'a Draft, environment: Environment) -> Result<Stated<'a>, Fault> {
        let missing = || {
            Fault::new(
                "budgets",
                "found none, expected the WCETs under the budgets of the system",
            )
        };
        let found = answer.budgets.as_ref().ok_or_else(missing)?;
        let budgets = draft.budgets.as_ref().ok_or_else(|| {
            Fault::new(
                "budgets",
                "found budgets, expected none, because the system has no budgets",
            )
        })?;
        if found.regulation_period_ns != budgets.regulation_period {
            let message = format!(
                "found {} ns, expected {} ns",
                found.regulation_period_ns.ns(),
                budgets.regulation_period.ns()
            );
            return Err(Fault::new("budgets.regulation_period_ns", message));
        }
        let without = Environment {
            overheads: None,
            ..environment
        };
        if environment.memory.is_some() {
            let message =
                "found budgets and a shared memory, expected one of them, because no analysis counts both";
            return Err(Fault::new("budgets", message));
        }
        draft.check_budgets().map_err(fault)?;
        let alone = System::new(&draft.with_wcets(&[]), without).map_err(fault)?;
        same_length(
            "budgets.segments",
            found.segments.len(),
            draft.tasks.len(),
            "task",
        )?;
        for (index, (found, task)) in found.segments.iter().zip(&draft.tasks).enumerate() {
            let field = format!("budgets.segments[{index}]");
            same_length(&field, found.len(), task.segments.len(), "segment")?;
        }
        let bursts = bursts(draft, &alone)?;
        check_times(draft, &alone)?;
        let mut stated = Stated {
            draft,
            found,
            system: alone.clone(),
            alone,
            bursts,
        };
        let times: Vec<Vec<SegmentTimes>> = (0..draft.tasks.len())
            .map(|task| {
                (0..draft.tasks[task].segments.len())
                    .map(|segment| stated.times(task, segment))
                    .collect()
            })
            .collect();
        stated.system = System::new(&draft.with_wcets(&times), environment).map_err(fault)?;
        Ok(stated)
    }

    /// Checks b, ω and G of each segment. `answer` has the table of bounds.
    pub fn check(&self, answer: &Answer) -> Result<(), Fault> {
        for (task, segments) in self.found.segments.iter().enumerate() {
            for (segment, found) in segments.iter().enumerate() {
                let field = |name: &str| format!("budgets.segments[{task}][{segment}].{name}");
                let burst = self.bursts[task][segment];
                same(
                    field("memory_time_ns"),
                    Some(found.memory_time_ns),
                    Some(Time::from_ns(burst)),
                )?;
                let window = self.window(answer, (task, segment));
                same(field("window_ns"), found.window_ns, window)?;
                let expected = self
                    .wcet((task, segment), window)
                    .map_err(|fault| fault.inside(&field("wcet_ns")))?;
                same(field("wcet_ns"), Some(found.wcet_ns), Some(expected))?;
            }
        }
        Ok(())
    }

    fn segment(&self, (task, segment): (usize, usize)) -> &SegmentDraft {
        &self.draft.tasks[task].segments[segment]
    }

    /// e⁰ and e¹ of a segment without a profile.
    fn extremes(&self, place: (usize, usize)) -> (u64, u64) {
        let alone = self.alone.tasks()[place.0].segments[place.1].wcet.ns();
        let contended = self.draft.contended(self.segment(place)).map_or(alone, Time::ns);
        (alone, contended)
    }

    /// Returns the stated WCET of a segment, and the longest thread block that follows from it.
    fn times(&self, task: usize, position: usize) -> SegmentTimes {
        let wcet = self.found.segments[task][position].wcet_ns;
        let (segment, burst) = (self.segment((task, position)), self.bursts[task][position]);
        let block = match &segment.profile {
            Some(profile) if self.preempts((task, position)) => {
                let longest = profile.clusters.iter().map(|cluster| match burst {
                    0 => cluster.isolated(),
                    _ => cluster.contended(),
                });
                longest.max().map(|longest| longest.min(wcet))
            }
            Some(_) => None,
            // e⁰ and e¹ of the kernel do not bound the delay of one block.
            None => segment.block.filter(|_| burst == 0).map(|block| wcet.min(block)),
        };
        SegmentTimes { wcet, block }
    }

    /// Whether the segment is a kernel on a partition with preemption, or in a context.
    fn preempts(&self, (task, segment): (usize, usize)) -> bool {
        let on = self.alone.tasks()[task].segments[segment].on;
        let Resource::Partition(partition) = on else {
            return false;
        };
        let policy = self.alone.partitions()[partition].policy;
        let never = matches!(
            policy,
            PartitionPolicy::NpFifo | PartitionPolicy::NpFp | PartitionPolicy::NpEdf
        );
        !never || self.alone.context(on).is_some()
    }

    /// Whether a segment on a core may be preempted. It is not, if its task is sequential and either has the core for itself, or
    /// has a higher priority than all other tasks with a segment on the core.
    fn may_be_preempted(&self, (task, segment): (usize, usize)) -> bool {
        let on = self.alone.tasks()[task].segments[segment].on;
        let Resource::Core(core) = on else {
            return false;
        };
        let own = &self.alone.tasks()[task];
        let mut others = self.alone.tasks().iter().enumerate();
        let uses = |other: &&(usize, &gpusched_model::end_to_end::Task)| {
            other.0 != task && other.1.segments.iter().any(|segment| segment.on == on)
        };
        let fixed = self.alone.cores()[core].policy == CorePolicy::Fp;
        let preempted = others.any(|other| uses(&&other) && !(fixed && own.priority < other.1.priority));
        own.is_pipelined() || preempted
    }

    /// Returns ω of equation 4: the time from the earliest start of the segment to its end. `None` for other equations, and
    /// without a bound.
    fn window(&self, answer: &Answer, place: (usize, usize)) -> Option<Time> {
        if !self.may_be_preempted(place) {
            return None;
        }
        let task = &self.system.tasks()[place.0];
        // Wake-ups of dispatchers are further segments of the table.
        let mut segments =
            (0..task.segments.len()).filter(|&at| !self.system.is_wake_up(task.segments[at].on));
        let at = segments.nth(place.1)?;
        let end = answer.evidence.bounds.end(place.0, at)?.ns();
        Some(Time::from_ns(end.saturating_sub(task.earliest(at).ns())))
    }

    /// Returns G of the segment at `place`, with the window of [`Stated::window`].
    fn wcet(&self, place: (usize, usize), window: Option<Time>) -> Result<Time, Fault> {
        let (burst, segment) = (self.bursts[place.0][place.1], self.segment(place));
        let period = self.found.regulation_period_ns;
        if let Some(profile) = &segment.profile {
            let on = self.alone.tasks()[place.0].segments[place.1].on;
            let Resource::Partition(partition) = on else {
                return Err(Fault::new(
                    "",
                    "found a profile, expected a kernel on a partition",
                ));
            };
            let kernel = profile
                .kernel(self.alone.partitions()[partition].sms, period)
                .map_err(fault)?;
            let stated = self.found.segments[place.0][place.1].wcet_ns;
            return Ok(Time::from_ns(of_kernel(
                &kernel,
                burst,
                self.preempts(place),
                stated.ns(),
            )));
        }
        let (alone, contended) = self.extremes(place);
        let exposed = Exposed {
            alone,
            delay: contended.saturating_sub(alone),
            burst,
            period: period.ns(),
            rate: segment.delay_rate.unwrap_or(Factor::ONE),
        };
        let wcet = match (self.preempts(place), self.may_be_preempted(place), window) {
            // Without memory time, nothing delays the segment.
            _ if burst == 0 => alone,
            (true, _, _) => contended,
            (false, true, Some(window)) => exposed.within(periods(window.ns(), period.ns())),
            (false, true, None) => contended,
            (false, false, _) => exposed.uninterrupted(),
        };
        Ok(Time::from_ns(wcet))
    }
}

/// Checks e⁰, e¹, σ and the BCET of each segment: e¹ ≥ e⁰, σ·e¹ ≥ e¹ − e⁰, one time as WCET, and a BCET of at most e⁰.
fn check_times(draft: &Draft, alone: &System) -> Result<(), Fault> {
    for (index, (task, found)) in draft.tasks.iter().zip(alone.tasks()).enumerate() {
        for (position, (segment, plain)) in task.segments.iter().zip(&found.segments).enumerate() {
            let field = |name: &str| format!("tasks[{index}].segments[{position}].{name}");
            if let Some(profile) = &segment.profile {
                let Resource::Partition(partition) = plain.on else {
                    return Err(Fault::new(
                        field("profile"),
                        "found a profile, expected a kernel on a partition",
                    ));
                };
                let sms = alone.partitions()[partition].sms;
                let kernel = profile.kernel(sms, Time::from_ns(1)).map_err(fault)?;
                let least = of_kernel(&kernel, 0, false, 0);
                if segment.bcet.is_some_and(|bcet| bcet.ns() > least) {
                    let message = format!("found more than {least} ns, the WCET in isolation");
                    return Err(Fault::new(field("bcet"), message));
                }
                continue;
            }
            let one = |sms, contention| segment.wcet.as_ref().map(|wcet| wcet.at(sms, contention));
            let (first, last) = (one(1, Contention::Isolated), one(MAX_SMS, Contention::Isolated));
            if first != last
                || first != one(1, Contention::Conflict)
                || first != one(MAX_SMS, Contention::Conflict)
            {
                return Err(Fault::new(
                    field("wcet"),
                    "found a function, expected one time, because `e1` is one time",
                ));
            }
            let alone = plain.wcet.ns();
            let contended = draft.contended(segment).map_or(alone, Time::ns);
            if contended < alone {
                let message =
                    format!("found {contended} ns, expected at least {alone} ns, the WCET in isolation");
                return Err(Fault::new(field("e1"), message));
            }
            let (numerator, denominator) = segment.delay_rate.unwrap_or(Factor::ONE).ratio();
            let delay = u128::from(contended - alone) * u128::from(denominator);
            if u128::from(contended) * u128::from(numerator) < delay {
                return Err(Fault::new(
                    field("delay_rate"),
                    "found a rate that contradicts `e1`, expected a larger rate",
                ));
            }
        }
    }
    Ok(())
}

/// Returns b = ⌈Q·T⌉ of each segment.
fn bursts(draft: &Draft, alone: &System) -> Result<Vec<Vec<u64>>, Fault> {
    let Some(budgets) = &draft.budgets else {
        return Ok(Vec::new());
    };
    let grouping = budgets.grouping().map_err(fault)?;
    let of = |name: &str| -> Result<u64, Fault> {
        let (numerator, denominator) = budgets.budget(name).map_err(fault)?.ratio();
        let period = u128::from(budgets.regulation_period.ns());
        Ok(ns(
            (period * u128::from(numerator)).div_ceil(u128::from(denominator))
        ))
    };
    let tasks = alone.tasks().iter().map(|task| {
        let segments = task.segments.iter().map(|segment| match (grouping, segment.on) {
            (Some(Grouping::Task), _) => of(&task.name),
            (Some(Grouping::Kind), Resource::Core(_)) => of("cpu"),
            (Some(Grouping::Kind), Resource::Engine(_)) => of("copy"),
            (Some(Grouping::Kind), Resource::Partition(_)) => of("kernel"),
            (Some(Grouping::All) | None, _) => of("all"),
        });
        segments.collect()
    });
    tasks.collect()
}

fn same(field: String, found: Option<Time>, expected: Option<Time>) -> Result<(), Fault> {
    if found == expected {
        return Ok(());
    }
    let shown = |time: Option<Time>| time.map_or("null".to_owned(), |time| format!("{} ns", time.ns()));
    let message = format!("found {}, expected {}", shown(found), shown(expected));
    Err(Fault::new(field, message))
}

fn fault(refusal: Refusal) -> Fault {
    Fault::new(refusal.field().to_owned(), refusal.message())
}
