//! The two scaling forms of WCET functions, `amdahl` and `proportional`. The SMs share the work,
//! and a serial share limits the speed-up.

use serde::{Deserialize, Serialize};

use super::rounding::{ceil_div, limited, product};
use super::{Contention, MAX_SMS, WcetError};
use crate::numbers::factor::Factor;
use crate::time::Time;

/// Parameters of the forms `amdahl` and `proportional`.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "an object with \"work\", \"serial\" and optionally \"conflict\""
)]
pub struct Scaling {
    /// a: amount of work that is divided among the SMs [ns]; > 0.
    #[serde(deserialize_with = "crate::time::positive_time")]
    pub work: Time,
    /// β: serial share of the work, which additional SMs do not speed up.
    pub serial: Factor,
    /// k: factor by which a conflict multiplies the WCET; at least 1. If the field is absent, the
    /// WCET in conflict equals the isolated WCET.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Factor>,
}

impl Scaling {
    /// Returns k, the factor by which a conflict multiplies the WCET.
    pub fn k(&self) -> Factor {
        self.conflict.unwrap_or(Factor::ONE)
    }

    fn factor(&self, contention: Contention) -> (u64, u64) {
        match contention {
            Contention::Isolated => (1, 1),
            Contention::Conflict => self.k().ratio(),
        }
    }

    /// Computes k·(a/m + β·a) = k·a·(β_d + m·β_n) / (m·β_d), with β = β_n/β_d.
    pub(super) fn amdahl(&self, sms: u32, contention: Contention) -> Option<Time> {
        self.divided(sms, sms, contention)
    }

    /// Computes k·a·(1+β)/m = k·a·(β_d + β_n) / (m·β_d).
    pub(super) fn proportional(&self, sms: u32, contention: Contention) -> Option<Time> {
        self.divided(sms, 1, contention)
    }

    /// Computes k·a·(β_d + `serial`·β_n) / (m·β_d), rounded up.
    fn divided(&self, sms: u32, serial: u32, contention: Contention) -> Option<Time> {
        let (k, k_divisor) = self.factor(contention);
        let (beta, beta_divisor) = self.serial.ratio();
        // The products of most tasks have at most 64 bits, and are faster then.
        let short = || {
            let spread = u64::from(serial).checked_mul(beta)?.checked_add(beta_divisor)?;
            let numerator = self.work.ns().checked_mul(k)?.checked_mul(spread)?;
            let denominator = u64::from(sms).checked_mul(beta_divisor)?.checked_mul(k_divisor)?;
            Some(numerator.div_ceil(denominator))
        };
        if let Some(ns) = short() {
            return limited(ns);
        }
        let spread = u128::from(beta_divisor) + u128::from(serial) * u128::from(beta);
        let numerator = product(self.work.ns(), k, spread)?;
        ceil_div(
            numerator,
            u128::from(sms) * u128::from(beta_divisor) * u128::from(k_divisor),
        )
    }

    /// Checks C(m) at m = 1, where C is largest, and at m = [`MAX_SMS`], where the intermediate product is largest. If
    /// both values are defined, C(m) is defined for every m.
    pub(super) fn check(
        &self,
        at: impl Fn(&Scaling, u32, Contention) -> Option<Time>,
    ) -> Result<(), WcetError> {
        if self.work == Time::ZERO {
            return Err(WcetError::Zero {
                found: "work of 0 ns".to_owned(),
            });
        }
        if self.k() < Factor::ONE {
            return Err(WcetError::ConflictFactor { found: self.k() });
        }
        for sms in [1, MAX_SMS] {
            for contention in [Contention::Isolated, Contention::Conflict] {
                if at(self, sms, contention).is_none() {
                    return Err(WcetError::TooLarge {
                        found: format!(
                            "work {}, serial {}, conflict {}",
                            self.work,
                            self.serial,
                            self.k()
                        ),
                    });
                }
            }
        }
        Ok(())
    }
}
