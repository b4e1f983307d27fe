//! Runs of a kernel beside a second kernel that repeats on the same SMs until the first kernel ends. Each kernel uses at
//! most half of each SM.

pub mod matrix;

use std::path::Path;

use gpusched_gpu::gpu::{Results, Traffic};
use gpusched_gpu::machine::{BlockNeed, Machine, MachineShape};
use gpusched_gpu::warp_run::{KernelSource, RunKernel, Share, WarpRunShape};
use gpusched_model::error::{Error, Refusal, Result};

use crate::simulate::kernels;

/// Returns the time of the first kernel of `results`, which was launched at `launch` [core cycles].
pub fn time(launch: u64, results: &Results) -> u64 {
    results.cycles.saturating_sub(launch)
}

/// Returns the run of `kernel` on SMs that kernels share. The kernel uses at most half of each SM. If there is a kernel
/// `other`, it starts at cycle 0 in the other half, and repeats.
///
/// # Errors
/// Fails for a trace, and if a block of a kernel does not fit in half of an SM. The errors name the field `program` or
/// `beside`.
pub fn shape(machine: &Machine, mut kernel: RunKernel, other: Option<RunKernel>) -> Result<WarpRunShape> {
    kernel.resident = Some(half(machine, &kernel, "program")?);
    let mut shape = WarpRunShape::alone(machine.clone(), kernel);
    shape.share = Some(Share::Sm);
    if let Some(mut other) = other {
        other.resident = Some(half(machine, &other, "beside")?);
        other.repeats = true;
        shape.kernels.push(other);
    }
    Ok(shape)
}

/// Reads the program of the other kernel in the file at `path`.
///
/// # Errors
/// Fails for a trace, and if the program cannot be read.
pub fn read(path: &Path) -> Result<RunKernel> {
    match kernels::program_of(path)? {
        Some(program) => Ok(RunKernel::new(KernelSource::Program(Box::new(program)))),
        None => Err(Error::file(
            path,
            "a trace",
            "a program, because a trace delivers each block once",
        )),
    }
}

/// Returns the number of blocks of `kernel` that fit in half of the threads, registers, shared memory and block places
/// of an SM.
fn half(machine: &MachineShape, kernel: &RunKernel, field: &str) -> Result<u32> {
    let KernelSource::Program(program) = &kernel.program else {
        return Err(Error::parameter(field, "a trace", "a program"));
    };
    let program = program.with(&kernel.overrides())?;
    let need = BlockNeed {
        threads: u32::try_from(program.block.count()).unwrap_or(u32::MAX),
        registers: program.registers,
        shared_bytes: program.shared_memory,
    };
    let mut halved = machine.clone();
    halved.sm.threads /= 2;
    halved.sm.registers /= 2;
    halved.sm.blocks /= 2;
    halved.shared_memory.bytes /= 2;
    match halved.blocks_per_sm(&need) {
        0 => {
            let found = format!(
                "kernel `{}` with blocks that need more than half of an SM",
                program.name
            );
            let expected = format!(
                "blocks with at most half of the threads, registers and shared memory of an SM of {}",
                machine.name
            );
            Err(Refusal::new(field, found, expected).into())
        }
        blocks => Ok(blocks),
    }
}

/// Returns the results of the first kernel alone. The accesses to L1 are unknown, because they are not counted for each
/// kernel.
pub fn of_first(mut results: Results) -> Results {
    results.kernels.truncate(1);
    results.blocks.retain(|block| block.kernel == 0);
    results.shares = None;
    let own = results
        .kernels
        .first()
        .map(|kernel| kernel.traffic)
        .unwrap_or_default();
    results.traffic = Traffic {
        l2_accesses: own.l2_reads.saturating_add(own.l2_writes),
        l2_misses: own.l2_misses,
        dram_reads: own.dram_reads,
        dram_writes: own.dram_writes,
        ..Traffic::default()
    };
    results
}
