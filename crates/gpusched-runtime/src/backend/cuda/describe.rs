//! Statements of the driver about a GPU, and the partitions that it grants.
#![allow(unsafe_code, reason = "calls of the CUDA driver")]

use gpusched_model::error::{Error, Refusal, Result};

use super::context::Device;
use super::library::Driver;
use super::separate;

/// A GPU, as its driver describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Description {
    /// Name of the GPU.
    pub name: String,
    /// Identity of the GPU, such as `GPU-…`. `None` if the driver does not state it.
    pub uuid: Option<String>,
    /// CUDA version that the driver supports, such as 13000.
    pub driver: i32,
    /// Major and minor number of the compute capability.
    pub capability: (u32, u32),
    /// Number of SMs.
    pub sms: u32,
    /// Limits of an SM and of a thread block.
    pub limits: Limits,
}

/// Limits that the driver states.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Resident threads of one SM.
    pub threads_per_sm: u32,
    /// Resident thread blocks of one SM.
    pub blocks_per_sm: u32,
    /// Registers of one SM.
    pub registers_per_sm: u32,
    /// Shared memory of one SM [bytes].
    pub shared_memory_per_sm: u32,
    /// Registers of one thread block.
    pub registers_per_block: u32,
    /// Shared memory that one thread block may use by default [bytes].
    pub shared_memory_per_block: u32,
    /// Size of the L2 cache [bytes].
    pub l2_bytes: u32,
    /// Clock frequency of the memory [kHz]; 0 if the driver does not state it.
    pub memory_khz: u32,
    /// Width of the memory bus [bits]; 0 if the driver does not state it.
    pub memory_bits: u32,
}

impl Limits {
    /// Returns the peak bandwidth of the memory [bytes per second]: two transfers per cycle of its clock. Returns `None` if the driver does
    /// not state the clock or the width.
    pub fn peak_bytes_per_second(&self) -> Option<u64> {
        let bits = u64::from(self.memory_khz) * 2_000 * u64::from(self.memory_bits);
        (bits > 0).then_some(bits / 8)
    }
}

/// Green contexts that exist at the same time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grants {
    /// Smallest number of SMs.
    pub least: u32,
    /// Step between the numbers of SMs.
    pub step: u32,
    /// Largest observed total number of SMs of contexts of the smallest size.
    pub total: u32,
    /// How the driver split the SMs.
    pub split: String,
    /// SM ids of these contexts.
    pub sm_ids: Vec<Vec<u32>>,
    /// Numbers of SMs that the driver grants to a single context; the last is the whole GPU.
    pub sizes: Vec<u32>,
}

/// Attributes of `CUdevice_attribute`.
mod attribute {
    pub const SHARED_PER_BLOCK: i32 = 8;
    pub const REGISTERS_PER_BLOCK: i32 = 12;
    pub const MEMORY_KHZ: i32 = 36;
    pub const MEMORY_BITS: i32 = 37;
    pub const L2_BYTES: i32 = 38;
    pub const THREADS_PER_SM: i32 = 39;
    pub const MAJOR: i32 = 75;
    pub const MINOR: i32 = 76;
    pub const SHARED_PER_SM: i32 = 81;
    pub const REGISTERS_PER_SM: i32 = 82;
    pub const BLOCKS_PER_SM: i32 = 106;
}

/// Returns what the driver states about the GPU `ordinal`.
///
/// # Errors
/// Fails without this GPU, or if a call of the driver fails.
pub fn describe(driver: &Driver, ordinal: i32) -> Result<Description> {
    let device = Device::open(driver, ordinal)?;
    let of = |which| device.attribute(which);
    Ok(Description {
        name: device.name.clone(),
        uuid: device.uuid(),
        driver: driver.version,
        capability: (of(attribute::MAJOR)?, of(attribute::MINOR)?),
        sms: device.sms,
        limits: Limits {
            threads_per_sm: of(attribute::THREADS_PER_SM)?,
            blocks_per_sm: of(attribute::BLOCKS_PER_SM)?,
            registers_per_sm: of(attribute::REGISTERS_PER_SM)?,
            shared_memory_per_sm: of(attribute::SHARED_PER_SM)?,
            registers_per_block: of(attribute::REGISTERS_PER_BLOCK)?,
            shared_memory_per_block: of(attribute::SHARED_PER_BLOCK)?,
            l2_bytes: of(attribute::L2_BYTES)?,
            // A driver may refuse an old attribute.
            memory_khz: of(attribute::MEMORY_KHZ).unwrap_or(0),
            memory_bits: of(attribute::MEMORY_BITS).unwrap_or(0),
        },
    })
}

/// Errors of the driver for contexts or groups that it does not grant.
const NOT_GRANTED: [&str; 5] = [
    "CUDA_ERROR_INVALID_VALUE",
    "CUDA_ERROR_OUT_OF_MEMORY",
    "CUDA_ERROR_NOT_SUPPORTED",
    "CUDA_ERROR_INVALID_RESOURCE_TYPE",
    "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION",
];

/// Whether the driver may grant fewer contexts after `refusal`. After other errors of its calls, the GPU may be lost.
fn is_size(refusal: &Refusal) -> bool {
    let code = refusal.found().filter(|found| found.starts_with("CUDA"));
    code.is_none_or(|code| NOT_GRANTED.contains(&code))
}

/// Creates green contexts of the smallest size until the driver grants no further one, and observes their SMs.
///
/// # Errors
/// Fails without this GPU, if a call of the driver fails, or if two contexts share an SM.
pub fn grants(driver: &Driver, ordinal: i32) -> Result<Grants> {
    let device = Device::open(driver, ordinal)?;
    let (least, step) = (device.granularity.0.max(1), device.granularity.1.max(1));
    let mut count = device.sms / least;
    loop {
        let wanted = vec![least; count as usize];
        let found = match (device.partitions(&wanted), count) {
            (Ok(found), _) => found,
            (Err(refusal), _) if count < 2 || !is_size(&refusal) => return Err(refusal.into()),
            (Err(_), _) => {
                count -= 1;
                continue;
            }
        };
        let (partitions, split) = found;
        let observed = partitions.iter().map(|partition| partition.observe());
        let observed = observed.collect::<Result<Vec<_>, Refusal>>()?;
        separate(&observed, &wanted)?;
        let all: usize = observed.iter().map(Vec::len).sum();
        let total = least * count;
        if all != total as usize {
            let expected = format!("{total}, the sum of all sizes");
            return Err(Error::parameter(
                "partitions",
                format!("kernels on {all} SMs"),
                expected,
            ));
        }
        return Ok(Grants {
            least,
            step,
            total,
            split,
            sm_ids: observed,
            sizes: device.sizes()?,
        });
    }
}
