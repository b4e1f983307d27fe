//! Smaller runs, for the search for a smaller run that still exceeds a bound.

use crate::warp_run::{KernelSource, RunKernel, WarpRunShape};

/// Maximum number of smaller runs that are tried.
pub const TRIALS: usize = 80;

/// Returns all runs that lack one kernel of `run` and have at least `least` kernels.
fn fewer(run: &WarpRunShape, least: usize) -> Vec<WarpRunShape> {
    let count = if run.kernels.len() > least {
        run.kernels.len()
    } else {
        0
    };
    let without = |index| {
        let mut copy = run.clone();
        copy.kernels.remove(index);
        copy
    };
    (0..count).map(without).collect()
}

/// Returns all runs that lack one job of `run`.
pub fn fewer_jobs(run: &WarpRunShape) -> Vec<WarpRunShape> {
    fewer(run, 1)
}

/// Returns co-runs that differ from `run` in one point and take less time to simulate. They have one kernel less, half
/// of the blocks of a kernel, or the launch of a kernel at cycle 0.
pub fn smaller(run: &WarpRunShape) -> Vec<WarpRunShape> {
    let mut all = fewer(run, 2);
    let mut changed = |index: usize, kernel: RunKernel| {
        let mut copy = run.clone();
        copy.kernels[index] = kernel;
        all.push(copy);
    };
    for (index, kernel) in run.kernels.iter().enumerate() {
        if let Some(half) = half_grid(kernel) {
            changed(index, half);
        }
        if kernel.launch > 0 {
            changed(
                index,
                RunKernel {
                    launch: 0,
                    ..kernel.clone()
                },
            );
        }
    }
    all
}

/// Returns `kernel` with half of its blocks; `None` if the kernel has one block or a grid with several dimensions.
fn half_grid(kernel: &RunKernel) -> Option<RunKernel> {
    let KernelSource::Program(program) = &kernel.program else {
        return None;
    };
    let grid = kernel.grid.unwrap_or(program.grid);
    let blocks = grid.count();
    let linear = grid == blocks.to_string().parse().ok()?;
    (linear && blocks > 1).then(|| RunKernel {
        grid: (blocks / 2).to_string().parse().ok(),
        ..kernel.clone()
    })
}
