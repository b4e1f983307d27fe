//! Real-time schedulability analysis for GPUs: one library, and one command of the same name.
//!
//! | paper | tag |
//! |---|---|
//! | J. Singh, MSc thesis, UIUC 2021 (chapter 3 = Zahaf et al., RTNS 2021) | [Singh21] |
//! | Singh et al., DATE 2022 | [Singh22] |
//! | Sañudo Olmedo et al., RTAS 2020 | [Sanudo20] |
//! | Aghilinasab et al., IEEE TCAD 39(11), 2020 | [Aghilinasab20] |
//! | Masola et al., JSSPP 2023 | [Masola23] |
//! | Khairy et al. (Accel-Sim), ISCA 2020 | [Khairy20] |
//!
//! Dependencies between the modules point one way: [`time`] ← [`model`] ← {[`examiner`], [`gpgpusim_config`]} ← {[`generation`], [`interference`],
//! [`schedulability`], [`kernel_wcet`]} ← {[`partitioning`], [`bandwidth`], [`prediction`]} ← {[`study`], [`simulator`]} ←
//! [`validation`] ← `plot` ← `cli`. [`verification`] depends on [`time`] and [`model`]
//! alone: it checks the plans of the others without them; [`accelsim`] on none of these.
//!
//! ```
//! use gpusched::interference::Conflict;
//! use gpusched::model::{Policy, TaskSet};
//! use gpusched::partitioning::{partition, Heuristic, HeuristicKind, Problem};
//!
//! let set: TaskSet = serde_json::from_str(r#"{"tasks":[
//!     {"name":"lidar",  "period":"50ms", "kind":"memory",  "wcet":{"amdahl":{"work":"80ms","serial":0.1,"conflict":2.3}}},
//!     {"name":"camera", "period":"33ms", "kind":"compute", "wcet":{"amdahl":{"work":"90ms","serial":0.02,"conflict":1.2}}}
//! ]}"#)?;
//! let problem = Problem::new(&set, 8, Policy::Edf, &Conflict)?;
//! let plan = partition(&problem, &Heuristic::from(HeuristicKind::Sms));
//! assert!(plan.schedulable && plan.sms_used <= 8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// [Singh21] and [ns] in doc comments are a paper and a unit, not links.
#![allow(rustdoc::broken_intra_doc_links)]

pub mod accelsim;
pub mod artifact;
pub mod bandwidth;
#[cfg(feature = "cli")]
pub mod cli;
pub mod error;
pub mod examiner;
pub mod export;
pub mod generation;
pub mod gpgpusim_config;
pub mod interference;
pub mod kernel_wcet;
pub mod model;
pub mod partitioning;
#[cfg(feature = "cli")]
pub mod plot;
pub mod prediction;
pub mod ptx;
pub mod schedulability;
pub mod simulator;
pub mod study;
pub mod time;
pub mod validation;
pub mod verification;
mod words;
