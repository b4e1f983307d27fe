//! Partitions that share a memory. The test of each partition counts the memory traffic of all other partitions.
//!
//! Mutual dependence: the verdict of a partition assumes that the other partitions meet their
//! deadlines, and their verdicts assume that this partition meets its deadlines. The proof
//! is by contradiction. Suppose that there is a first missed deadline on the GPU. Until then, all partitions meet their
//! deadlines, so the test of the affected partition is valid and proves that there is no miss. If one partition fails
//! its test, the verdicts of all partitions are void.

use super::{Problem, Scale, Sharing};
use crate::interference::bandwidth::fair::Level;
use crate::interference::bandwidth::memory_time::DirtyLines;
use crate::interference::bandwidth::{Delay, Load, PortModel, Shared, Source};
use crate::schedulability::Demand;
use crate::schedulability::shared_memory::{self, Contended};
use gpusched_model::device::Place;
use gpusched_model::error::{Error, Refusal};
use gpusched_model::time::Time;
use gpusched_model::verdict::{Evidence, Verdict};
use gpusched_model::{Arbitration, MemoryTime, Policy, RateForm, Sectors, SharedMemory, Task};

/// Tasks of a partition (positions in the set), and its number of SMs.
type Part<'t> = (&'t [usize], u32);

/// Demand of one partition, and its memory traffic, which delays other partitions.
struct Prepared {
    demands: Result<Vec<Demand>, usize>,
    sources: Vec<Source>,
    load: Load,
}

/// Loads that delay one partition.
#[derive(Default)]
struct Beside {
    /// Memory traffic of other partitions.
    loads: Vec<Load>,
    /// Times for which other partitions occupy shared ports, unless `loads` contains these times.
    at_ports: Vec<Load>,
}

