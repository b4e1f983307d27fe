//! Orders of SMs. If several SMs are equally good, the block scheduler chooses the first of them in the order.

use serde::{Deserialize, Serialize};

/// Order of the SMs. If several SMs are equally good, the block scheduler chooses the first of them in this order. The
/// order is a property of the platform ([Sanudo20] §III-C).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, strum::Display)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum SmOrder {
    /// The even SM numbers in ascending order precede the odd SM numbers in ascending order. So the first SM of each
    /// GPC precedes the second SMs of all GPCs ([Sanudo20] §III-C).
    #[default]
    EvenOdd,
    /// Ascending SM numbers, as on GPUs with one SM per GPC.
    Ascending,
    /// Descending SM numbers, as on a Quadro K5000.
    Descending,
}

impl SmOrder {
    /// Returns the numbers of all SMs in this order, for a GPU with `sms` SMs.
    pub fn of(self, sms: u32) -> Vec<u32> {
        match self {
            SmOrder::EvenOdd => (0..sms).step_by(2).chain((1..sms).step_by(2)).collect(),
            SmOrder::Ascending => (0..sms).collect(),
            SmOrder::Descending => (0..sms).rev().collect(),
        }
    }
}
