//! Random end-to-end systems: tasks on CPU cores with kernels on a GPU.
//!
//! The parameters and their default values are from Table 3 of Wang et al., "GCAPS: GPU Context-Aware Preemptive
//! Priority-Based Scheduling for Real-Time Tasks" (ECRTS 2024). The paper does not state `bcet` and `memory_share`. The
//! value of `bcet` is from the script of the authors, and the value of `memory_share` is an assumption of gpusched.
//! [`SystemSource::draw`] generates a system in these steps:
//!
//! 1. Each core gets a random number of tasks. UUniFast divides the utilization of the core among its tasks.
//! 2. Each task gets a period of whole milliseconds. The execution time of a job is E = u·T.
//! 3. Some randomly selected tasks use the GPU. A task with the ratio ρ has the CPU time E/(1 + ρ). The remaining time
//!    is GPU time, which UUniFast divides among the kernels of the task. UUniFast divides the CPU time among the CPU
//!    segments before, between and after the kernels.
//! 4. A random share of the GPU time of each kernel is transfer time. Half of this time is before the kernel, and half
//!    after it.
//! 5. Priorities are rate-monotonic and distinct. Deadlines are equal to the periods.
//!
//! A [`SystemDraw`] contains the numbers of one system. [`SystemDraw::draft`] builds the system for a [`Configuration`],
//! so all configurations use the same numbers. All numbers of a system depend only on the seed, the point and the set.

use gpusched_model::Kind;
use gpusched_model::WcetFunction;
use gpusched_model::end_to_end::{
    Arrivals, CopyEngine, Core, CorePolicy, Draft, EnginePolicy, Jobs, PartitionDraft, PartitionPolicy,
    SegmentDraft, TaskDraft, Wait,
};
use gpusched_model::error::{Error, Refusal};
use gpusched_model::streams::{Purpose, below, stream, unit};
use gpusched_model::time::Time;
use gpusched_model::wcet::{Form, WcetError};
use rand::Rng;
use serde::{Deserialize, Serialize};

use super::recipe::WcetModel;
use super::uunifast;

/// Nanoseconds in a millisecond.
const MILLISECOND: u64 = 1_000_000;

/// Parameters of generated end-to-end systems. A pair of numbers is a range that includes both numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct SystemRecipe {
    /// Number of CPU cores of a system.
    pub cores: usize,
    /// Number of tasks on a core.
    pub tasks: (usize, usize),
    /// Periods of the tasks, in whole milliseconds.
    pub periods_ms: (u64, u64),
    /// Probability that a task uses the GPU.
    pub gpu_share: f64,
    /// Number of kernels of a task that uses the GPU.
    pub kernels: (usize, usize),
    /// ρ: GPU time divided by CPU time, for a task that uses the GPU.
    pub gpu_ratio: (f64, f64),
    /// Transfer time divided by GPU time.
    pub transfer_share: (f64, f64),
    /// BCET divided by WCET. All segments of a task have the same quotient. The BCET of a kernel is its BCET on all
    /// SMs.
    pub bcet: (f64, f64),
    /// Probability that a kernel is memory-intensive.
    pub memory_share: f64,
}

impl Default for SystemRecipe {
    fn default() -> SystemRecipe {
        SystemRecipe {
            cores: 4,
            tasks: (3, 6),
            periods_ms: (30, 500),
            gpu_share: 0.5,
            kernels: (1, 3),
            gpu_ratio: (0.2, 2.0),
            transfer_share: (0.1, 0.3),
            bcet: (0.5, 1.0),
            memory_share: 0.5,
        }
    }
}

