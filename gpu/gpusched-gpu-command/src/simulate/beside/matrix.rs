//! Slowdowns of kernels beside each other: each kernel of a list beside each kernel of another list.

use rayon::prelude::*;

use super::{shape, time};
use crate::simulate::profile::Variant;
use gpusched_gpu::machine::Machine;
use gpusched_gpu::program::{Dimensions, Program};
use gpusched_gpu::scenario::{Options, Setup};
use gpusched_gpu::warp_run::{KernelSource, RunKernel, WarpRun};
use gpusched_model::Scheduler;
use gpusched_model::error::{Refusal, Result};

/// A warp scheduler, with the issue budgets of the measured and the other kernel if the scheduler uses budgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warps {
    /// Warp scheduler.
    pub scheduler: Scheduler,
    /// Issue budgets of the measured and the other kernel.
    pub budgets: Option<(u32, u32)>,
}

/// Simulations of pairs of kernels that share SMs.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// Simulated GPU.
    pub machine: Machine,
    /// Programs of the measured kernels.
    pub victims: Vec<Program>,
    /// Programs of the kernels beside them.
    pub others: Vec<Program>,
    /// Numbers of SMs.
    pub sms: Vec<u32>,
    /// Warp schedulers.
    pub warps: Vec<Warps>,
    /// Whether the grid of a program is for all SMs of the GPU. Then the grid is scaled to the number of SMs.
    pub scaled: bool,
    /// Whether L2 contains the buffers at the start, for each content that is simulated.
    pub warm: Vec<bool>,
    /// Number of runs with different launch times and addresses, for each content of L2; at least 1.
    pub vary: u32,
    /// Seed of the launch times and addresses.
    pub seed: u64,
    /// Maximum length of a run [core cycles].
    pub limit: u64,
}

/// Longest times of a kernel in isolation and beside another kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Position of the measured kernel in the list of measured kernels.
    pub victim: usize,
    /// Position of the other kernel in the list of other kernels.
    pub other: usize,
    /// Number of SMs.
    pub sms: u32,
    /// Warp scheduler.
    pub warps: Warps,
    /// Longest time in isolation, on half of each SM [core cycles].
    pub isolated: u64,
    /// Longest time beside the other kernel [core cycles].
    pub beside: u64,
}

impl Pair {
    /// Returns the slowdown in thousandths, rounded up.
    pub fn permille(&self) -> u64 {
        let permille = (u128::from(self.beside) * 1000).div_ceil(u128::from(self.isolated.max(1)));
        u64::try_from(permille).unwrap_or(u64::MAX)
    }
}

/// Part of a matrix with one scheduler and one number of SMs.
type Part = (Warps, u32);

impl Matrix {
    /// Returns the number of pairs.
    pub fn len(&self) -> usize {
        self.parts().len() * self.victims.len() * self.others.len()
    }

    fn parts(&self) -> Vec<Part> {
        let parts = self
            .warps
            .iter()
            .flat_map(|warps| self.sms.iter().map(|sms| (*warps, *sms)));
        parts.collect()
    }

    /// Simulates all pairs in parallel, and calls `done` after each pair. The pairs are sorted by scheduler, number of
    /// SMs, measured kernel and other kernel.
    ///
    /// # Errors
    /// Fails if a block does not fit in half of an SM, or if a simulation fails.
    pub fn run(&self, done: &(dyn Fn() + Sync)) -> Result<Vec<Pair>> {
        let programs = self.victims.iter().chain(&self.others);
        if let Some(program) = programs
            .filter(|_| self.scaled)
            .find(|program| program.grid.0[1..] != [1, 1])
        {
            let [x, y, z] = program.grid.0;
            let found = format!("kernel `{}` with a grid of {x}×{y}×{z} blocks", program.name);
            Refusal::refuse(
                "scale",
                found,
                "a grid along x only, because the number of blocks changes",
            )?;
        }
        let parts = self.parts();
        let alone = |programs: &[Program]| {
            let all = parts
                .iter()
                .flat_map(|part| programs.iter().map(move |program| (part, program)));
            let all: Vec<_> = all.collect();
            let alone = all
                .par_iter()
                .map(|(part, program)| self.longest(**part, program, None));
            alone
                .collect::<Vec<_>>()
                .into_iter()
                .collect::<Result<Vec<u64>>>()
        };
        let victims = alone(&self.victims)?;
        let others = match self.others == self.victims {
            true => victims.clone(),
            false => alone(&self.others)?,
        };
        let measure = |(index, mut pair): (usize, Pair)| {
            let part = index / (self.victims.len() * self.others.len());
            let second = (
                &self.others[pair.other],
                others[part * self.others.len() + pair.other],
            );
            pair.isolated = victims[part * self.victims.len() + pair.victim];
            pair.beside = self.longest((pair.warps, pair.sms), &self.victims[pair.victim], Some(second))?;
            done();
            Ok(pair)
        };
        let outline = self.outline().into_par_iter().enumerate();
        let pairs: Vec<Result<Pair>> = outline.map(measure).collect();
        pairs.into_iter().collect()
    }

    /// Returns all pairs with arbitrary times.
    pub fn outline(&self) -> Vec<Pair> {
        let parts = self.parts();
        let pair = |index: usize| {
            let (rows, columns) = (self.victims.len(), self.others.len());
            let (part, victim, other) = (index / (rows * columns), index / columns % rows, index % columns);
            let (warps, sms) = parts[part];
            Pair {
                victim,
                other,
                sms,
                warps,
                isolated: 1,
                beside: 1,
            }
        };
        (0..self.len()).map(pair).collect()
    }

    /// Returns the longest time of `program` in isolation or beside another program. The other program has a time in
    /// isolation, so that launches of the measured kernel fall in all phases of its run.
    fn longest(&self, (warps, sms): Part, program: &Program, other: Option<(&Program, u64)>) -> Result<u64> {
        let kernel = |program: &Program, budget: Option<u32>| {
            let mut kernel = RunKernel::new(KernelSource::Program(Box::new(program.clone())));
            kernel.budget = budget;
            if self.scaled {
                let all = u64::from(self.machine.sms());
                let blocks = u128::from(program.blocks()) * u128::from(sms);
                let blocks = blocks.div_ceil(u128::from(all.max(1)));
                kernel.grid = Some(Dimensions::line(u32::try_from(blocks).unwrap_or(u32::MAX)));
            }
            kernel
        };
        let (own, its) = warps.budgets.unzip();
        let mut longest = 0;
        for variant in Variant::all(self.vary, self.seed, other.map_or(0, |(_, period)| period)) {
            for &warm in &self.warm {
                let mut victim = kernel(program, own);
                variant.apply(&mut victim);
                let mut shape = shape(&self.machine, victim, other.map(|(other, _)| kernel(other, its)))?;
                (shape.scheduler, shape.sms, shape.warm) = (Some(warps.scheduler), Some(sms), warm);
                let setup = Setup::new(&WarpRun::new(shape)?, "matrix".as_ref())?;
                let options = Options {
                    limit: self.limit,
                    ..Options::default()
                };
                let (results, _) = setup.run(options, &mut |_| ())?;
                longest = longest.max(time(variant.launch, &results));
            }
        }
        Ok(longest)
    }
}
