//! Which SM the block scheduler prefers among equally good ones.

use serde::{Deserialize, Serialize};

/// The order in which the block scheduler prefers equally good SMs; a property of the platform (MODELS §7).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SmOrder {
    /// Even numbers ascending, then odd ones: one SM of each GPC, then the other ([Sanudo20] §III-C).
    #[default]
    EvenOdd,
    /// From 0 on, as where each GPC has one SM.
    Ascending,
    /// From the last on, as a Quadro K5000 does.
    Descending,
}

impl SmOrder {
    /// The numbers of `sms` SMs in this order.
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