impl SystemRecipe {
    /// Checks each field.
    ///
    /// # Errors
    /// Returns the [`Refusal`] of the first invalid field.
    pub fn check(&self) -> Result<(), Refusal> {
        let counts = [
            ("cores", (self.cores, self.cores), 256),
            ("tasks", self.tasks, 1000),
            ("kernels", self.kernels, 100),
        ];
        for (field, (low, high), most) in counts {
            if low == 0 || low > high || high > most {
                let expected = format!("numbers from 1 to {most}, the lower number first");
                return Refusal::refuse(field, format!("{low} to {high}"), expected);
            }
        }
        let (low, high) = self.periods_ms;
        if low == 0 || low > high || high > 1_000_000 {
            let expected = "milliseconds from 1 to 1000000, the lower number first";
            return Refusal::refuse("periods_ms", format!("{low} to {high}"), expected);
        }
        let shares = [
            ("gpu_share", (self.gpu_share, self.gpu_share), 1.0),
            ("memory_share", (self.memory_share, self.memory_share), 1.0),
            ("gpu_ratio", self.gpu_ratio, 1000.0),
            ("transfer_share", self.transfer_share, 1.0),
            ("bcet", self.bcet, 1.0),
        ];
        for (field, (low, high), most) in shares {
            if !(low >= 0.0 && low <= high && high <= most) {
                let expected = format!("numbers from 0 to {most}, the lower number first");
                return Refusal::refuse(field, format!("{low:?} to {high:?}"), expected);
            }
        }
        Ok(())
    }
}

/// Generator of end-to-end systems for one point of an experiment.
#[derive(Clone, Debug)]
pub struct SystemSource {
    recipe: SystemRecipe,
    utilization: f64,
    seed: u64,
}

/// The numbers of one generated system.
#[derive(Clone, PartialEq, Debug)]
pub struct SystemDraw {
    name: String,
    cores: usize,
    /// Tasks in the order of their priorities.
    tasks: Vec<TaskDraw>,
}

/// The numbers of one task. All times are in nanoseconds.
#[derive(Clone, PartialEq, Debug)]
struct TaskDraw {
    core: usize,
    period: u64,
    bcet: f64,
    /// CPU times: one more than the number of kernels.
    cpu: Vec<u64>,
    kernels: Vec<KernelDraw>,
}

/// The numbers of one kernel [ns].
#[derive(Copy, Clone, PartialEq, Debug)]
struct KernelDraw {
    kind: Kind,
    /// Isolated execution time on all SMs.
    time: u64,
    /// Time of the transfers before and after the kernel.
    transfers: [u64; 2],
}

/// How a generated system is built and scheduled.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Configuration {
    /// What the tasks do while they wait for a transfer or a kernel.
    pub wait: Wait,
    /// Scheduling rule of the copy engine. Without an engine, the transfers are CPU time of the task.
    pub copy_engine: Option<EnginePolicy>,
    /// Scheduling rule of the partition.
    pub policy: PartitionPolicy,
    /// Number of SMs of the GPU.
    pub sms: u32,
    /// Form of the WCET functions. Without a form, the kernels have constant times.
    pub wcet: Option<WcetModel>,
    /// Overhead that gpusched adds to the execution time of each kernel with a constant time [ns].
    pub overhead: Time,
    /// Longest time for which a kernel waits before it starts, besides the kernels of other tasks [ns]. The wait is a segment of 0 to
    /// this time on an own copy engine of the task.
    pub blocking: Time,
}

impl SystemSource {
    /// Creates a source of systems where every core has the utilization `utilization`. The utilization counts CPU time
    /// and GPU time.
    ///
    /// # Errors
    /// Returns the [`Refusal`] of the first invalid parameter.
    pub fn new(recipe: &SystemRecipe, utilization: f64, seed: u64) -> Result<SystemSource, Refusal> {
        recipe.check()?;
        if !(utilization > 0.0 && utilization <= 100.0) {
            return Refusal::refuse(
                "utilization",
                format!("{utilization:?}"),
                "a number above 0, at most 100",
            );
        }
        Ok(SystemSource {
            recipe: recipe.clone(),
            utilization,
            seed,
        })
    }

