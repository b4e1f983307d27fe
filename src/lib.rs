//! Real-time schedulability analysis for GPUs: one library, and one command of the same name.
//!
//! A task set is built, divided among the SMs of a GPU, checked by separate code, and simulated:
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
//! Each module is a crate, or a part of one: `gpusched-model`, `-analysis`, `-verify`, `-warp`, `-sim`, `-recording` and `-study`.
//! Examples on their pages name these crates; here `gpusched_model` is [`model`], and so on. Where to start:
//!
//! | question | start at |
//! |---|---|
//! | tasks, times, WCETs | [`Task::new`], [`TaskSet`], [`Kind`], [`Time`], [`Factor`], [`WcetFunction`]; their files: [`model::reader`] |
//! | random task sets | [`generation::Source`] |
//! | does a set fit one partition? | [`schedulability::test`], by a [`Policy`] |
//! | which partitions? | [`partitioning::partition`], which gives a [`Plan`] |
//! | what others do to a WCET | [`interference::InflatedWcet`] |
//! | is the plan right? | [`verification::verify`] |
//! | the plan on real hardware | [`export::Target::export`] |
//! | the WCET of a kernel | [`kernel_wcet::Estimator`] |
//! | how much bandwidth others may take | [`bandwidth::nominal`](bandwidth::nominal()) |
//! | how long kernels take side by side | [`prediction::Model`] |
//! | a run, job by job or block by block | [`simulator::tasks`], [`simulator::shared`], [`simulator::blocks`] |
//! | a run, cycle by cycle | [`warp::scenario`] |
//! | logs of profilers and tracers | [`recording::examiner`] |
//! | an experiment | [`study::Spec`], [`study::run`] |
//! | what went wrong | [`Error`], [`error::Refusal`] |
//! | times in text | [`time`] |
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
    bandwidth, export, generation, interference, kernel_wcet, partitioning, prediction, schedulability,
};
pub use gpusched_model::error::Error;
pub use gpusched_model::time::Time;
pub use gpusched_model::{
    self as model, Factor, Kind, Plan, Policy, Task, TaskSet, WcetFunction, error, time,
};
pub use gpusched_recording as recording;
pub use gpusched_sim as simulator;
pub use gpusched_study as study;
pub use gpusched_verify as verification;
pub use gpusched_warp as warp;

// Names of the first design, which programs may use.
#[doc(hidden)]
pub use gpusched_model::artifact;
#[doc(hidden)]
pub use gpusched_recording::examiner;
#[doc(hidden)]
pub use gpusched_sim::validation;
#[doc(hidden)]
pub use gpusched_study::plot;
#[doc(hidden)]
pub use gpusched_warp::{accelsim, gpgpusim_config, ptx};
