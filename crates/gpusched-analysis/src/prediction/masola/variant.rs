//! Analysis variants of [Masola23].

/// Analysis variant of [Masola23].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Variant {
    /// The equations are used as printed: T_c(k, n) of Eq. 8 is the result of Eq. 4, and penalties may be below 1.
    Printed,
    /// T_c(k, n) is the measured C_k(n) if it is known. The penalties of Eq. 15 are at least 1, as the text of the paper requires.
    Repaired,
}
