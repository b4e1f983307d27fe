//! Where the WCETs of a task come from: the GPU, the tool and the rules of the measurement.
//!
//! * `measured_on`: the statement in a task set;
//! * `size_sign`: the signs against a stated number of SMs;
//! * `gpu_name`: the comparison of names of GPUs;
//! * `warm_up`: the rule that drops the first jobs of a recording.

mod gpu_name;
mod measured_on;
mod size_sign;
mod warm_up;

pub use gpu_name::SameGpu;
pub use measured_on::{Locked, MeasuredClocks, MeasuredOn, MeasuredOnError, MeasuredOnShape, is_date};
pub use size_sign::SizeSign;
pub use warm_up::{ParseWarmUpError, WarmUp};
