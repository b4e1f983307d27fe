//! WCET functions of the affine form a/m + b.

use serde::{Deserialize, Serialize};

use super::rounding::ceil_div;
use super::{Contention, MAX_SMS, WcetError};
use crate::time::Time;

/// Affine WCET a/m + b on m SMs: one function in isolation and, optionally, another function in
/// conflict.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "an object with \"isolated\" and optionally \"conflict\""
)]
pub struct AffinePair {
    /// Cⁿ: WCET in isolation.
    pub isolated: Affine,
    /// Cᶜ: WCET in conflict. If the field is absent, Cᶜ equals the isolated WCET.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Affine>,
}

/// Affine function a/m + b, where m is the number of SMs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "an object with \"a\" and \"b\", for the WCET a/m + b on m SMs"
)]
pub struct Affine {
    /// a: part of the WCET that is divided by the number of SMs [ns].
    pub a: Time,
    /// b: part of the WCET that does not depend on the number of SMs [ns].
    pub b: Time,
}

impl AffinePair {
    /// Computes a/m + b, rounded up.
    pub(super) fn at(&self, sms: u32, contention: Contention) -> Option<Time> {
        self.of(contention).at(sms)
    }

    fn of(&self, contention: Contention) -> &Affine {
        match (contention, &self.conflict) {
            (Contention::Conflict, Some(conflict)) => conflict,
            _ => &self.isolated,
        }
    }

    /// Checks that each WCET is positive and within the limits, and that no WCET in conflict is below the isolated
    /// WCET.
    pub(super) fn check(&self) -> Result<(), WcetError> {
        let (isolated, conflict) = (self.isolated, *self.of(Contention::Conflict));
        for affine in [isolated, conflict] {
            let found = || format!("a = {}, b = {}", affine.a, affine.b);
            if affine.at(1).is_none() {
                return Err(WcetError::TooLarge { found: found() });
            }
            if affine.at(1) == Some(Time::ZERO) {
                return Err(WcetError::Zero { found: found() });
            }
        }
        // The difference between the two functions is linear in 1/m. If the difference is at
        // least 0 at the smallest and the largest m, it is at least 0 at every m.
        for sms in [1, MAX_SMS] {
            let scaled =
                |affine: Affine| u128::from(affine.a.ns()) + u128::from(affine.b.ns()) * u128::from(sms);
            if scaled(conflict) < scaled(isolated) {
                return Err(WcetError::ConflictFaster { sms });
            }
        }
        Ok(())
    }
}

impl Affine {
    fn at(&self, sms: u32) -> Option<Time> {
        let scaled = ceil_div(self.a.ns().into(), sms.into())?;
        scaled.checked_add(self.b).filter(|&time| time <= Time::LIMIT)
    }
}
