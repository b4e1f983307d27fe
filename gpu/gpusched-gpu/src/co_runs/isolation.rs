//! Kernels in isolation: their times, their memory traffic, and how long their replies hold the ports of clusters.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::gpu::{KernelResult, Results};
use crate::machine::Machine;
use crate::program::Program;
use crate::scenario::{Options, Setup};
use crate::stress::{Rates, Whole};
use crate::warp_run::{KernelSource, RunKernel, WarpRun, WarpRunShape};
use gpusched_model::error::{Error, Result};

/// Maximum length of a simulated run [core cycles]. gpusched does not examine longer runs.
pub const LIMIT: u64 = 400_000;

/// Maximum length of a simulated run on all SMs [core cycles]. With one line per set of L2, it takes longer than a co-run.
const WHOLE_LIMIT: u64 = 10 * LIMIT;

/// Launch times of the runs in isolation from which gpusched determines a WCET [core cycles].
const LAUNCHES: [u64; 8] = [0, 1, 2, 3, 7, 100, 500, 1000];

/// A kernel in isolation.
#[derive(Debug, Clone, Copy)]
pub struct Alone {
    /// Time from launch to finish [core cycles].
    pub time: u64,
    /// Time from launch to finish if L2 is empty at the start [core cycles]; at least `time`.
    pub cold: u64,
    /// Longest time over many runs with an empty L2 cache; 0 if one run is sufficient.
    pub longest: u64,
    /// Number of sectors that the kernel reads at L2.
    pub reads: u64,
    /// Number of sectors that the kernel writes at L2.
    pub writes: u64,
    /// Number of sectors that DRAM reads or writes before the end of the kernel.
    pub dram: u64,
    /// `dram`, plus the number of dirty sectors in L2 at the end. If this sum is larger in the run with an empty L2
    /// cache, the larger sum counts.
    pub dram_in_all: u64,
    /// Number of core cycles where the first reply at the port of a cluster belongs to the kernel, summed over all
    /// clusters; at least the number of sectors. The larger number of the runs.
    pub hold: u64,
    /// Number of thread blocks.
    pub blocks: u64,
    /// Rates of the kernel on the whole GPU.
    pub drain: Rates,
}

/// Simulates kernels in isolation on one machine.
#[derive(Debug)]
pub struct Bench {
    pub machine: Machine,
    /// Behavior of programs in isolation on all SMs, by program; `None` if a simulation takes too long.
    programs: Mutex<HashMap<String, Option<Whole>>>,
}

impl Bench {
    pub fn new(machine: Machine) -> Bench {
        Bench {
            machine,
            programs: Mutex::default(),
        }
    }

    /// Simulates `kernel` of `run` twice in isolation: with the L2 cache as at the start of the run, and with an empty
    /// L2 cache.
    pub fn alone(&self, run: &WarpRunShape, kernel: &RunKernel) -> Result<Option<Alone>> {
        let mut shape = run.clone();
        shape.kernels = vec![kernel.clone()];
        let (Some(results), Some(whole)) = (self.simulate(&shape, LIMIT)?, self.whole(kernel)?) else {
            return Ok(None);
        };
        let time = |results: &Results| {
            let finish = results.kernels.first().map_or(0, |kernel| kernel.finish);
            finish.saturating_sub(kernel.launch)
        };
        let in_all = |results: &Results| {
            let of = |kernel: &KernelResult| {
                kernel.traffic.dram_reads + kernel.traffic.dram_writes + kernel.left_dirty
            };
            results.kernels.first().map_or(u64::MAX, of)
        };
        let traffic = results
            .kernels
            .first()
            .map(|kernel| kernel.traffic)
            .unwrap_or_default();
        let held = |results: &Results| results.kernels.first().map_or(u64::MAX, |kernel| kernel.hold);
        let mut hold = held(&results).max(traffic.l2_reads + traffic.l2_writes);
        let (mut cold, mut dram_in_all) = (time(&results), in_all(&results));
        if shape.warm {
            shape.warm = false;
            let Some(results) = self.simulate(&shape, LIMIT)? else {
                return Ok(None);
            };
            cold = cold.max(time(&results));
            dram_in_all = dram_in_all.max(in_all(&results));
            hold = hold.max(held(&results));
        }
        Ok(Some(Alone {
            time: time(&results),
            cold,
            longest: 0,
            reads: traffic.l2_reads,
            writes: traffic.l2_writes,
            dram: traffic.dram_reads + traffic.dram_writes,
            dram_in_all,
            hold,
            blocks: program_of(kernel)?.blocks(),
            drain: whole.drain,
        }))
    }

