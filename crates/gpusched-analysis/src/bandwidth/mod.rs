//! Memory bandwidth budgets for best-effort cores beside a kernel ([Aghilinasab20] §V).
//!
//! * [`nominal`]: the largest budget within a slowdown, off-line;
//! * [`Allocator`]: the budget of each regulation period at run time, under any [`BudgetPolicy`];
//! * [`MemoryLimit`]: Algorithm 2, exactly and as a linear program;
//! * [`profile`]: a made-up kernel with published figures, its nominal budget among them;
//! * [`BudgetResults`]: published figures;
//! * [`Sharing`]: what each of several cores gets of a budget;
//! * [`RemainingTable`]: what is left of a kernel, from the numbers of its running blocks.

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
