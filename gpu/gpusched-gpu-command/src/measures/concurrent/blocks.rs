//! Model of kernels at the level of thread blocks. For a kernel in isolation, the model and the simulation at warp
//! level have the same execution time. The blocks of all concurrent kernels share the memory bandwidth.

use std::collections::BTreeMap;

use super::bench::{Bench, IsolatedRun, IsolatedRuns};
use gpusched_gpu::machine::BlockNeed;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::group::MemoryPlatform;
use gpusched_model::scenario::{
    BlockTime, Device, DeviceShape, InterferenceSetting, Launch, Scenario, ScenarioShape,
};
use gpusched_model::time::Time;
use gpusched_model::{Factor, SmOrder};
use gpusched_sim::blocks::{Overview, simulate};

/// Number of bytes per second in 1 GB/s.
const GIGA: u64 = 1_000_000_000;

/// The kernels of a bench, modelled as thread blocks.
pub(super) struct Blocks<'a> {
    bench: &'a Bench,
    /// Isolated runs of the kernels, simulated at warp level.
    measured: &'a IsolatedRuns,
    /// Memory bandwidth that the kernels share [bytes/s].
    bandwidth: u64,
}

impl<'a> Blocks<'a> {
    /// Creates the model of the kernels in `bench`. `measured` contains the isolated runs of the kernels, and `platform`
    /// states the memory bandwidth.
    pub fn new(bench: &'a Bench, measured: &'a IsolatedRuns, platform: &MemoryPlatform) -> Blocks<'a> {
        Blocks {
            bench,
            measured,
            bandwidth: bytes_per_second(platform.effective_bandwidth),
        }
    }

    /// Simulates each run in `measured` again at the level of blocks, and returns the results.
    pub fn isolated(&self) -> Result<IsolatedRuns> {
        let alone = self.measured.iter().map(|(&(kernel, sms), measured)| {
            let times = self.together(&[(kernel, sms)])?;
            let time = times.first().copied().unwrap_or(0).max(1);
            let rate = |there: u64| {
                let bytes = u128::from(there) * u128::from(measured.time);
                u64::try_from(bytes / u128::from(time)).unwrap_or(u64::MAX)
            };
            let alone = IsolatedRun {
                time,
                l2: rate(measured.l2),
                dram: rate(measured.dram),
                ..*measured
            };
            Ok(((kernel, sms), alone))
        });
        alone.collect()
    }

    /// Simulates concurrent kernels. `group` states each kernel and its number of SMs. Returns the execution time of each
    /// kernel [ns].
    pub fn together(&self, group: &[(usize, u32)]) -> Result<Vec<u64>> {
        let mut overview = Overview::default();
        simulate(&self.scenario(group)?, 0, &mut overview)?;
        let ends: BTreeMap<usize, u64> = overview
            .kernels()
            .map(|kernel| (kernel.times.kernel, kernel.times.end_ns.ns()))
            .collect();
        Ok((0..group.len())
            .map(|kernel| ends.get(&kernel).copied().unwrap_or(0))
            .collect())
    }

    fn scenario(&self, group: &[(usize, u32)]) -> Result<Scenario> {
        let machine = self.bench.machine();
        let device = Device::new(DeviceShape {
            sms: machine.sms(),
            threads_per_sm: machine.sm.threads,
            blocks_per_sm: machine.sm.blocks,
            registers_per_sm: machine.sm.registers,
            shared_memory_per_sm_kib: machine.shared_memory.bytes / 1024,
            sms_per_gpc: None,
            sm_order: SmOrder::default(),
            copy_engines: 1,
        })
        .map_err(|message| Refusal::told("device", message))?;
        let mut next = 0;
        let mut launches = Vec::new();
        for (stream, &(kernel, sms)) in (1..).zip(group) {
            launches.push(Launch {
                sms: Some((next..next + sms).collect()),
                ..self.launch(stream, kernel, sms)?
            });
            next += sms;
        }
        let shape = ScenarioShape {
            interference: InterferenceSetting {
                bandwidth: Some(self.bandwidth),
                factors: None,
                same_sm: None,
            },
            ..ScenarioShape::new(device, launches)
        };
        Ok(Scenario::new(shape)?)
    }

    /// Returns the launch of `kernel` on `sms` SMs. Each wave of blocks takes an equal share of the
    /// isolated time, and each block has an equal share of the memory traffic.
    fn launch(&self, stream: u32, kernel: usize, sms: u32) -> Result<Launch> {
        let program = self.bench.program(kernel)?;
        let alone = self.measured.get(&(kernel, sms));
        let alone = alone.ok_or_else(|| {
            Error::parameter(format!("kernel {kernel}"), format!("no run on {sms} SMs"), "one")
        })?;
        let blocks = u32::try_from(program.blocks()).unwrap_or(u32::MAX).max(1);
        let need = BlockNeed {
            threads: u32::try_from(program.block.count()).unwrap_or(u32::MAX),
            registers: program.registers,
            shared_bytes: program.shared_memory,
        };
        let resident = self.bench.machine().blocks_per_sm(&need).max(1);
        let waves = u64::from(blocks).div_ceil(u64::from(resident) * u64::from(sms));
        let wave = Time::from_ns((alone.time / waves).max(1));
        // Each block transfers an equal share of all bytes during its execution.
        let bandwidth = u128::from(alone.l2) * u128::from(waves) / u128::from(blocks);
        Ok(Launch {
            name: Some(self.bench.name(kernel).to_owned()),
            registers: program.registers,
            shared_memory: program.shared_memory,
            bandwidth: u64::try_from(bandwidth).unwrap_or(u64::MAX),
            ..Launch::new(stream, blocks, need.threads, BlockTime::Fixed(wave))
        })
    }
}

fn bytes_per_second(gigabytes: Factor) -> u64 {
    let (numerator, denominator) = gigabytes.ratio();
    let bytes = u128::from(numerator) * u128::from(GIGA) / u128::from(denominator.max(1));
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
