//! Memory bandwidth budgets for best-effort cores beside a kernel ([Aghilinasab20] §V).

mod nominal;

pub use nominal::{Nominal, nominal};
