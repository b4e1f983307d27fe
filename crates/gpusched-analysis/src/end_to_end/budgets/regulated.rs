//! Systems with memory bandwidth budgets, and their plain systems under given budgets.

use gpusched_model::end_to_end::{
    BudgetEvidence, BudgetedSegment, BudgetsDraft, CorePolicy, Draft, Environment, Group, Grouping,
    PartitionPolicy, Resource, System, burst,
};
use gpusched_model::error::Refusal;
use gpusched_model::time::Time;
use gpusched_model::wcet::MAX_SMS;
use gpusched_model::{Contention, Factor, interrupt};

use super::super::{answer, fixed_point};
use super::Budgeted;
use super::demand::{Demand, Progress, Times};

/// A system whose segments state their memory times.
pub(super) struct Regulated<'a> {
    draft: &'a Draft,
    budgets: &'a BudgetsDraft,
    environment: Environment,
    /// The system in isolation, without overheads of dispatchers. Kernels with profiles have placeholders as WCETs.
    pub isolated: System,
    pub demands: Vec<Vec<Demand>>,
}

impl<'a> Regulated<'a> {
    /// Checks the memory times of all segments.
    pub fn new(
        draft: &'a Draft,
        budgets: &'a BudgetsDraft,
        environment: Environment,
    ) -> Result<Regulated<'a>, Refusal> {
        if environment.memory.is_some() {
            let expected =
                "conflict or none with `budgets`, because no analysis counts budgets and a shared memory";
            return Refusal::refuse("interference", environment.interference, expected);
        }
        draft.check_budgets()?;
        let alone = Environment {
            overheads: None,
            ..environment
        };
        let isolated = System::new(&draft.with_wcets(&[]), alone)?;
        let tasks = draft.tasks.iter().enumerate();
        let demands = tasks.map(|(task, found)| {
            let segments = (0..found.segments.len()).map(|segment| {
                demand(draft, budgets, &isolated, (task, segment))
                    .map_err(|refusal| refusal.within(&format!("tasks[{task}].segments[{segment}]")))
            });
            segments.collect::<Result<Vec<Demand>, Refusal>>()
        });
        Ok(Regulated {
            draft,
            budgets,
            environment,
            demands: demands.collect::<Result<_, _>>()?,
            isolated,
        })
    }

    /// T: regulation period [ns].
    pub fn period(&self) -> u64 {
        self.budgets.regulation_period.ns()
    }

    /// Returns the memory time per regulation period of each segment under the stated budgets [ns].
    pub fn stated(&self) -> Result<Vec<Vec<u64>>, Refusal> {
        let grouping = self.budgets.grouping()?.unwrap_or_default();
        let groups = grouping.groups(&self.isolated);
        let bursts = groups.iter().map(|group| {
            let q = self.budgets.budget(&group.name)?;
            Ok(burst(q, self.budgets.regulation_period))
        });
        Ok(self.spread(&groups, &bursts.collect::<Result<Vec<u64>, Refusal>>()?))
    }

    /// Returns the memory time of each segment, from the memory times of the groups.
    pub fn spread(&self, groups: &[Group], bursts: &[u64]) -> Vec<Vec<u64>> {
        let mut all: Vec<Vec<u64>> = self.demands.iter().map(|task| vec![0; task.len()]).collect();
        for (group, &burst) in groups.iter().zip(bursts) {
            for &(task, segment) in &group.segments {
                all[task][segment] = burst;
            }
        }
        all
    }

    /// Returns the system with these budgets stated.
    pub fn with_budgets(&self, grouping: Grouping, groups: &[Group], bursts: &[u64]) -> Draft {
        Draft {
            budgets: Some(self.budgets.with_bursts(grouping, groups, bursts)),
            ..self.draft.clone()
        }
    }

    /// (7): the least solution under the memory times `bursts` of all segments [ns].
    ///
    /// The iteration starts with the WCETs in isolation of the segments that depend on the table. All values grow, so it ends.
    pub fn at(&self, bursts: &[Vec<u64>]) -> Result<Budgeted, Refusal> {
        let period = self.period();
        let mut windows: Vec<Vec<Option<u64>>> =
            self.demands.iter().map(|task| vec![None; task.len()]).collect();
        loop {
            interrupt::check();
            let times: Vec<Vec<_>> = { self.demands.iter().zip(bursts).zip(&windows) }
                .map(|((demands, bursts), windows)| {
                    let segments = demands.iter().zip(bursts).zip(windows);
                    segments
                        .map(|((demand, &burst), &window)| demand.under(burst, period, window))
                        .collect()
                })
                .collect();
            let system = System::new(&self.draft.with_wcets(&times), self.environment)?;
            let bounds = fixed_point::solve(&system, None, false).table();
            let mut settled = true;
            for (task, found) in system.tasks().iter().enumerate() {
                let stated = found.segments.iter().enumerate();
                let stated = stated.filter(|(_, segment)| !system.is_wake_up(segment.on));
                for (segment, (position, _)) in stated.enumerate() {
                    if self.demands[task][segment].progress != Progress::Window {
                        continue;
                    }
                    let window = bounds.end(task, position).map_or(u64::MAX, |end| {
                        end.ns().saturating_sub(found.earliest(position).ns())
                    });
                    windows[task][segment] = Some(window);
                    let next = self.demands[task][segment].under(bursts[task][segment], period, Some(window));
                    settled &= next == times[task][segment];
                }
            }
            if !settled {
                continue;
            }
            let segments = times
                .iter()
                .zip(bursts)
                .zip(&windows)
                .map(|((times, bursts), windows)| {
                    let segments = times.iter().zip(bursts).zip(windows);
                    segments
                        .map(|((times, &burst), window)| BudgetedSegment {
                            memory_time_ns: Time::from_ns(burst),
                            wcet_ns: times.wcet,
                            window_ns: window.filter(|&window| window != u64::MAX).map(Time::from_ns),
                        })
                        .collect()
                });
            let mut answer = answer(&system, bounds, None);
            answer.budgets = Some(BudgetEvidence {
                regulation_period_ns: self.budgets.regulation_period,
                segments: segments.collect(),
            });
            return Ok(Budgeted { system, answer });
        }
    }
}

