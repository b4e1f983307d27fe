//! Variants of a run: other launch times and other base addresses of the buffers.

use gpusched_gpu::program::FIRST_ADDRESS;
use gpusched_gpu::warp_run::{KernelSource, RunKernel};
use gpusched_model::streams::{Purpose, below, stream};

/// Launch time and base address of one run of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// Launch time [core cycles].
    pub launch: u64,
    /// Distance of the first buffer from its default address [bytes].
    pub shift: u64,
}

/// Least bound on the launch times, much longer than the period of the clock edges of all domains [core cycles].
const LAUNCHES: usize = 8192;

/// Distance between the possible base addresses [bytes], and the number of these addresses. Buffers start at multiples
/// of 256 bytes.
const SHIFT: u64 = 256;
const SHIFTS: usize = 4096;

impl Variant {
    /// Returns `count` variants. The first variant changes nothing. The other variants depend on `seed`. Their launch
    /// times are distributed over at least `period` core cycles.
    pub fn all(count: u32, seed: u64, period: u64) -> Vec<Variant> {
        let launches = LAUNCHES.max(usize::try_from(period).unwrap_or(usize::MAX));
        let drawn = (1..count).map(|index| {
            let mut random = stream(seed, Purpose::RunVariants, 0, u64::from(index));
            Variant {
                launch: below(&mut random, launches) as u64,
                shift: SHIFT * below(&mut random, SHIFTS) as u64,
            }
        });
        let first = Variant { launch: 0, shift: 0 };
        std::iter::once(first).chain(drawn).collect()
    }

    /// Applies the variant to `kernel`. Buffers with stated addresses, and traces, keep their addresses.
    pub fn apply(self, kernel: &mut RunKernel) {
        kernel.launch = self.launch;
        if let KernelSource::Program(program) = &mut kernel.program
            && program.buffers.iter().all(|(_, buffer)| buffer.address.is_none())
            && let Some((_, first)) = program.buffers.first_mut()
        {
            first.address = (self.shift > 0).then_some(FIRST_ADDRESS + self.shift);
        }
    }
}