    /// Draws system `set` of point `point`.
    pub fn draw(&self, point: u64, set: u64) -> SystemDraw {
        let recipe = &self.recipe;
        let rng = &mut stream(self.seed, Purpose::SystemSets, point, set);
        let mut tasks = Vec::new();
        for core in 0..recipe.cores {
            let mut shares = vec![0.0; integer(rng, recipe.tasks)];
            uunifast::fill(rng, self.utilization, &mut shares);
            for share in shares {
                let (low, high) = recipe.periods_ms;
                let span = usize::try_from(high - low).unwrap_or(0); // at most a million
                let period = (low + below(rng, span + 1) as u64) * MILLISECOND;
                tasks.push(self.task(rng, (core, period), share * period as f64));
            }
        }
        tasks.sort_by_key(|task| task.period); // stable: the task on the lower core first
        SystemDraw {
            name: format!("p{point}-s{set}"),
            cores: recipe.cores,
            tasks,
        }
    }

    /// Draws a task with the execution time `time` [ns].
    fn task(&self, rng: &mut impl Rng, (core, period): (usize, u64), time: f64) -> TaskDraw {
        let recipe = &self.recipe;
        let uses_gpu = unit(rng) <= recipe.gpu_share;
        let ratio = real(rng, recipe.gpu_ratio);
        let bcet = real(rng, recipe.bcet);
        let count = integer(rng, recipe.kernels);
        if !uses_gpu {
            return TaskDraw {
                core,
                period,
                bcet,
                cpu: vec![whole(time)],
                kernels: Vec::new(),
            };
        }
        let cpu = time / (1.0 + ratio);
        let (mut gpu_parts, mut cpu_parts) = (vec![0.0; count], vec![0.0; count + 1]);
        uunifast::fill(rng, time - cpu, &mut gpu_parts);
        uunifast::fill(rng, cpu, &mut cpu_parts);
        let kernels = gpu_parts.into_iter().map(|part| {
            let transfers = part * real(rng, recipe.transfer_share);
            let kind = match unit(rng) <= recipe.memory_share {
                true => Kind::Memory,
                false => Kind::Compute,
            };
            KernelDraw {
                kind,
                time: whole(part - transfers),
                transfers: [whole(transfers / 2.0); 2],
            }
        });
        let kernels = kernels.collect();
        TaskDraw {
            core,
            period,
            bcet,
            cpu: cpu_parts.into_iter().map(whole).collect(),
            kernels,
        }
    }
}

impl SystemDraw {
    /// Builds the system for `configuration`, with one partition of all SMs.
    ///
    /// # Errors
    /// Fails if a WCET exceeds the largest valid time.
    pub fn draft(&self, configuration: &Configuration) -> Result<Draft, Error> {
        let own = |index: usize| format!("update{index}");
        let tasks = self.tasks.iter().enumerate().map(|(index, task)| {
            let segments = task.segments(configuration, &own(index));
            let segments =
                segments.map_err(|error| Refusal::told(format!("generated system {}", self.name), error))?;
            Ok(TaskDraft {
                name: format!("task{index}"),
                period: Time::from_ns(task.period),
                deadline: None,
                jitter: None,
                arrivals: Arrivals::Periodic,
                max_interarrival: None,
                phase: None,
                priority: u32::try_from(index).ok(),
                gpu_priority: None,
                wait: (!task.kernels.is_empty()).then_some(configuration.wait),
                segments,
                jobs: Jobs::Sequential,
                buffers: None,
                alternatives: Vec::new(),
            })
        });
        let engine = |name: String, policy: EnginePolicy| CopyEngine {
            name,
            policy,
            bandwidth: None,
            contended_bandwidth: None,
        };
        let copies = configuration
            .copy_engine
            .map(|policy| engine("copy".to_owned(), policy));
        let blocked = self
            .tasks
            .iter()
            .enumerate()
            .filter(|(_, task)| configuration.blocking > Time::ZERO && !task.kernels.is_empty());
        let blocked = blocked.map(|(index, _)| engine(own(index), EnginePolicy::Fifo));
        Ok(Draft {
            name: Some(self.name.clone()),
            cores: (0..self.cores)
                .map(|core| Core {
                    name: format!("core{core}"),
                    kind: None,
                    policy: CorePolicy::Fp,
                })
                .collect(),
            copy_engines: copies.into_iter().chain(blocked).collect(),
            partitions: vec![PartitionDraft::new(
                "gpu",
                Some(configuration.sms),
                configuration.policy,
            )],
            tasks: tasks.collect::<Result<_, Error>>()?,
            chains: Vec::new(),
            budgets: None,
        })
    }

