//! Metrics of a kernel beside memory clients. `counts` varies the number of clients, `regulated` varies their budgets, and
//! `policies` chooses budgets at run time.

mod counts;
mod policies;
mod regulated;

pub use counts::ClientCountsParameters;
pub use regulated::RegulatedClientsParameters;

use super::{Files, Labels, Measure, Parameters, Row, bench, simulation, sweep};
