//! Export of a memory bandwidth budget to the tools that regulate best-effort CPU cores of a real machine.
//!
//! * [`Machine`]: the cores, their rate, and the number of misses that a budget allows;
//! * [`Regulator`]: the tools, each with a shell script that sets the budget;
//! * [`header`]: the constants of a kernel for a program in C that chooses budgets.
//!
//! Every number is rounded so that best-effort cores get at most the budget. Comments of each script state what the
//! tool does not guarantee.

mod header;
mod limits;
mod misses;
mod resctrl;
mod scripts;

pub use header::header;
pub use misses::{Allowance, Machine};

use gpusched_model::error::Error;

/// Tool that regulates the memory traffic of best-effort CPU cores.
#[derive(
    Copy, Clone, PartialEq, Eq, Hash, Debug, strum::Display, strum::EnumMessage, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Regulator {
    /// MemGuard: limits of misses and writebacks per core and period.
    Memguard,
    /// BWLOCK++: limit of misses per core and period while a task holds the lock.
    Bwlock,
    /// Linux resctrl on x86: percentage that delays the requests of each core.
    Resctrl,
    /// MPAM of Arm: maximum share of the memory bandwidth of all cores together.
    Mpam,
}

impl Regulator {
    /// Returns a shell script that sets the budget of `allowance`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the tool cannot enforce the budget, or if `machine` lacks a value that the tool
    /// requires.
    pub fn script(self, machine: &Machine, allowance: &Allowance) -> Result<String, Error> {
        match self {
            Regulator::Memguard => scripts::memguard(machine, allowance),
            Regulator::Bwlock => scripts::bwlock(machine, allowance),
            Regulator::Resctrl => resctrl::delays(machine, allowance),
            Regulator::Mpam => resctrl::shares(machine, allowance),
        }
    }
}
