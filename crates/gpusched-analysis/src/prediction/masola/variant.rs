//! How the paper is read.

/// How the paper is read.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Variant {
    /// Equations as printed: T_c(k, n) of Eq. 8 is that of Eq. 4, and penalties may be below 1.
    Printed,
    /// T_c(k, n) is C_k(n) where that was measured, and Eq. 15 gives at least 1, as the text asks.
    Repaired,
}
