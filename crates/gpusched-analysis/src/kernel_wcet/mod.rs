//! WCET bounds of a kernel, computed from the measured times of its thread blocks
//! ([Aghilinasab20] §IV).
//!
//! ```
//! use gpusched_analysis::kernel_wcet::Estimator;
//! use gpusched_model::{Factor, Kernel};
//!
//! let kernel: Kernel = serde_json::from_str(r#"{"active_blocks":4,"regulation_period":"1ms","clusters":[
//!     {"blocks":20000,"e0":"1.7us","e1":"3.69us"},{"blocks":17627,"e0":"2.5us","e1":"6.52us"}]}"#)?;
//! let estimator = Estimator::new(&kernel);
//! let alone = estimator.bound(Factor::ZERO, false)?;
//! let disturbed = estimator.bound(Factor::from_f64(0.13).ok_or("a factor")?, false)?;
//! assert!(alone.wcet_ns < disturbed.wcet_ns);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod clustering;
mod curve;
mod estimate;
pub mod fit;
mod fixpoint;
pub mod linear_program;
pub mod list_scheduling;
mod program;
mod regulation;
pub mod synthesis;
pub mod trace;

pub use curve::{CurvePoint, curve};
pub use estimate::{EstimateError, Estimator, Solver};
pub use program::{Optimum, Program};
pub use regulation::{BudgetError, Exposure, Regulation};
