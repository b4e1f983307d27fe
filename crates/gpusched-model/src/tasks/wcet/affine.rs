//! The affine form a/m + b.

use serde::{Deserialize, Serialize};

use super::rounding::ceil_div;
use super::{Contention, MAX_SMS, WcetError};
use crate::time::Time;

/// Affine WCET a/m + b in isolation and, if it differs, in conflict.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "an object with \"isolated\" and, if it differs, \"conflict\""
)]
pub struct AffinePair {
    /// Cⁿ: WCET in isolation.
    pub isolated: Affine,
    /// Cᶜ: WCET in conflict; the same as `isolated` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Affine>,
}

/// Affine function a/m + b of the number of SMs m.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object with \"a\" and \"b\" for a/m + b")]
pub struct Affine {
    /// a: part of the WCET that scales with the SMs [ns].
    pub a: Time,
    /// b: part of the WCET that does not depend on the SMs [ns].
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

    /// Checks that no value is zero or too large, and that no WCET in conflict is below the WCET in isolation.
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
        // The difference of the two functions is linear in 1/m. If it is not negative at both ends, it is not negative
        // anywhere.
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
