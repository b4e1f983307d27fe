//! Errors of a session.

use std::fmt;

use gpusched_model::error::{Error, Refusal};

use crate::backend::threads::THREADS;
use crate::client::FIRST_ARRIVAL;

/// The kind of an error of a session.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The CUDA driver does not load, or is too old.
    NoDriver,
    /// The GPU does not exist, or has another number of SMs than the plan states.
    NoDevice,
    /// A file is wrong, the plan does not verify, or the dispatcher cannot follow its policy.
    Plan,
    /// The plan is not schedulable, or a partition fails its test with the overheads.
    Unproven,
    /// The driver granted other sizes, partitions share SMs, or a partition runs no kernel.
    Partition,
    /// A call of the driver failed.
    Cuda,
    /// A fault ended the context of all partitions.
    Lost,
    /// A call that is not possible at this time, or with these arguments.
    Usage,
    /// The time-out passed before the job completed.
    Timeout,
    /// A bug of gpusched.
    Internal,
}

/// An error of a session. The text is one sentence that states what was found and what was expected; a hint may follow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Kind of the error.
    pub kind: Kind,
    /// Text for the user.
    pub text: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Fault {}

impl Fault {
    /// Creates the error about `field`, which is `found` instead of `expected`.
    pub fn new(kind: Kind, field: &str, found: impl ToString, expected: impl ToString) -> Fault {
        let text = Refusal::new(field, found, expected).to_string();
        Fault { kind, text }
    }

    /// Creates the error about a call that is not possible.
    pub fn usage(field: &str, found: impl ToString, expected: impl ToString) -> Fault {
        Fault::new(Kind::Usage, field, found, expected)
    }

    /// Creates an error of this kind from an error of the library. An internal error keeps its kind.
    pub(super) fn of(kind: Kind) -> impl Fn(Error) -> Fault {
        move |error| Fault {
            kind: match error {
                Error::Internal(_) => Kind::Internal,
                _ => kind,
            },
            text: error.to_string(),
        }
    }

    /// Creates the error about the files of a session.
    pub(super) fn about_files(error: Error) -> Fault {
        Fault::of(Kind::Plan)(error)
    }

    /// Creates the error about the load of the driver.
    pub(super) fn about_driver(refusal: Refusal) -> Fault {
        let kind = match refusal.field() {
            "cuInit" if refusal.found() == Some("CUDA_ERROR_NO_DEVICE") => Kind::NoDevice,
            "cuInit" => Kind::Cuda,
            _ => Kind::NoDriver,
        };
        let refusal = refusal.hint("the backend `simulated` runs the plan without a GPU");
        Fault::of(kind)(refusal.into())
    }

    /// Creates the error about the GPU and its partitions, or about the start of the dispatchers.
    pub(super) fn about_gpu(error: Error) -> Fault {
        let kind = match &error {
            Error::Io { .. } => Kind::Usage,
            Error::Refused(refusal) => match refusal.field() {
                "gpu_sms" | "cuDeviceGet" => Kind::NoDevice,
                FIRST_ARRIVAL | THREADS | "records" => Kind::Usage,
                field if field.starts_with("partition") => Kind::Partition,
                _ => Kind::Cuda,
            },
            _ => Kind::Cuda,
        };
        Fault::of(kind)(error)
    }
}