    /// Returns the number of tasks with kernels.
    pub fn gpu_tasks(&self) -> usize {
        self.tasks.iter().filter(|task| !task.kernels.is_empty()).count()
    }
}

impl TaskDraw {
    /// Returns the segments of the task. `own` is the name of its own copy engine.
    fn segments(&self, configuration: &Configuration, own: &str) -> Result<Vec<SegmentDraft>, WcetError> {
        let core = format!("core{}", self.core);
        let least = |ns: u64| Time::from_ns(((ns as f64 * self.bcet) as u64).min(ns.saturating_sub(1)));
        let segment = |on: &str, ns: u64| {
            Ok(SegmentDraft {
                on: on.to_owned(),
                wcet: Some(WcetFunction::constant(Time::from_ns(ns))?),
                bcet: Some(least(ns)),
                bytes: None,
                traffic: None,
                bandwidth: None,
                block: None,
                kind: None,
                e1: None,
                delay_rate: None,
                profile: None,
            })
        };
        let mut segments = Vec::new();
        let mut rest = 0; // transfers after the previous kernel that the core executes
        for (&cpu, kernel) in self.cpu.iter().zip(&self.kernels) {
            let [before, after] = kernel.transfers;
            match configuration.copy_engine {
                Some(_) => {
                    segments.push(segment(&core, cpu)?);
                    segments.push(segment("copy", before)?);
                }
                None => {
                    segments.push(segment(&core, rest + cpu + before)?);
                    rest = after;
                }
            }
            if configuration.blocking > Time::ZERO {
                segments.push(SegmentDraft {
                    bcet: Some(Time::ZERO),
                    ..segment(own, configuration.blocking.ns())?
                });
            }
            segments.push(SegmentDraft {
                kind: Some(kernel.kind),
                wcet: Some(kernel.wcet(configuration)?),
                ..segment("gpu", kernel.time)?
            });
            if configuration.copy_engine.is_some() {
                segments.push(segment("copy", after)?);
            }
        }
        if let Some(&last) = self.cpu.last() {
            segments.push(segment(&core, rest + last)?);
        }
        Ok(segments)
    }
}

impl KernelDraw {
    /// Returns the WCET function with the isolated WCET `time` on all SMs, rounded up.
    fn wcet(&self, configuration: &Configuration) -> Result<WcetFunction, WcetError> {
        let Some(model) = configuration.wcet else {
            let ns = self.time.saturating_add(configuration.overhead.ns());
            return WcetFunction::constant(Time::from_ns(ns));
        };
        let sms = f64::from(configuration.sms);
        let serial = match model.form(self.kind, Time::from_ns(1)) {
            Form::Amdahl(scaling) | Form::Proportional(scaling) => scaling.serial.as_f64(),
            _ => 0.0,
        };
        let work = match model {
            WcetModel::Amdahl => self.time as f64 / (1.0 / sms + serial),
            WcetModel::Proportional => self.time as f64 * sms / (1.0 + serial),
        };
        WcetFunction::new(model.form(self.kind, Time::from_ns(work.ceil() as u64 + 1)))
    }
}

/// Draws an integer of a range.
fn integer(rng: &mut impl Rng, (low, high): (usize, usize)) -> usize {
    low + below(rng, high - low + 1)
}

/// Draws a real number of a range.
fn real(rng: &mut impl Rng, (low, high): (f64, f64)) -> f64 {
    low + unit(rng) * (high - low)
}

/// Rounds a time to whole nanoseconds, at least 1 ns.
fn whole(ns: f64) -> u64 {
    (ns.round() as u64).max(1)
}
