//! Runs that stop before all kernels end. Estimates use these runs.

use super::super::request::{LINE, SECTOR};
use super::{Failure, Gpu, Launch, Results, Settings};
use gpusched_model::machine::Machine;
use std::collections::HashSet;

/// Buffers that L2 contains at the start of the run. For speed, gpusched loads each line of a
/// buffer only at its first use.
#[derive(Debug)]
pub struct Untouched {
    buffers: Vec<(u64, u64)>,
    /// Lines that the run has already used.
    touched: HashSet<u64>,
}

/// Runs `kernels` as [`super::run`] does, but stops after `blocks` blocks have ended. If all warm
/// buffers together fit into L2, gpusched loads each line only at its first use. The delayed load
/// saves work for large buffers.
///
/// # Errors
/// Fails with [`Failure`] if the simulation fails.
pub fn run_until(
    machine: &Machine,
    kernels: &[Launch],
    settings: &Settings,
    blocks: u64,
) -> Result<Results, Failure> {
    let l2 = &machine.memory.l2;
    let slice = u64::from(l2.sets) * u64::from(l2.ways) * LINE;
    let all = settings.warm.iter().map(|(_, bytes)| bytes);
    let fits = all.fold(0, |sum: u64, bytes| sum.saturating_add(*bytes))
        <= slice * u64::from(machine.memory.slices());
    let mut settings = settings.clone();
    let warm = if fits {
        std::mem::take(&mut settings.warm)
    } else {
        Vec::new()
    };
    let mut gpu = Gpu::new(machine, kernels, &settings, false)?;
    gpu.enough = usize::try_from(blocks).unwrap_or(usize::MAX);
    if !warm.is_empty() {
        gpu.untouched = Some(Untouched {
            buffers: warm,
            touched: HashSet::new(),
        });
    }
    gpu.run(settings.limit, &mut |_| ())?;
    Ok(gpu.finish())
}

impl Gpu<'_> {
    /// Loads the line that contains `address` into L2, at its first use.
    pub(super) fn touch(&mut self, address: u64) {
        let line = address & !(LINE - 1);
        let Some(untouched) = &mut self.untouched else {
            return;
        };
        if !untouched.touched.insert(line) {
            return;
        }
        for index in 0..untouched.buffers.len() {
            let Some((start, bytes)) = self
                .untouched
                .as_ref()
                .and_then(|all| all.buffers.get(index).copied())
            else {
                return;
            };
            self.warm_line(line, start, start.saturating_add(bytes));
        }
    }

    /// Loads the sectors of `line` that overlap the range from `start` to `end` into L2. For each
    /// slice, the function loads all sectors together.
    pub(super) fn warm_line(&mut self, line: u64, start: u64, end: u64) {
        let mut sectors = [0_u8; (LINE / SECTOR) as usize];
        let mut slices = [0; (LINE / SECTOR) as usize];
        for (sector, at) in (line..line.saturating_add(LINE))
            .step_by(SECTOR as usize)
            .enumerate()
        {
            slices[sector] = self.decoder.slice(at) as usize;
            let first = slices
                .iter()
                .position(|&slice| slice == slices[sector])
                .unwrap_or(sector);
            if at + SECTOR > start && at < end {
                sectors[first] |= 1 << sector;
            }
        }
        for (slice, sectors) in slices
            .into_iter()
            .zip(sectors)
            .filter(|&(_, sectors)| sectors != 0)
        {
            self.below.slices[slice].preload(line, sectors);
        }
    }
}
