//! Observer that summarizes a run.

use super::Issue;
use gpusched_model::Observer;

/// The summary stores this number of cycles at the start of a run individually.
const BEGINNING: usize = 64;

/// Summary of a kernel.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelOverview {
    /// Cycle of the first issue.
    pub start: u64,
    /// Cycle after the last issue.
    pub finish: u64,
    /// Number of instructions that the warps issued.
    pub instructions: u64,
}

/// Summary of a run. The size of the summary does not depend on the length of the run.
#[derive(Debug, Clone, Default)]
pub struct Overview {
    kernels: Vec<KernelOverview>,
    beginning: Vec<Option<usize>>,
    cycles: u64,
    issued: u64,
}

impl Overview {
    /// Returns the summaries of the kernels, in the order of the scenario.
    pub fn kernels(&self) -> &[KernelOverview] {
        &self.kernels
    }

    /// Returns two numbers of cycles: all cycles up to the last issue, and the cycles with an issue.
    pub fn cycles(&self) -> (u64, u64) {
        (self.cycles, self.issued)
    }

    /// Returns the warp that issued in each of the first cycles of the run; `None` for cycles
    /// without an issue.
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
