//! Outline of a kernel: the numbers that determine its bound.

use std::cmp::Reverse;

use gpusched_model::warp_scenario::WarpKernel;

/// Numbers of a kernel on a sub-core. Sums saturate at [`u64::MAX`], which is the safe side.
#[derive(Debug, Clone)]
pub struct Outline {
    /// w: number of warps.
    pub warps: u64,
    /// n: number of instructions of one warp.
    pub instructions: u64,
    /// ℓ: time of one warp without any delay, from its launch to the cycle after its last issue [cycles].
    pub length: u64,
    /// Λ: the longest latency that delays a further instruction of the same warp [cycles]; 1 without such an instruction.
    pub longest: u64,
    /// Lengths of the *runs* of one warp, the longest first, as sums: entry x is the number of instructions of the x
    /// longest runs. A run ends with an instruction whose warp cannot issue in the next cycle.
    runs: Vec<u64>,
}

impl Outline {
    pub fn of(kernel: &WarpKernel) -> Outline {
        let latencies = kernel
            .program
            .iter()
            .map(|instruction| u64::from(instruction.latency.get()));
        let instructions = kernel.program.len() as u64;
        let before_last = latencies.take(kernel.program.len().saturating_sub(1));
        let (mut runs, mut run, mut length, mut longest) = (Vec::new(), 1, 1u64, 1);
        for latency in before_last {
            length = length.saturating_add(latency);
            longest = longest.max(latency);
            if latency == 1 {
                run += 1;
            } else {
                runs.push(run);
                run = 1;
            }
        }
        runs.push(run);
        runs.sort_unstable_by_key(|&run| Reverse(run));
        let mut sums = vec![0];
        let mut sum: u64 = 0;
        sums.extend(runs.into_iter().map(|run| {
            sum = sum.saturating_add(run);
            sum
        }));
        Outline {
            warps: kernel.warps.get().into(),
            instructions,
            length,
            longest,
            runs: sums,
        }
    }

    /// w·n: number of instructions of all warps.
    pub fn work(&self) -> u64 {
        self.warps.saturating_mul(self.instructions)
    }

    /// Number of runs of all warps.
    pub fn all_runs(&self) -> u64 {
        self.warps.saturating_mul(self.runs.len() as u64 - 1)
    }

    /// ℓ − n: the longest time when the kernel has warps, but none of them can issue [cycles].
    pub fn idle(&self) -> u64 {
        self.length.saturating_sub(self.instructions)
    }

    /// σ(x): largest number of instructions in `count` runs of the kernel.
    pub fn longest_runs(&self, count: u64) -> u64 {
        let last = self.runs.len() - 1;
        // Each run of the program occurs once per warp.
        let whole = usize::try_from(count / self.warps).map_or(last, |whole| whole.min(last));
        let next = (whole + 1).min(last);
        let part = (self.runs[next] - self.runs[whole]).saturating_mul(count % self.warps);
        self.runs[whole].saturating_mul(self.warps).saturating_add(part)
    }
}
