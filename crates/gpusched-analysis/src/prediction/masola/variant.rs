//! Analysis variants of the prediction model of [Masola23].

/// Analysis variant of the prediction model of [Masola23].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Variant {
    /// Equations as printed: T_c(k, n) of Eq. 8 is the result of Eq. 4, and penalties may be
    /// below 1.
    Printed,
    /// Repaired equations: T_c(k, n) is the measured C_k(n) if it is known. The penalties of Eq.
    /// 15 are at least 1, as the text of the paper requires.
    Repaired,
    /// `Repaired` without the factor I(w) of Eq. 8. I(w) and Π both grow with the bandwidth demand
    /// in a window, so their product counts the demand twice.
    Penalty,
}
