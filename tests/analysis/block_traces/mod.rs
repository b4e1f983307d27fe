//! Promise: a block trace is read completely or refused with file and line; blocks that behave alike share a cluster and
//! others do not; a synthetic trace is what its profile says. With full counts: `cargo bench --bench clustering`.

mod estimates;
mod planted;
mod reading;
mod refusals;
mod scenario;
mod statistic;
mod synthesis;
