//! Response times of kernels whose warps share one sub-core (docs/explanation/warp-bounds.md).
//!
//! * [`bounds`]: an upper bound on the response time of each kernel of a scenario, for all launch times;
//! * [`smallest_budgets`]: the smallest issue budgets that meet given deadlines by these bounds.

mod bound;
mod budgets;
mod outline;

pub use bound::bounds;
pub use budgets::{Unmet, smallest_budgets};
