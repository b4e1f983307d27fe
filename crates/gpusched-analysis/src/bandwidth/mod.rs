//! Memory bandwidth budgets of best-effort CPU cores while a kernel runs ([Aghilinasab20] §V).
//!
//! * [`nominal`]: the largest budget that keeps the slowdown of the kernel within a limit,
//!   computed offline;
//! * [`Allocator`]: the budget of each regulation period at run time, under any [`BudgetPolicy`];
//! * [`Chooser`]: the step of the policies, which kernels and other segments share;
//! * [`MemoryLimit`]: the limit of Algorithm 2, computed exactly and as a linear program;
//! * [`profile`]: a synthetic kernel with the published properties of a benchmark, including its
//!   nominal budget;
//! * [`BudgetResults`]: published measurements;
//! * [`machine`]: scripts that set a budget on a real machine;
//! * [`Sharing`]: the division of a budget among several CPU cores;
//! * [`RemainingTable`]: the number of unfinished blocks of a kernel, computed from the block
//!   numbers of its running blocks.

mod allocator;
pub mod machine;
mod memory_limit;
mod nominal;
mod profile;
mod remaining;
mod results;
mod sharing;

pub use allocator::{Allocator, parts, step_policy};
pub use gpusched_budget::{Chooser, burst as inverse};
pub use gpusched_model::BudgetPolicy;
pub use memory_limit::MemoryLimit;
pub use nominal::{Nominal, nominal};
pub use profile::{Recipe, profile};
pub use remaining::RemainingTable;
pub use results::{BudgetResult, BudgetResults};
pub use sharing::{Sharing, jain};