    /// Returns the longest time of `kernel` in isolation with an empty L2 cache, over several runs [core cycles]. The
    /// runs use eight launch times, and `more` further pairs of a launch time and base addresses. Launch times and
    /// addresses change the order of requests, and sometimes the distribution of blocks to SMs. Stops early if a run
    /// takes at least `enough` cycles. Returns `None` if a simulation takes too long.
    pub fn longest_cold(
        &self,
        run: &WarpRunShape,
        kernel: &RunKernel,
        more: u64,
        enough: u64,
    ) -> Result<Option<u64>> {
        let mut shape = run.clone();
        shape.warm = false;
        let mut longest = 0;
        let more = (1..=more).map(|step| (89 * step, 256 * step));
        for (launch, shift) in LAUNCHES.map(|launch| (launch, 0)).into_iter().chain(more) {
            if longest >= enough {
                break;
            }
            let mut moved = kernel.clone();
            moved.launch = launch;
            if let KernelSource::Program(program) = &mut moved.program {
                let buffers = program.buffers.iter_mut();
                buffers
                    .filter_map(|(_, buffer)| buffer.address.as_mut())
                    .for_each(|address| *address += shift);
            }
            shape.kernels = vec![moved];
            let Some(results) = self.simulate(&shape, LIMIT)? else {
                return Ok(None);
            };
            let finish = results.kernels.first().map_or(u64::MAX, |kernel| kernel.finish);
            longest = longest.max(finish.saturating_sub(launch));
        }
        Ok(Some(longest))
    }

    /// Returns the behavior of the program of `kernel` in isolation on all SMs. Returns `None` if a simulation takes too
    /// long.
    ///
    /// # Errors
    /// Fails if the kernel cannot be simulated.
    pub fn whole(&self, kernel: &RunKernel) -> Result<Option<Whole>> {
        let mut program = program_of(kernel)?;
        // At the default addresses, the result does not depend on the run that comes first.
        program
            .buffers
            .iter_mut()
            .for_each(|(_, buffer)| buffer.address = None);
        let key = serde_json::to_string(&program)
            .map_err(|error| Error::parameter("program", error, "a program"))?;
        let programs = || self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = programs().get(&key).copied() {
            return Ok(known);
        }
        let whole = Whole::of(&self.machine, &program, WHOLE_LIMIT)?;
        programs().insert(key, whole);
        Ok(whole)
    }

    /// Simulates `shape`. Returns `None` if the run takes more than `limit` core cycles.
    pub fn simulate(&self, shape: &WarpRunShape, limit: u64) -> Result<Option<Results>> {
        let run = WarpRun::new(shape.clone())?;
        let setup = Setup::new(&run, Path::new("co-run"))?;
        let options = Options {
            limit,
            ..Options::default()
        };
        setup.run_within(options)
    }
}

/// Returns the program of `kernel` with its launch.
fn program_of(kernel: &RunKernel) -> Result<Program> {
    match &kernel.program {
        KernelSource::Program(program) => Ok(program.with(&kernel.overrides())?),
        KernelSource::File(_) | KernelSource::Trace(_) => {
            Err(Error::parameter("program", "a file", "a program inside the run"))
        }
    }
}
