//! Real-time schedulability analysis for GPUs. The package gpusched contains a library and a
//! command-line tool.
//!
//! The example builds a task set, partitions a GPU, verifies the plan with independent code, and simulates the plan:
//!
//! ```
//! use gpusched::interference::Conflict;
//! use gpusched::partitioning::{Heuristic, HeuristicKind, Problem, partition};
//! use gpusched::simulator::tasks::{Pattern, Simulation, Tally};
//! use gpusched::simulator::validation::system::parts;
//! use gpusched::{Factor, Kind, Policy, Task, TaskSet, WcetFunction};
//!
//! let lidar = WcetFunction::amdahl("80ms".parse()?, "0.1".parse()?, "2.3".parse()?)?;
//! let camera = WcetFunction::amdahl("90ms".parse()?, "0.02".parse()?, "1.2".parse()?)?;
//! let lidar = Task::new("50ms".parse()?, lidar).deadline("40ms".parse()?).kind(Kind::Memory).build()?;
//! let camera = Task::new("33ms".parse()?, camera).kind(Kind::Compute).build()?;
//! let set = TaskSet::new(None, vec![lidar, camera])?;
//!
//! let problem = Problem::new(&set, 8, Policy::Edf, &Conflict)?;
//! let plan = partition(&problem, &Heuristic::from(HeuristicKind::Sms));
//! assert!(plan.schedulable && plan.sms_used <= 8);
//! gpusched::verification::verify(&plan, &set)?;
//!
//! for part in parts(&problem, &plan, None, Factor::ONE)? {
//!     let releases = Pattern::default().releases(&part.tasks, (1, 0));
//!     let run = Simulation::new(&part.tasks, &releases, part.discipline, &part.order, "1s".parse()?, (1, 0))?;
//!     let mut tally = Tally::new(part.tasks.len());
//!     run.run(&mut tally);
//!     assert_eq!(tally.misses(), 0);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each module is a crate or a part of a crate. The crates are `gpusched-model`, `-analysis`,
//! `-verify`, `-sim`, `-recording`, `-runtime`, `-study` and `-gpu`. The examples in the documentation of a
//! crate use the name of the crate. For example, the crate `gpusched_model` is the module
//! [`model`] of this library. Start at these items:
//!
//! | topic | start at |
//! |---|---|
//! | tasks, times, WCETs | [`Task::new`], [`TaskSet`], [`Kind`], [`Time`], [`Factor`], [`WcetFunction`]; their files: [`model::reader`] |
//! | random task sets | [`generation::Source`] |
//! | test of one partition | [`schedulability::test`] with a [`Policy`] |
//! | partitioning | [`partitioning::partition`], which returns a [`Plan`] |
//! | jobs on CPU cores, copy engines and partitions | [`end_to_end::analyze`] |
//! | inflated WCETs | [`interference::InflatedWcet`] |
//! | verification of a plan | [`verification::verify`] |
//! | export of a plan to real hardware | [`export::Target::export`] |
//! | WCET of a kernel | [`kernel_wcet::Estimator`] |
//! | memory bandwidth budgets | [`bandwidth::nominal`](bandwidth::nominal()) |
//! | execution times of concurrent kernels | [`prediction::Model`] |
//! | simulation of jobs and thread blocks | [`simulator::tasks`], [`simulator::shared`], [`simulator::blocks`] |
//! | warp schedulers of one sub-core | [`simulator::warps`] |
//! | cycle-level simulation of a GPU (feature `gpu`) | [`gpu::scenario`] |
//! | recordings of profilers and tracers | [`recording::readers::read`], [`recording::audit::audit`] |
//! | runs of a plan, on a GPU or in virtual time | [`runtime::Program`], [`runtime::simulated`] |
//! | experiments | [`study::Spec`], [`study::run`] |
//! | heuristics and tests of your own | [`study::own`], and [`command`](command()) with the feature `cli` |
//! | errors | [`Error`], [`error::Refusal`] |
//! | text form of times | [`time`] |
//!
//! | paper | tag |
//! |---|---|
//! | J. Singh, MSc thesis, UIUC 2021 (chapter 3 = Zahaf et al., RTNS 2021) | [Singh21] |
//! | Singh et al., DATE 2022 | [Singh22] |
//! | Sañudo Olmedo et al., RTAS 2020 | [Sanudo20] |
//! | Aghilinasab et al., IEEE TCAD 39(11), 2020 | [Aghilinasab20] |
//! | Masola et al., JSSPP 2023 | [Masola23] |
//! | Khairy et al. (Accel-Sim), ISCA 2020 | [Khairy20] |

pub use gpusched_analysis::{
    bandwidth, end_to_end, export, generation, interference, kernel_wcet, operator_graphs, partitioning,
    prediction, schedulability, warp_bounds,
};
#[cfg(feature = "gpu")]
pub use gpusched_gpu as gpu;
pub use gpusched_model as model;
pub use gpusched_model::error::Error;
pub use gpusched_model::time::Time;
pub use gpusched_model::{Factor, Kind, Plan, Policy, Task, TaskSet, WcetFunction, error, time};
pub use gpusched_recording as recording;
pub use gpusched_runtime as runtime;
pub use gpusched_sim as simulator;
pub use gpusched_study as study;
pub use gpusched_verify as verification;

/// Adds the parts of this build to the command and to studies. With the feature `gpu-command`, these are the subcommands, file
/// formats and metrics of the cycle-level GPU. Only the first call in a process has an effect.
#[cfg(feature = "cli")]
pub fn register_parts() {
    static PARTS: &[&gpusched_cli::part::Part] = &[
        #[cfg(feature = "gpu-command")]
        &gpusched_gpu_command::PART,
    ];
    gpusched_cli::part::register(PARTS);
}

/// Runs the command with the arguments of this process, with algorithms of your own. `study run` adds them to each study.
///
/// The main function of a program with a heuristic of its own calls this function:
///
/// ```no_run
/// use gpusched::study::own::{Answer, Fault, Question, Registry};
///
/// fn none(_: &Question<'_>) -> Result<Answer, Fault> {
///     Ok(Answer::Schedulable(false))
/// }
///
/// fn main() -> std::process::ExitCode {
///     gpusched::command(Registry::default().with("none", "version 1", none))
/// }
/// ```
#[cfg(feature = "cli")]
pub fn command(own: study::own::Registry) -> std::process::ExitCode {
    register_parts();
    gpusched_cli::embedding::provide(own);
    let arguments: Vec<_> = std::env::args_os().collect();
    gpusched_cli::main(&arguments).into()
}
