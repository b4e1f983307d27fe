//! Options that describe the memory that partitions share.

use std::num::NonZeroU32;
use std::path::Path;

use gpusched_analysis::end_to_end::check_interference;
use gpusched_analysis::interference::Interference;
use gpusched_model::end_to_end::Environment;
use gpusched_model::error::{Error, Result};
use gpusched_model::reader::MemoryRatesFiles;
use gpusched_model::{Arbitration, Bandwidth, MemoryRates, MemoryTime, RateForm, SharedMemory};

use crate::arguments::{named, refused, whole};

/// Options that describe the memory that partitions share.
#[derive(Debug, Clone, clap::Args)]
pub struct Memory {
    /// Guaranteed memory bandwidth under load, e.g., 100GB/s
    ///
    /// Required with `--interference bandwidth` and `conflict+bandwidth`. Measure the rate under all request mixes and
    /// use the minimum. The peak from the data sheet is unsafe.
    #[arg(long, value_name = "RATE", help_heading = "Analysis")]
    pub memory_bandwidth: Option<Bandwidth>,
    /// Memory arbiter [default: any]
    ///
    /// `any`: any work-conserving arbiter. `max-min`: an arbiter with max-min fairness.
    #[arg(long, value_parser = named::<Arbitration>(), help_heading = "Analysis")]
    pub arbitration: Option<Arbitration>,
    /// Measured rates of L2 and DRAM
    ///
    /// A result of `simulate profile --stress`. Required with memory-time models.
    #[arg(long, value_name = "FILE", value_parser = memory_rates, help_heading = "Analysis")]
    pub memory_rates: Option<MemoryRates>,
    /// Form of the rates [default: universal]
    ///
    /// With `--memory-rates`. `universal` is safest. All forms are only tested, with known counterexamples.
    #[arg(long, value_name = "FORM", value_parser = named::<RateForm>(), help_heading = "Analysis")]
    pub memory_time: Option<RateForm>,
    /// Percentage added to WCETs, because times vary [default: 20]
    ///
    /// Only with memory times and with `--policy concurrent`.
    #[arg(long, value_name = "PERCENT", value_parser = whole(0..=MemoryTime::MAX_VARIATION), help_heading = "Analysis")]
    pub variation: Option<u32>,
    /// Assume own L2 ways for each partition, as in the WCETs
    #[arg(long, help_heading = "Analysis")]
    pub own_l2: bool,
    /// Refuse tasks that concentrate accesses on a part of the memory
    #[arg(long, value_name = "FACTOR", value_parser = whole::<u32>(1..=1_000_000), help_heading = "Analysis")]
    pub camping_limit: Option<u32>,
}

impl Memory {
    /// Returns the interference model and the memory for end-to-end systems.
    ///
    /// # Errors
    /// Fails in the same cases as [`Memory::shared`], and for interference models with memory times.
    pub fn environment(&self, interference: Interference) -> Result<Environment> {
        check_interference(interference)?;
        let memory = self.shared(interference)?;
        Ok(Environment {
            overheads: None,
            interference,
            memory: memory.map(|memory| memory.bandwidth),
        })
    }

    /// Returns the options if a user can state only the bandwidth.
    pub fn of(memory_bandwidth: Option<Bandwidth>) -> Memory {
        Memory {
            memory_bandwidth,
            arbitration: None,
            memory_rates: None,
            memory_time: None,
            variation: None,
            own_l2: false,
            camping_limit: None,
        }
    }

    /// Returns the shared memory; `None` if `interference` does not count the memory.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for a missing option, or for an option without effect.
    pub fn shared(&self, interference: Interference) -> Result<Option<SharedMemory>> {
        let of_bytes = [
            ("memory_bandwidth", self.memory_bandwidth.is_some()),
            ("arbitration", self.arbitration.is_some()),
        ];
        let of_times = [
            ("memory_rates", self.memory_rates.is_some()),
            ("memory_time", self.memory_time.is_some()),
            ("variation", self.variation.is_some()),
            ("own_l2", self.own_l2),
            ("camping_limit", self.camping_limit.is_some()),
        ];
        let found = format!("--interference {interference}");
        let (bytes, times) = (
            "conflict+bandwidth or bandwidth, where the option has an effect",
            "conflict+memory-time or memory-time, where the option has an effect",
        );
        let counts_times = interference.counts_memory_time();
        let counts_bytes = interference.counts_memory() && !counts_times;
        for (options, counts, expected) in [
            (&of_bytes[..], counts_bytes, bytes),
            (&of_times, counts_times, times),
        ] {
            if let Some((option, _)) = options.iter().find(|&&(_, given)| given && !counts) {
                return Err(Error::parameter(*option, found, expected));
            }
        }
        if counts_times {
            let Some(rates) = &self.memory_rates else {
                let expected = format!("a file with the measured rates of L2 and DRAM, with {found}");
                return Err(Error::parameter("memory_rates", "none", expected));
            };
            let variation = self.variation.unwrap_or(MemoryTime::VARIATION);
            let time = MemoryTime {
                own_l2: self.own_l2,
                camping_limit: self.camping_limit.and_then(NonZeroU32::new),
                ..rates.of(self.form(), variation)
            };
            return Ok(Some(time.into()));
        }
        match self.memory_bandwidth {
            _ if !counts_bytes => Ok(None),
            Some(bandwidth) if bandwidth.bytes_per_second() > 0 => Ok(Some(SharedMemory::new(
                bandwidth,
                self.arbitration.unwrap_or_default(),
            ))),
            found => Err(Error::parameter(
                "memory_bandwidth",
                found.map_or("none".to_owned(), |found| found.to_string()),
                format!(
                    "the guaranteed memory bandwidth, such as 100GB/s, with --interference {interference}"
                ),
            )),
        }
    }

    /// Returns the form of the rates for memory times.
    pub fn form(&self) -> RateForm {
        self.memory_time.unwrap_or_default()
    }
}

/// Returns the rates in the file `path`.
///
/// # Errors
/// Fails with a message that states the error in the file.
pub fn memory_rates(path: &str) -> Result<MemoryRates, String> {
    MemoryRatesFiles::only(Path::new(path), "memory rates").map_err(|error| match error {
        Error::Io { cause, .. } => refused(path, format_args!("a readable file with memory rates ({cause})")),
        error => error.to_string(),
    })
}
