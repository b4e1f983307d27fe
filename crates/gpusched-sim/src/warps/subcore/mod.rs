//! Simulation of one sub-core. An instruction has only one property, its latency, as in the figures of [Singh21] ch. 4
//! and [Singh22] §IV.
//!
//! In each cycle, at most one warp issues one instruction. After a warp issues an instruction with latency L, it can
//! issue its next instruction L cycles later. A kernel finishes in the cycle after the last issue of its warps. A warp
//! is older if its kernel is launched earlier. Within a kernel, warps with lower numbers are older.
//!
//! ```
//! use gpusched_model::WarpScenario;
//! use gpusched_sim::warps::subcore::{Record, simulate};
//!
//! let scenario: WarpScenario = serde_json::from_str(
//!     r#"{"scheduler":"gto","kernels":[{"name":"A","warps":2,"program":[{"latency":3},{"latency":1}]}]}"#)?;
//! let mut record = Record::default();
//! simulate(&scenario, &mut record)?;
//! assert_eq!(record.order(), [Some(0), Some(1), None, Some(0), Some(1)]);
//! assert_eq!(record.overview().kernels()[0].finish, 5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod overview;
mod record;
mod simulation;

pub use overview::{KernelOverview, Overview};
pub use record::Record;
pub use simulation::{Issue, TooLong, simulate};
