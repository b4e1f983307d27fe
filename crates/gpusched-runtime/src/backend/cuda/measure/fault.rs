//! Reasons for the early end of a series, and the time limits of jobs.

use std::ffi::c_int;

use gpusched_model::error::{Error, Refusal};
use gpusched_model::time::Time;

use super::super::library::{Code, Driver, NOT_READY};
use crate::realtime;

/// Name of the function of a plugin.
pub const FUNCTION: &str = "gs_measure_job";

/// A tenth of the time after which the dispatcher gives up on a job [ns].
pub const BUDGET: u64 = 6_000_000_000;

/// Time after which a measurement gives up on work of another kernel [ns]: the same as for a measured job.
pub const LIMIT: u64 = 10 * BUDGET;

/// Reason for the early end of a series.
#[derive(Copy, Clone, Debug)]
pub enum Fault {
    /// The function of the plugin returned this result.
    Plugin(c_int),
    /// A call of the driver failed.
    Call(&'static str, Code),
    /// Work of another kernel has not ended within [`LIMIT`].
    Endless,
}

impl Fault {
    /// Returns the error. `what` names the work of the plugin, such as a job.
    pub fn error(self, driver: &Driver, what: &str) -> Error {
        match self {
            Fault::Plugin(code) => {
                let found = format!("the result {code} of {what}");
                Error::parameter("plugin", found, format!("0 from `{FUNCTION}`"))
            }
            Fault::Call(call, code) => Refusal::new(call, driver.name_of(code), "CUDA_SUCCESS").into(),
            Fault::Endless => {
                let found = format!(
                    "a job of the other kernel without an end after {}",
                    Time::from_ns(LIMIT)
                );
                Error::parameter("plugin", found, "jobs that end")
            }
        }
    }
}

/// Asks the driver until the answer is not [`NOT_READY`]. `call` is the name of the question.
pub fn poll(call: &'static str, mut ask: impl FnMut() -> Code) -> Result<(), Fault> {
    let begin = realtime::now();
    loop {
        match ask() {
            0 => return Ok(()),
            NOT_READY if realtime::now().saturating_sub(begin) > LIMIT => return Err(Fault::Endless),
            NOT_READY => std::thread::yield_now(),
            code => return Err(Fault::Call(call, code)),
        }
    }
}
