//! Refusals of parameters that have no effect on end-to-end systems, or that have no analysis.

use super::Search;
use crate::partitioning::{Objective, Offer, Options, Traffic};
use gpusched_model::Interference;
use gpusched_model::device::Granularity;
use gpusched_model::error::{Error, Result};

/// Refuses `parameter`, which has no effect on end-to-end systems.
///
/// # Errors
/// Fails if `given` is true.
pub fn refuse(parameter: &str, given: bool, reason: &str) -> Result<()> {
    match given {
        true => Err(Error::parameter(
            parameter,
            "an end-to-end system",
            format!("a task set: {reason}"),
        )),
        false => Ok(()),
    }
}

/// Refuses interference models with memory times.
///
/// # Errors
/// Fails with [`Error::Refused`] for such a model.
pub fn check_interference(interference: Interference) -> Result<()> {
    let reason = "segments state bytes, and no sectors";
    refuse("interference", interference.counts_memory_time(), reason)
}

impl Search {
    /// Refuses the options of heuristics that have no effect on the search for partitions of a system.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for the first such option.
    pub fn check_options(options: &Options, traffic: Option<Traffic>) -> Result<()> {
        let objective = options.objective;
        let without_effect = [
            ("objective", objective.is_some_and(|one| one != Objective::Sms)),
            ("time_limit", options.time_limit.is_some()),
            ("gap", options.gap.is_some()),
            ("improve", options.improve),
            ("forbidden", options.forbidden.is_some()),
            ("order", options.order.is_some()),
            ("sms_ties", options.sms_ties.is_some()),
            ("bf_measure", options.bf_measure.is_some()),
            ("bf_direction", options.bf_direction.is_some()),
            ("split", options.split.is_some()),
            ("traffic", traffic.is_some()),
        ];
        let mut all = without_effect.into_iter();
        all.try_for_each(|(option, given)| refuse(option, given, NO_EFFECT))
    }

    /// Refuses a shared memory if partitions of the sizes `offer` have their own memory slices.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for MIG with a shared memory.
    pub fn check_memory(&self, offer: Option<&Offer>) -> Result<()> {
        let granularity = offer.map(|offer| offer.hardware().granularity);
        let divided = self.environment.memory.is_some() && granularity == Some(Granularity::Mig);
        let reason = "MIG divides the memory, but the analysis of systems assumes a shared memory";
        refuse("granularity", divided, reason)
    }
}

/// Reason for the refusal of an option without effect.
pub const NO_EFFECT: &str = "the option has no effect on systems";
