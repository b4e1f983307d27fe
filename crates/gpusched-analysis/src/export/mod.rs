//! Plans in the words of the tools that divide a GPU.
//!
//! * `libsmctrl`: masks of TPCs; `mps`: chunks; `mig`: profiles and where they begin; `green_context`: groups of a split;
//! * `csv`: a table for all others.
//!
//! Each partition has a comment that says which SMs it has, and what its verdict rests on.

mod csv;
mod green_context;
mod libsmctrl;
mod mig;
mod mps;

pub use csv::CSV_COLUMNS;

use serde::{Deserialize, Serialize};

use gpusched_model::TaskSet;
use gpusched_model::device::{Device, Granularity, Hardware, Place, Runs};
use gpusched_model::error::Error;
use gpusched_model::plan::{Partition, Plan};
use gpusched_model::words::counted;

/// What a plan can be exported for.
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    Hash,
    Debug,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// Masks of disabled TPCs, as a C header for libsmctrl.
    Libsmctrl,
    /// Static SM partitions of MPS, as a shell script.
    Mps,
    /// MIG instances, as a shell script.
    Mig,
    /// Groups of a split for CUDA green contexts, as a C header.
    GreenContext,
    /// A table of partitions.
    Csv,
}

impl Target {
    /// Whether plans of `hardware` can be exported so.
    ///
    /// # Errors
    /// [`Error::Usage`] with the granularity that is needed, or what this device cannot.
    pub fn check(self, hardware: &Hardware) -> Result<(), Error> {
        let needed: &[Granularity] = match self {
            Target::Libsmctrl => &[Granularity::Tpc, Granularity::Gpc],
            Target::Mps => &[Granularity::Mps],
            Target::Mig => &[Granularity::Mig],
            Target::GreenContext => &[Granularity::GreenContext],
            Target::Csv => return Ok(()),
        };
        if !needed.contains(&hardware.granularity) {
            let names: Vec<String> = needed.iter().map(ToString::to_string).collect();
            return Err(Error::Usage(format!(
                "found {self} with --granularity {}, expected --granularity {}, whose sizes {self} can give",
                hardware.granularity,
                names.join(" or ")
            )));
        }
        match self {
            Target::Libsmctrl => libsmctrl::check(&hardware.device),
            _ => Ok(()),
        }
    }

    /// `plan` for `set`, which is schedulable, in the words of this target.
    ///
    /// # Errors
    /// As [`Target::check`], and [`Error::Usage`] for a plan without device, places or a positive answer.
    pub fn export(self, plan: &Plan, set: &TaskSet) -> Result<String, Error> {
        let Some(hardware) = &plan.hardware else {
            return Err(Error::Usage(
                "found a plan without device, expected --device".to_owned(),
            ));
        };
        self.check(hardware)?;
        if !plan.schedulable {
            return Err(Error::Usage(
                "found a plan that is not schedulable, expected one that is".to_owned(),
            ));
        }
        let out = Export { hardware, plan, set };
        match self {
            Target::Libsmctrl => libsmctrl::export(&out),
            Target::Mps => mps::export(&out),
            Target::Mig => mig::export(&out),
            Target::GreenContext => green_context::export(&out),
            Target::Csv => csv::export(&out),
        }
    }
}

/// What is exported.
struct Export<'a> {
    hardware: &'a Hardware,
    plan: &'a Plan,
    set: &'a TaskSet,
}

impl Export<'_> {
    fn device(&self) -> &Device {
        &self.hardware.device
    }

    /// One line about the partition at `index`: its size, its SMs where they are known, its tasks, and why it holds.
    fn comment(&self, index: usize, partition: &Partition) -> String {
        let at = match self.sms(partition) {
            None => String::new(),
            Some(sms) => format!(" ({})", Runs(&sms)),
        };
        let names = partition.tasks.iter().map(|&task| {
            let name = self.set.tasks().get(task).and_then(|task| task.name());
            match name {
                Some(name) => format!("#{task} {:?}", name.chars().take(40).collect::<String>()),
                None => format!("#{task}"),
            }
        });
        let names: Vec<String> = names.collect();
        format!(
            "partition {index}: {}{at}; tasks {}; {}: {}",
            counted(partition.sms, "SM"),
            names.join(", "),
            partition.verdict.policy,
            partition.verdict.evidence
        )
    }

    /// The SMs of `partition`, ascending; `None` where the driver chooses.
    fn sms(&self, partition: &Partition) -> Option<Vec<u32>> {
        let of_tpcs = |tpcs: Vec<u32>| -> Vec<u32> {
            let mut sms: Vec<u32> = tpcs
                .iter()
                .flat_map(|&tpc| self.device().sms_of_tpc(tpc))
                .collect();
            sms.sort_unstable();
            sms
        };
        match partition.place.as_ref()? {
            Place::Sms(sms) => Some(sms.clone()),
            Place::Tpcs(_) | Place::Gpcs(_) => Some(of_tpcs(self.tpcs(partition)?)),
            Place::Instance(_) => None,
        }
    }

    /// Its TPCs, if it has whole ones.
    fn tpcs(&self, partition: &Partition) -> Option<Vec<u32>> {
        match partition.place.as_ref()? {
            Place::Tpcs(tpcs) => Some(tpcs.clone()),
            Place::Gpcs(gpcs) => Some(
                gpcs.iter()
                    .flat_map(|&gpc| self.device().tpcs_of_gpc(gpc))
                    .collect(),
            ),
            Place::Sms(_) | Place::Instance(_) => None,
        }
    }

    /// The partitions with their numbers.
    fn partitions(&self) -> impl Iterator<Item = (usize, &Partition)> {
        self.plan.partitions.iter().enumerate()
    }
}

/// Why a plan from elsewhere may lack a place; plans of the library have all.
fn unplaced(index: usize) -> Error {
    Error::Usage(format!(
        "found partition {index} without its place on the device, expected one"
    ))
}
