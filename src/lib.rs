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

pub use gpusched_analysis::{
    bandwidth, export, generation, interference, kernel_wcet, partitioning, prediction, schedulability,
};
pub use gpusched_model::{self as model, artifact, error, time};
pub use gpusched_recording::{self as recording, examiner};
pub use gpusched_sim::{self as simulator, validation};
pub use gpusched_study::{self as study, plot};
pub use gpusched_verify as verification;
pub use gpusched_warp::{self as warp, accelsim, gpgpusim_config, ptx};

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
