//! Export of plans to the tools that divide a GPU.
//!
//! * `libsmctrl`: masks of TPCs;
//! * `mps`: numbers of chunks, for MPS v2 and v3;
//! * `mig`: profiles and first memory slices;
//! * `green_context`: a program that splits the SMs and dispatches jobs;
//! * `csv`: a table for any other tool.
//!
//! For each partition, a comment names its SMs and the evidence of its verdict. Further comments
//! list the assumptions of the verdicts. The CSV table has no comments, because CSV readers
//! differ in their comment syntax.

mod content;
mod csv;
mod green_context;
mod libsmctrl;
mod mig;
mod mps;

pub use csv::CSV_COLUMNS;

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::partitioning::Offer;
use content::Export;
use gpusched_model::device::{Granularity, Hardware};
use gpusched_model::error::Error;
use gpusched_model::plan::Plan;
use gpusched_model::{Device, TaskSet};

/// Tool for which gpusched exports a plan.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Target {
    /// Masks of disabled TPCs, as a C header for libsmctrl.
    Libsmctrl,
    /// Static SM partitions of MPS v2 and their processes, as a shell script.
    Mps,
    /// Static SM partitions of MPS v3 and their processes, as a shell script with a file in TOML.
    MpsV3,
    /// MIG instances and their processes, as a shell script.
    Mig,
    /// CUDA green contexts and dispatchers, as a C++ header.
    GreenContext,
    /// Table of partitions, as CSV.
    Csv,
}

/// Returns the finest granularity of `device` that some target reserves: the granularity with the smallest partitions.
/// If several granularities have equally small partitions, returns the first of them in the order of [`Granularity`].
/// Returns `None` if no target reserves partitions of `device`. [`Target::Csv`] is a table, and reserves no SMs.
pub fn finest(device: &Device) -> Option<Granularity> {
    let smallest = |granularity| {
        let offer = Offer::new(device, granularity).ok()?;
        let reserves = |target: &&Target| **target != Target::Csv && target.check(offer.hardware()).is_ok();
        Target::VARIANTS.iter().find(reserves)?;
        Some((*offer.sizes().first()?, granularity))
    };
    let reserved = Granularity::VARIANTS
        .iter()
        .filter_map(|&granularity| smallest(granularity));
    reserved
        .min_by_key(|&(sms, _)| sms)
        .map(|(_, granularity)| granularity)
}

impl Target {
    /// Checks that this target supports plans for `hardware`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the target requires another granularity or does not support this device.
    pub fn check(self, hardware: &Hardware) -> Result<(), Error> {
        let needed: &[Granularity] = match self {
            Target::Libsmctrl => &[Granularity::Tpc, Granularity::Gpc],
            Target::Mps | Target::MpsV3 => &[Granularity::Mps],
            Target::Mig => &[Granularity::Mig],
            Target::GreenContext => &[Granularity::GreenContext],
            Target::Csv => return Ok(()),
        };
        if !needed.contains(&hardware.granularity) {
            let names: Vec<String> = needed.iter().map(ToString::to_string).collect();
            let found = format!("{self} for partitions of granularity {}", hardware.granularity);
            let expected = format!("granularity {}, which {self} supports", names.join(" or "));
            return Err(Error::parameter("target", found, expected));
        }
        match self {
            Target::Libsmctrl => libsmctrl::check(hardware),
            _ => Ok(()),
        }
    }

    /// Exports `plan` for `set`. The plan must be schedulable.
    ///
    /// # Errors
    /// Fails like [`Target::check`]. Fails with [`Error::Refused`] if the plan has no device, lacks a placement, or is not
    /// schedulable. Also fails for a plan with overheads of virtual time, because all targets but [`Target::Csv`] are for a GPU.
    pub fn export(self, plan: &Plan, set: &TaskSet) -> Result<String, Error> {
        let Some(hardware) = &plan.hardware else {
            return Err(Error::parameter("plan", "no device", "a plan for a device"));
        };
        self.check(hardware)?;
        if !plan.schedulable {
            return Err(Error::parameter(
                "plan",
                "a plan that is not schedulable",
                "a schedulable plan",
            ));
        }
        if let Some(origin) = plan.overheads_origin.as_ref().filter(|_| self != Target::Csv) {
            origin.check_gpu()?;
        }
        let out = Export { hardware, plan, set };
        match self {
            Target::Libsmctrl => libsmctrl::export(&out),
            Target::Mps => mps::export(&out),
            Target::MpsV3 => mps::export_v3(&out),
            Target::Mig => mig::export(&out),
            Target::GreenContext => green_context::export(&out),
            Target::Csv => csv::export(&out),
        }
    }
}