/// Returns the demand of a segment. `isolated` is the system in isolation.
fn demand(
    draft: &Draft,
    budgets: &BudgetsDraft,
    isolated: &System,
    (task, segment): (usize, usize),
) -> Result<Demand, Refusal> {
    let stated = &draft.tasks[task].segments[segment];
    let found = &isolated.tasks()[task].segments[segment];
    let progress = progress(isolated, task, found.on);
    if let (Some(profile), Resource::Partition(partition)) = (&stated.profile, found.on) {
        let sms = isolated
            .partitions()
            .get(partition)
            .map_or(1, |partition| partition.sms);
        let kernel = profile.kernel(sms, budgets.regulation_period);
        let times = Times::Profile(kernel.map_err(|refusal| refusal.within("profile"))?);
        let demand = Demand { times, progress };
        let least = Time::from_ns(demand.isolated());
        if let Some(bcet) = stated.bcet.filter(|&bcet| bcet > least) {
            Refusal::refuse(
                "bcet",
                bcet,
                format!("at most {least}, the WCET of the profile in isolation"),
            )?;
        }
        return Ok(demand);
    }
    let ends = [
        (1, Contention::Conflict),
        (MAX_SMS, Contention::Isolated),
        (MAX_SMS, Contention::Conflict),
    ];
    if let Some(function) = &stated.wcet
        && ends
            .into_iter()
            .any(|(sms, contention)| function.at(sms, contention) != function.at(1, Contention::Isolated))
    {
        let refusal = Refusal::new(
            "wcet",
            "a function of the number of SMs or of the contention",
            "one time, because `e1` is one time",
        );
        return Err(refusal.hint("state `profile` instead of `wcet` and `e1`"));
    }
    let Some(contended) = draft.contended(stated) else {
        return Refusal::refuse(
            "e1",
            "no memory time",
            "the WCET while best-effort cores access memory all the time",
        );
    };
    if contended < found.wcet || contended > Time::LIMIT {
        let expected = format!(
            "at least {}, the WCET in isolation, and at most 2^63 - 1 ns",
            found.wcet
        );
        Refusal::refuse("e1", contended, expected)?;
    }
    let rate = stated.delay_rate.unwrap_or(Factor::ONE); // safe: memory accesses stop the segment
    let (numerator, denominator) = rate.ratio();
    let delay = u128::from(contended.ns() - found.wcet.ns());
    if u128::from(contended.ns()) * u128::from(numerator) < delay * u128::from(denominator) {
        let expected = format!(
            "at least ({contended} − {})/{contended}, the mean delay of an execution of {contended}",
            found.wcet
        );
        Refusal::refuse("delay_rate", rate, expected)?;
    }
    let times = Times::Measured {
        isolated: found.wcet.ns(),
        contended: contended.ns(),
        rate,
        block: found.block.ns(),
    };
    Ok(Demand { times, progress })
}

/// Returns how a segment of `task` on the resource `on` may be interrupted.
fn progress(system: &System, task: usize, on: Resource) -> Progress {
    match on {
        Resource::Engine(_) => Progress::Whole,
        Resource::Partition(partition) => {
            let policy = system
                .partitions()
                .get(partition)
                .map(|partition| partition.policy);
            use PartitionPolicy::{NpEdf, NpFifo, NpFp};
            match policy {
                Some(NpEdf | NpFifo | NpFp) if system.context(on).is_none() => Progress::Whole,
                _ => Progress::Divided,
            }
        }
        Resource::Core(core) => {
            let tasks = system.tasks();
            let (own, policy) = (&tasks[task], system.cores().get(core).map(|core| core.policy));
            let mut others = system.on(on).filter(|&(other, _)| other != task);
            let first = others
                .all(|(other, _)| policy == Some(CorePolicy::Fp) && tasks[other].priority > own.priority);
            match first && !own.is_pipelined() {
                true => Progress::Whole,
                false => Progress::Window,
            }
        }
    }
}