impl<'a> Problem<'a> {
    /// Returns the problem on a GPU whose partitions all share `memory`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for a policy without a proof ([`Policy::shares_memory`]), for a memory with a
    /// bandwidth of 0, and for memory slices with a bandwidth of 0. With memory times, also fails for a task without
    /// sectors, for a task beyond the camping limit, for an arbitration other than [`Arbitration::Any`], and for memory
    /// slices. If the device states ports, also fails for a task without `hold` or `accepting`.
    pub fn sharing(self, memory: SharedMemory) -> Result<Problem<'a>, Error> {
        if !self.policy().shares_memory() {
            return Err(unproven(self.policy()));
        }
        if memory.bandwidth.bytes_per_second() == 0 {
            return Err(Error::parameter("memory_bandwidth", 0, "a positive bandwidth"));
        }
        let mut shared = self;
        shared.memory = Some(memory);
        if let Some(time) = memory.time {
            if memory.arbitration != Arbitration::Any {
                let expected = "any, because the memory time holds for every arbiter";
                return Err(Error::parameter("arbitration", memory.arbitration, expected));
            }
            shared.check_sectors(time.form)?;
            shared.check_camping(time)?;
            shared.dirty = Some(DirtyLines::of(shared.tasks, shared.other_traffic, time));
            shared.variation = Scale::increase(time.variation_percent);
        }
        shared.check_slices()?;
        shared.check_hold()?;
        Ok(shared)
    }

    /// Checks that each task states how long its replies stay at ports, if memory times count this time. Without a value,
    /// every default would be optimistic. If any two partitions share a TPC, each task must also state its blocks.
    pub(super) fn check_hold(&self) -> Result<(), Error> {
        if self.memory.is_none_or(|memory| memory.time.is_none()) || !self.ports().counts_hold() {
            return Ok(());
        }
        let lacks = |known: fn(&Sectors) -> bool| {
            let known = move |task: &Task| task.sectors().as_ref().is_some_and(known);
            let mut tasks = self.tasks.iter().enumerate();
            tasks.find(|(_, task)| !known(task))
        };
        let device = self.offer.map_or("", |offer| offer.hardware().device.name());
        let refuse = |(index, task): (usize, &Task), field: &str, what: &str| {
            let named = task
                .name()
                .map_or(String::new(), |name| format!(" of task {name:?}"));
            let expected = format!("{what}{named}, because `{device}` states `ports`");
            let refusal = Refusal::new(format!("tasks[{index}].sectors.{field}"), "none", expected);
            let hint = "`gpusched simulate profile KERNEL --traffic` measures `hold` and `blocks`, and states `accepting`";
            Error::from(refusal.hint(hint))
        };
        if let Some(task) = lacks(|sectors| sectors.hold.is_some() || sectors.accepting) {
            let what = "the cycles for which replies of one job stay first at ports, or `\"accepting\":true`";
            return Err(refuse(task, "hold", what));
        }
        match lacks(|sectors| sectors.blocks.is_some()) {
            Some(task) if self.shared_by_any_two().tpc => {
                Err(refuse(task, "blocks", "the number of thread blocks of one job"))
            }
            _ => Ok(()),
        }
    }

    /// Checks that each task states its sectors, and its own rates if `form` requires them. A default would be optimistic.
    fn check_sectors(&self, form: RateForm) -> Result<(), Error> {
        let lacks = |task: &Task| task.sectors().is_none_or(|sectors| !sectors.suffice(form));
        let Some(index) = self.tasks.iter().position(lacks) else {
            return Ok(());
        };
        let named = self.tasks.get(index).and_then(|task| task.name());
        let named = named.map_or(String::new(), |name| format!(" of task {name:?}"));
        let expected = format!(
            "the L2 sectors{named} that one whole job reads and writes, such as {{\"reads\":4096,\"writes\":1024}}"
        );
        if self.tasks.get(index).is_some_and(|task| task.sectors().is_some()) {
            let expected =
                format!("the rates{named} in isolation, such as {{\"l2\":\"200GB/s\",\"dram\":\"50GB/s\"}}");
            let refusal = Refusal::new(format!("tasks[{index}].sectors.drain"), "none", expected);
            return Err(refusal.with("memory_time", form).into());
        }
        let refusal = Refusal::new(format!("tasks[{index}].sectors"), "none", expected);
        Err(refusal
            .hint(
                "count the sectors of a cold run with a profiler or a simulator, and add the field `sectors`",
            )
            .into())
    }

    /// Checks that no task exceeds the camping limit.
    fn check_camping(&self, time: MemoryTime) -> Result<(), Error> {
        let Some(limit) = time.camping_limit else {
            return Ok(());
        };
        let most = 100 * u64::from(limit.get());
        let factor = |task: &Task| task.sectors().and_then(|sectors| sectors.camping_percent);
        let exceeds = |task: &Task| factor(task).is_none_or(|percent| percent > most);
        let Some((index, task)) = self.tasks.iter().enumerate().find(|(_, task)| exceeds(task)) else {
            return Ok(());
        };
        let found = factor(task).map_or("none".to_owned(), |percent| percent.to_string());
        let named = task
            .name()
            .map_or(String::new(), |name| format!(" of task {name:?}"));
        let expected = format!("the camping factor{named} in percent, at most {most}");
        let refusal = Refusal::new(format!("tasks[{index}].sectors.camping_percent"), found, expected);
        Err(refusal.with("camping_limit", limit).into())
    }

    /// Returns the memory that the partitions share, or `None` if memory traffic does not count.
    pub fn memory(&self) -> Option<SharedMemory> {
        self.memory
    }

    /// Returns the verdicts of `parts`, which run concurrently, without their places. The verdicts count only the ports that
    /// partitions share at all places, so each verdict is only necessary for a verdict of [`Problem::verdicts_at`]. The
    /// evidence names a task by its position in the whole set.
    pub fn verdicts(&self, parts: &[(&[usize], u32)]) -> Vec<Verdict> {
        let sharing = self.sharing_at(&vec![None; parts.len()]);
        self.verdicts_scaled(parts, &sharing, |_, demand| demand)
    }

    /// Returns the verdicts of partitions with their tasks (positions in the set), their numbers of SMs and their places,
    /// which run concurrently. The verdicts count the ports that these places share.
    pub fn verdicts_at(&self, parts: &[(&[usize], u32, Option<&Place>)]) -> Vec<Verdict> {
        let places: Vec<Option<&Place>> = parts.iter().map(|&(_, _, place)| place).collect();
        let parts: Vec<Part<'_>> = parts.iter().map(|&(tasks, sms, _)| (tasks, sms)).collect();
        self.verdicts_scaled(&parts, &self.sharing_at(&places), |_, demand| demand)
    }

    /// Returns the verdicts of `parts`, which share the ports `sharing`. `scale` first changes the demands: it receives the
    /// position of a task in the set, and its demand.
    pub(crate) fn verdicts_scaled(
        &self,
        parts: &[Part<'_>],
        sharing: &Sharing,
        scale: impl Fn(usize, Demand) -> Demand,
    ) -> Vec<Verdict> {
        if self.memory.is_none() {
            let alone = parts.iter().map(|&(tasks, sms)| {
                let demands = self.demands_scaled(tasks, sms, &scale);
                self.verdict_of(tasks, sms, demands.as_deref())
            });
            return alone.collect();
        }
        let prepared: Vec<Prepared> = parts.iter().map(|&part| self.prepared(part, &scale)).collect();
        let numbered = parts.iter().zip(&prepared).enumerate();
        let (ports, by_any_two) = (self.ports(), self.shared_by_any_two());
        numbered
            .map(|(index, (&part, own))| {
                let others = prepared.iter().zip(parts).enumerate();
                let others = others.filter(|&(other, _)| other != index && !self.has_slices());
                let mut beside = Beside::default();
                for (other, (prepared, &(tasks, _))) in others {
                    let shared = ports.counted(sharing.between(index, other));
                    // The load of memory times contains the ports that any two partitions share.
                    let known = shared == by_any_two;
                    self.add_load(&mut beside, (tasks, prepared), (&ports, shared), known);
                }
                self.verdict_among(part, own, beside)
            })
            .collect()
    }

    /// Adds the load of another partition with `tasks`, which shares the ports `shared`. `known` states whether the memory
    /// times in `prepared` already count these ports.
    fn add_load(
        &self,
        beside: &mut Beside,
        (tasks, prepared): (&[usize], &Prepared),
        (ports, shared): (&PortModel, Shared),
        known: bool,
    ) {
        let tasks = tasks.iter().filter_map(|&task| self.tasks.get(task));
        match self.memory.and_then(|memory| memory.time) {
            Some(time) if !known => {
                let sources = tasks.map(|task| Source::of_task_time(task, time, ports, shared));
                beside.loads.push(Load::new(sources));
            }
            Some(_) => beside.loads.push(prepared.load.clone()),
            None => {
                beside.loads.push(prepared.load.clone());
                if !shared.is_none() {
                    let sources = tasks.map(|task| Source::of_task_at_ports(task, ports, shared));
                    beside.at_ports.push(Load::new(sources));
                }
            }
        }
    }

    /// Whether `tasks` on `sms` SMs pass their test beside the memory traffic `others` of other partitions. Returns `None`
    /// if the test is inconclusive.
    pub(crate) fn passes_beside<'l>(
        &self,
        tasks: &[usize],
        sms: u32,
        others: impl Iterator<Item = &'l Load>,
    ) -> Option<bool> {
        let own = self.prepared((tasks, sms), |_, demand| demand);
        let beside = Beside {
            loads: others.cloned().collect(),
            at_ports: Vec::new(),
        };
        self.among(sms, &own, beside, shared_memory::answer)
            .unwrap_or(Some(false))
    }

    fn prepared(&self, (tasks, sms): Part<'_>, scale: impl Fn(usize, Demand) -> Demand) -> Prepared {
        let demands = self.demands_scaled(tasks, sms, scale);
        let sources = self.sources(tasks, sms, demands.as_deref().ok());
        Prepared {
            load: Load::new(sources.iter().copied()),
            demands,
            sources,
        }
    }

    fn verdict_among(&self, (tasks, sms): Part<'_>, own: &Prepared, beside: Beside) -> Verdict {
        let verdict = self.among(sms, own, beside, shared_memory::test);
        match verdict {
            Some(verdict) => Verdict {
                evidence: verdict.evidence.of_tasks(tasks),
                ..verdict
            },
            None => self.verdict_of(tasks, sms, own.demands.as_deref()),
        }
    }

    /// Runs `test` for a partition of `sms` SMs beside `beside` and the traffic that does not come from tasks. Returns
    /// `None` if a WCET is unknown, or if memory traffic does not count.
    fn among<T>(
        &self,
        sms: u32,
        own: &Prepared,
        beside: Beside,
        test: fn(Policy, &Contended<'_>, u32) -> T,
    ) -> Option<T> {
        let (Ok(demands), Some(memory)) = (&own.demands, self.memory_at(sms)) else {
            return None;
        };
        let Beside { loads, at_ports } = beside;
        let others: Vec<Load> = loads.into_iter().chain(self.other_loads(memory)).collect();
        let delay = Delay::new(memory.bandwidth, others.iter().cloned()).with_ports(at_ports);
        // The guaranteed bandwidth of the memory guarantees no bandwidth at shared ports.
        let slowest = match delay.counts_ports() {
            true => None,
            false => slowest(memory, demands, &own.sources, &others),
        };
        let contended = Contended {
            demands,
            slowest: slowest.as_deref(),
            delay: &delay,
        };
        Some(test(self.policy(), &contended, sms))
    }

    fn demands_scaled(
        &self,
        tasks: &[usize],
        sms: u32,
        scale: impl Fn(usize, Demand) -> Demand,
    ) -> Result<Vec<Demand>, usize> {
        let demands = self.demands(tasks, sms)?;
        Ok(tasks
            .iter()
            .zip(demands)
            .map(|(&task, demand)| scale(task, demand))
            .collect())
    }

    fn verdict_of(&self, tasks: &[usize], sms: u32, demands: Result<&[Demand], &usize>) -> Verdict {
        let evidence = match demands {
            Ok(demands) => crate::schedulability::evidence(self.policy(), demands, sms).of_tasks(tasks),
            Err(&task) => Evidence::WcetUnknown { task },
        };
        self.verdict_with(evidence)
    }

    /// Returns the memory traffic of each of `tasks` on `sms` SMs. The list is empty if memory traffic does not count.
    pub(crate) fn sources(&self, tasks: &[usize], sms: u32, demands: Option<&[Demand]>) -> Vec<Source> {
        let Some(memory) = self.memory_at(sms) else {
            return Vec::new();
        };
        let wcet = |position: usize| -> Option<Time> { Some(demands?.get(position)?.wcet) };
        let (ports, shared) = (self.ports(), self.shared_by_any_two());
        let numbered = tasks.iter().enumerate();
        numbered
            .map(|(position, &task)| {
                let task = &self.tasks()[task];
                match memory.time {
                    None => Source::of_task(task, sms, wcet(position), memory.bandwidth),
                    Some(time) => Source::of_task_time(task, time, &ports, shared),
                }
            })
            .collect()
    }

    /// Returns the memory traffic that does not come from tasks, as one load per source.
    pub(crate) fn other_loads(&self, memory: SharedMemory) -> impl Iterator<Item = Load> {
        let sources = self.other_traffic.iter();
        sources.map(move |other| {
            Load::new([match memory.time {
                None => Source::of_other(other, memory.bandwidth),
                Some(time) => Source::of_other_time(other, time),
            }])
        })
    }
}

