//! Makes a co-run that exceeds a bound small.

use gpusched_model::error::Result;
use gpusched_model::warp_run::{KernelSource, RunKernel, WarpRunShape};

use super::bound::{Examiner, Form};

/// Maximum number of smaller co-runs that are tried.
const TRIALS: u32 = 80;

/// Returns the smallest co-run found that still exceeds `form`. Removes kernels, halves grids, and launches at cycle 0.
pub fn shrink(examiner: &Examiner, run: &WarpRunShape, form: Form) -> Result<WarpRunShape> {
    let mut best = run.clone();
    let mut trials = 0;
    'smaller: loop {
        for smaller in smaller(&best) {
            trials += 1;
            if trials > TRIALS {
                return Ok(best);
            }
            let victims = examiner.examine(&smaller)?.unwrap_or_default();
            if victims.iter().any(|victim| victim.exceeds(form)) {
                best = smaller;
                continue 'smaller;
            }
        }
        return Ok(best);
    }
}

/// Returns co-runs that differ from `run` in one point and take less time to simulate.
fn smaller(run: &WarpRunShape) -> Vec<WarpRunShape> {
    let mut all = Vec::new();
    let changed = |change: &dyn Fn(&mut WarpRunShape)| {
        let mut copy = run.clone();
        change(&mut copy);
        copy
    };
    for index in 0..run.kernels.len() {
        if run.kernels.len() > 2 {
            all.push(changed(&|copy| {
                copy.kernels.remove(index);
            }));
        }
        if let Some(half) = half_grid(&run.kernels[index]) {
            all.push(changed(&|copy| copy.kernels[index] = half.clone()));
        }
        if run.kernels[index].launch > 0 {
            all.push(changed(&|copy| copy.kernels[index].launch = 0));
        }
    }
    all
}

/// Returns `kernel` with half of its blocks; `None` if it has one block, or a grid with several dimensions.
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
