//! The unit in which prices are integers.

/// The price of one SM, in units.
pub(super) const ONE: i64 = gpusched_model::plan::UNITS_PER_SM as i64;
