//! A plan that runs with the jobs of the user's program.
//!
//! A session verifies a plan, creates its partitions, and dispatches the jobs of a program, in one process. The program adds the work of
//! each task, starts the dispatchers, waits for jobs, and stops them. The C interface and the Python module use sessions.
//!
//! One thread owns the GPU and waits for the dispatchers. One thread keeps the records of completed jobs and calls the functions of the
//! user. Each partition has the thread of its dispatcher, which calls the work of its tasks.
//!
//! * `options`, `fault`: what a session needs to know, and its errors;
//! * `state`: the session and its phases;
//! * `open`, `registration`, `start`, `release`, `stop`: the calls of the program, in their order;
//! * `supervisor`: the thread that owns the GPU;
//! * `jobs`, `records`: the program as a dispatcher sees it, and the way of its records.

mod fault;
mod jobs;
mod open;
mod options;
mod records;
mod registration;
mod release;
mod start;
mod state;
mod stop;
mod supervisor;

pub use fault::{Fault, Kind};
pub use jobs::{Enqueue, Work};
pub use options::Options;
pub use state::Session;
