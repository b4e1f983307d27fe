//! Order of equally good SMs for the block scheduler.

use serde::{Deserialize, Serialize};

/// Order of equally good SMs for the block scheduler, as a property of the platform (MODELS §7).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SmOrder {
    /// Even numbers ascending, then odd numbers: one SM of each GPC, then the other SM ([Sanudo20] §III-C).
    #[default]
    EvenOdd,
    /// Ascending from SM 0, as on GPUs with one SM per GPC.
    Ascending,
    /// Descending from the last SM, as on a Quadro K5000.
    Descending,
}

impl SmOrder {
    /// Returns the numbers of `sms` SMs in this order.
    pub fn of(self, sms: u32) -> Vec<u32> {
        match self {
            SmOrder::EvenOdd => (0..sms).step_by(2).chain((1..sms).step_by(2)).collect(),
            SmOrder::Ascending => (0..sms).collect(),
            SmOrder::Descending => (0..sms).rev().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders() {
        assert_eq!(SmOrder::EvenOdd.of(5), [0, 2, 4, 1, 3]);
        assert_eq!(SmOrder::Ascending.of(3), [0, 1, 2]);
        assert_eq!(SmOrder::Descending.of(3), [2, 1, 0]);
    }
}
