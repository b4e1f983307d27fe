//! An observer that keeps what a run comes to.

use super::Issue;
use gpusched_model::Observer;

/// How many cycles of the beginning are kept one by one.
const BEGINNING: usize = 64;

/// A kernel of a run.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelOverview {
    /// The cycle of its first issue.
    pub start: u64,
    /// The cycle after its last issue.
    pub finish: u64,
    /// The instructions that its warps issued.
    pub instructions: u64,
}

/// What a run comes to, in memory that does not depend on its length.
#[derive(Debug, Clone, Default)]
pub struct Overview {
    kernels: Vec<KernelOverview>,
    beginning: Vec<Option<usize>>,
    cycles: u64,
    issued: u64,
}

impl Overview {
    /// The kernels, in the order of the scenario.
    pub fn kernels(&self) -> &[KernelOverview] {
        &self.kernels
    }

    /// The cycles up to the last issue, and those among them in which a warp issued.
    pub fn cycles(&self) -> (u64, u64) {
        (self.cycles, self.issued)
    }

    /// The warp that issued in each of the first cycles; `None` where none did.
    pub fn beginning(&self) -> &[Option<usize>] {
        &self.beginning
    }
}

impl Observer<Issue, u64> for Overview {
    fn see(&mut self, cycle: u64, issue: Issue) {
        self.issued += 1;
        self.cycles = cycle + 1;
        let place = usize::try_from(cycle).unwrap_or(usize::MAX);
        if self.beginning.len() < BEGINNING {
            self.beginning.resize(place.min(BEGINNING), None);
            if place < BEGINNING {
                self.beginning.push(Some(issue.warp));
            }
        }
        if self.kernels.len() <= issue.kernel {
            self.kernels.resize(issue.kernel + 1, KernelOverview::default());
        }
        let kernel = &mut self.kernels[issue.kernel];
        if kernel.instructions == 0 {
            kernel.start = cycle;
        }
        kernel.finish = cycle + 1;
        kernel.instructions += 1;
    }
}
