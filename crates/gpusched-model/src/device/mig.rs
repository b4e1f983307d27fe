//! MIG (multi-instance GPU): profiles, and the possible positions of instances.

use serde::{Deserialize, Serialize};

use super::{PLAIN, is_plain};
use crate::Refusal;

/// Maximum number of compute slices of a GPU, and maximum number of its memory slices.
const MAX_SLICES: u32 = 16;

/// Maximum number of SMs of a MIG profile.
const MAX_PROFILE_SMS: u32 = 4000;

/// Maximum number of MIG profiles.
const MAX_PROFILES: usize = 32;

/// MIG rules of a GPU. Each MIG instance has a number of compute slices and a contiguous range of memory slices.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Mig {
    /// Number of compute slices of the GPU. All instances together have at most this number of
    /// compute slices.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_SLICES)))]
    pub compute_slices: u32,
    /// Number of memory slices of the GPU. The slices are numbered from 0.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_SLICES)))]
    pub memory_slices: u32,
    /// MIG profiles: the kinds of instances that the GPU supports.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_PROFILES)))]
    pub profiles: Vec<MigProfile>,
}

/// A MIG profile, which describes one kind of instance.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MigProfile {
    /// Name of the MIG profile, such as `3g.20gb`.
    pub name: String,
    /// Number of SMs of an instance.
    pub sms: u32,
    /// Number of compute slices of an instance.
    pub compute: u32,
    /// Number of memory slices of an instance.
    pub memory: u32,
    /// Numbers of the memory slices at which an instance can start, ascending.
    pub starts: Vec<u32>,
}

impl Mig {
    /// Refuses rules that are impossible for a GPU with `sms` SMs.
    pub(super) fn check(&self, sms: u32) -> Result<(), Refusal> {
        for (field, value) in [
            ("compute_slices", self.compute_slices),
            ("memory_slices", self.memory_slices),
        ] {
            if !(1..=MAX_SLICES).contains(&value) {
                Refusal::refuse(format!("mig.{field}"), value, format!("1 to {MAX_SLICES}"))?;
            }
        }
        if !(1..=MAX_PROFILES).contains(&self.profiles.len()) {
            let found = format!("{} profiles", self.profiles.len());
            Refusal::refuse("mig.profiles", found, format!("1 to {MAX_PROFILES}"))?;
        }
        for (index, profile) in self.profiles.iter().enumerate() {
            let of = |field: &str| format!("mig.profiles[{index}].{field}");
            let named = |other: &MigProfile| other.name == profile.name;
            if !is_plain(&profile.name) {
                Refusal::refuse(of("name"), format!("{:?}", profile.name), PLAIN)?;
            }
            if self.profiles.iter().take(index).any(named) {
                Refusal::refuse(
                    of("name"),
                    format!("{:?} a second time", profile.name),
                    "a unique name",
                )?;
            }
            for (field, value, most) in [
                ("sms", profile.sms, sms.min(MAX_PROFILE_SMS)),
                ("compute", profile.compute, self.compute_slices),
                ("memory", profile.memory, self.memory_slices),
            ] {
                if !(1..=most).contains(&value) {
                    Refusal::refuse(of(field), value, format!("1 to {most}"))?;
                }
            }
            let last = self.memory_slices - profile.memory;
            if profile.starts.is_empty() {
                Refusal::refuse(of("starts"), "an empty list", "at least one memory slice")?;
            }
            let ascending = profile.starts.is_sorted_by(|a, b| a < b);
            if !ascending || profile.starts.iter().any(|&start| start > last) {
                let found = format!("{:?}", profile.starts);
                let expected = format!("slice numbers in ascending order, each from 0 to {last}");
                Refusal::refuse(of("starts"), found, expected)?;
            }
        }
        Ok(())
    }

    /// Returns the smallest number of memory slices among the MIG profiles with at least `sms`
    /// SMs. Returns `None` if every profile has fewer SMs.
    pub fn memory_of(&self, sms: u32) -> Option<u32> {
        let large = self.profiles.iter().filter(|profile| profile.sms >= sms);
        large.map(|profile| profile.memory).min()
    }

    /// Returns the MIG profile called `name`.
    pub fn profile(&self, name: &str) -> Option<&MigProfile> {
        self.profiles.iter().find(|profile| profile.name == name)
    }
}
