//! Memory bandwidth budgets of best-effort CPU cores while a kernel runs ([Aghilinasab20] §V).
//!
//! * [`nominal`]: the largest budget within an accepted slowdown, computed offline;
//! * [`Allocator`]: the budget of each regulation period at run time, under any [`BudgetPolicy`];
//! * [`MemoryLimit`]: Algorithm 2, exactly and as a linear program;
//! * [`profile`]: a synthetic kernel with published figures, including its nominal budget;
//! * [`BudgetResults`]: published figures;
//! * [`Sharing`]: the shares of several cores in a budget;
//! * [`RemainingTable`]: the remaining blocks of a kernel, from the numbers of its running blocks.

mod allocator;
pub mod inverse;
mod memory_limit;
mod nominal;
mod profile;
mod remaining;
mod results;
mod sharing;

pub use allocator::Allocator;
pub use gpusched_model::BudgetPolicy;
pub use memory_limit::MemoryLimit;
pub use nominal::{Nominal, nominal};
pub use profile::{Recipe, profile};
pub use remaining::RemainingTable;
pub use results::{BudgetResult, BudgetResults};
pub use sharing::{Sharing, jain};
