//! Distributions of the execution times in one cluster: a normal distribution, and extreme-value
//! distributions.

pub mod gev;
pub mod goodness;
pub mod gpd;
pub mod independence;
pub mod kolmogorov;
pub mod normal;
pub mod simplex;
pub mod tail;
pub mod trend;

use super::ALPHA;
