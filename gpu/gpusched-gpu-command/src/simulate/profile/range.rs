//! Parsers of numbers of SMs and of clock frequencies, for options of `simulate profile`.

use std::str::FromStr;

use gpusched_cli::part::refused;
use gpusched_gpu::machine::{Clocks, Machine};
use gpusched_model::error::Error;

/// Numbers of SMs, such as `1..30`, `2..30:4` or `8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmRange {
    first: u32,
    last: u32,
    step: u32,
}

impl SmRange {
    /// Creates the range from `first` to `last` in steps of `step`.
    pub fn new(first: u32, last: u32, step: u32) -> SmRange {
        SmRange { first, last, step }
    }

    /// Returns the numbers in ascending order.
    pub fn numbers(self) -> Vec<u32> {
        (self.first..=self.last)
            .step_by(self.step.max(1) as usize)
            .collect()
    }

    /// Checks that kernels can run on `sms` SMs of `machine`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`], which names the option `sms`.
    pub fn check(machine: &Machine, sms: u32) -> Result<(), Error> {
        let (all, cluster) = (machine.sms(), machine.sms_per_cluster);
        if sms <= all && sms.is_multiple_of(cluster) {
            return Ok(());
        }
        let name = &machine.name;
        let expected = match cluster {
            1 => format!("1 to {all}, the number of SMs of {name}"),
            _ => format!(
                "multiples of {cluster} (the number of SMs in a cluster of {name}) up to {all}, such as {cluster}..{all}:{cluster}"
            ),
        };
        Err(Error::parameter("sms", sms, expected))
    }
}

impl FromStr for SmRange {
    type Err = String;

    fn from_str(text: &str) -> Result<SmRange, String> {
        let (range, step) = text.split_once(':').unwrap_or((text, "1"));
        let (first, last) = range.split_once("..").unwrap_or((range, range));
        let number = |text: &str| text.parse().ok().filter(|&number| number > 0);
        let range = (|| Some(SmRange::new(number(first)?, number(last)?, number(step)?)))();
        let range = range.filter(|range| range.first <= range.last && range.last <= Machine::MAX_SMS);
        range.ok_or_else(|| {
            let most = Machine::MAX_SMS;
            refused(
                text,
                format_args!("numbers of SMs such as 1..30, 2..30:4 or 8, up to {most}"),
            )
        })
    }
}

/// Frequency of a clock domain in MHz, such as `core=1365` or `dram=3500.5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    domain: Domain,
    khz: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Domain {
    Core,
    Interconnect,
    L2,
    Dram,
}

impl Clock {
    /// Sets the frequency of this clock domain in `clocks`.
    pub fn set(&self, clocks: &mut Clocks) {
        let field = match self.domain {
            Domain::Core => &mut clocks.core_khz,
            Domain::Interconnect => &mut clocks.interconnect_khz,
            Domain::L2 => &mut clocks.l2_khz,
            Domain::Dram => &mut clocks.dram_khz,
        };
        *field = self.khz;
    }
}

impl FromStr for Clock {
    type Err = String;

    fn from_str(text: &str) -> Result<Clock, String> {
        let clock = || {
            let (domain, mhz) = text.split_once('=')?;
            let domain = match domain {
                "core" => Domain::Core,
                "interconnect" => Domain::Interconnect,
                "l2" => Domain::L2,
                "dram" => Domain::Dram,
                _ => return None,
            };
            let (whole, decimals) = mhz.split_once('.').unwrap_or((mhz, "0"));
            let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            if !digits(whole) || !digits(decimals) || decimals.len() > 3 {
                return None;
            }
            let khz: u32 = whole.parse::<u32>().ok()?.checked_mul(1000)?;
            let khz = khz.checked_add(format!("{decimals:0<3}").parse().ok()?)?;
            (1..=Clocks::MAX_KHZ)
                .contains(&khz)
                .then_some(Clock { domain, khz })
        };
        clock().ok_or_else(|| {
            refused(
                text,
                "DOMAIN=MHZ with core, interconnect, l2 or dram and at most three decimals, such as core=1365",
            )
        })
    }
}
