//! Metrics of a kernel beside memory clients. `counts` varies the number of clients, `regulated` varies their budgets, and
//! `policies` chooses budgets at run time. `runs` has the runs of both.

mod counts;
mod policies;
mod regulated;
mod runs;

pub use counts::ClientCountsParameters;
pub use regulated::RegulatedClientsParameters;

use super::{Files, Labels, Measure, Parameters, Row, bench, simulation, sweep};
