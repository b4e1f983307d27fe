//! The dispatcher of gpusched: it runs what a plan proves.
//!
//! A plan assigns tasks to partitions of a GPU, and proves their deadlines under the assumption that each partition
//! runs one job at a time, in the order of its policy. This crate is the dispatcher that the assumption is about.
//!
//! * [`core`]: the dispatcher of one partition, as a state machine without input and output;
//! * [`program`]: verifies a plan with the overheads of the dispatcher, and turns it into partitions with budgets;
//! * [`work`]: execution times of jobs that stand in for the user's kernels;
//! * [`backend`]: runs the jobs, in virtual time or on a GPU through the CUDA driver;
//! * [`client`]: the program of the user, as a backend sees it;
//! * [`session`]: a plan that runs with the jobs of the user's program;
//! * [`queue`], [`grant`]: how a dispatcher and other threads of a session meet;
//! * [`measure`]: which samples of a kernel to take, and what their times show;
//! * [`run`], [`trace`]: the result, the recording that `gpusched recording audit` reads, and a file that keeps the records
//!   of a killed run.

pub mod backend;
pub mod client;
pub mod core;
pub mod grant;
pub mod measure;
pub mod program;
pub mod queue;
#[cfg(target_os = "linux")]
mod realtime;
pub mod run;
#[cfg(target_os = "linux")]
pub mod session;
pub mod trace;
pub mod work;

#[cfg(target_os = "linux")]
pub use backend::cuda;
pub use backend::{Backend, Control, simulated};
pub use program::{Part, PlannedTask, Prepared, Program};
#[cfg(target_os = "linux")]
pub use realtime::{is_virtual, stop_on_signals};
pub use run::Run;
#[cfg(target_os = "linux")]
pub use session::Session;
pub use work::Work;
