//! Analysis variants of the paper.

/// Analysis variant of the paper.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Variant {
    /// Equations as printed: T_c(k, n) of Eq. 8 comes from Eq. 4, and penalties may be below 1.
    Printed,
    /// T_c(k, n) is the measured C_k(n), if known, and penalties of Eq. 15 are at least 1, as the text requires.
    Repaired,
}
