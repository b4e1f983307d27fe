//! Memory bandwidth budgets for best-effort cores beside a kernel ([Aghilinasab20] §V).
//!
//! * [`nominal`]: the largest budget within a slowdown, off-line;
//! * [`Allocator`]: the budget of each regulation period at run time, under any [`BudgetPolicy`];
//! * [`RemainingTable`]: what is left of a kernel, from the numbers of its running blocks.

mod allocator;
pub mod inverse;
mod nominal;
mod policy;
mod remaining;

pub use allocator::Allocator;
pub use nominal::{Nominal, nominal};
pub use policy::BudgetPolicy;
pub use remaining::RemainingTable;
