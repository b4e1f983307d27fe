//! Option `-gpgpu_clock_domains`: clock frequencies in MHz.

use super::settings::Settings;
use super::value::{Value, unsigned};
use crate::machine::Clocks;
use gpusched_model::error::Result;

pub(super) fn clocks(settings: &mut Settings) -> Result<Clocks> {
    let value = settings.value("-gpgpu_clock_domains", "500.0:2000.0:2000.0:2000.0")?;
    let parts: Vec<&str> = value.text.split(':').collect();
    let &[core, interconnect, l2, dram] = parts.as_slice() else {
        return Err(value.refuse("four frequencies in MHz: core:interconnect:L2:DRAM"));
    };
    Ok(Clocks {
        core_khz: khz(&value, core)?,
        interconnect_khz: khz(&value, interconnect)?,
        l2_khz: khz(&value, l2)?,
        dram_khz: khz(&value, dram)?,
    })
}

/// Converts a decimal number of MHz to kHz, without rounding.
fn khz(value: &Value, text: &str) -> Result<u32> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let part = part.trim_end_matches('0');
    let thousandths = match part.len() {
        0..=3 => unsigned(&format!("{part:0<3}"), 10),
        _ => None,
    };
    let exact = |whole: u32, part: u32| whole.checked_mul(1000)?.checked_add(part);
    let khz = unsigned(whole, 10)
        .zip(thousandths)
        .and_then(|(whole, part)| exact(whole, part));
    khz.ok_or_else(|| value.refuse_part(text, "a frequency in MHz with at most three decimals"))
}