/// Returns the demands with the WCETs at the guaranteed bandwidth. The memory guarantees this bandwidth despite the
/// traffic of `others`. Returns `None` if the memory guarantees no bandwidth.
fn slowest(
    memory: SharedMemory,
    demands: &[Demand],
    sources: &[Source],
    others: &[Load],
) -> Option<Vec<Demand>> {
    if memory.time.is_some() {
        return None; // memory times guarantee no bandwidth
    }
    let peaks: Vec<u128> = others.iter().map(Load::peak).filter(|&peak| peak > 0).collect();
    let level = match memory.arbitration {
        Arbitration::Any => Level::left(memory.bandwidth, &peaks)?,
        Arbitration::MaxMin => Level::beside(memory.bandwidth, peaks),
    };
    debug_assert_eq!(demands.len(), sources.len(), "one source per task");
    let stretched = demands.iter().zip(sources).map(|(demand, source)| {
        let wcet = level.stretch(demand.wcet, source.rate())?;
        let block = match demand.block == demand.wcet {
            true => wcet,
            false => demand.block,
        };
        Some(Demand {
            wcet,
            block,
            ..*demand
        })
    });
    stretched.collect()
}

/// Returns the error for a `policy` that has no proof.
fn unproven(policy: Policy) -> Error {
    let expected = "edf, np-edf, or fixed priorities without preemption at thread-block boundaries, \
                    because no other policy has a schedulability test for partitions that share a memory";
    Error::parameter("policy", policy, expected)
}
