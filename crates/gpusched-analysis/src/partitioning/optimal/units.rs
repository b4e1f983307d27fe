//! Price unit. Prices are integer multiples of a millionth of an SM.

/// Price of one SM, in price units.
pub(super) const ONE: i64 = gpusched_model::plan::UNITS_PER_SM as i64;
