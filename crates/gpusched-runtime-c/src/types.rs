//! The types of `gpusched_runtime.h`, with the same layout. The header describes the fields.

use std::ffi::{c_char, c_int, c_void};

use gpusched_runtime::core::{Job, Record};
use gpusched_runtime::session::Kind;

/// `gs_options`.
#[repr(C)]
#[derive(Copy, Clone)]
pub struct Options {
    /// Size of the structure that the program knows [bytes].
    pub size: u32,
    /// Name of the backend, or null.
    pub backend: *const c_char,
    /// Path of the overheads file, or null.
    pub overheads: *const c_char,
    /// Number of the GPU.
    pub device: i32,
    /// Whether an unproven plan starts.
    pub allow_unproven: i32,
    /// Cores of the dispatchers, or null.
    pub cpus: *const i32,
    /// Number of cores.
    pub cpu_count: usize,
    /// Priority under SCHED_FIFO.
    pub fifo_priority: i32,
    /// Largest number of kept jobs per task.
    pub records: u32,
    /// Time before an arrival from which an idle dispatcher spins [ns].
    pub spin: u64,
    /// Path of the file of records, or null.
    pub ring: *const c_char,
}

/// `gs_job`.
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CJob {
    /// Position of the task in the set.
    pub task: u32,
    /// Number of the chunk.
    pub chunk: u32,
    /// Number of the job.
    pub number: u64,
    /// Arrival [ns].
    pub arrival: u64,
    /// Absolute deadline [ns].
    pub deadline: u64,
}

/// `gs_record`.
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CRecord {
    /// The job.
    pub job: CJob,
    /// First time at which the dispatcher saw the job [ns].
    pub visible: u64,
    /// Time of the decision [ns].
    pub decision: u64,
    /// Time at which all work was on the stream [ns].
    pub enqueued: u64,
    /// Time of the completion [ns].
    pub completion: u64,
    /// Bits of the findings.
    pub status: u32,
    /// 0.
    pub reserved: u32,
}

// A test compiles the header with the same sizes.
const _: () = assert!(size_of::<Options>() == 72 && size_of::<CJob>() == 32 && size_of::<CRecord>() == 72);

/// `gs_enqueue`.
pub type Enqueue = unsafe extern "C" fn(*mut c_void, *mut c_void, *const CJob) -> c_int;
/// `gs_complete`.
pub type Complete = unsafe extern "C" fn(*mut c_void, *const CRecord);

impl CJob {
    /// Converts a job whose task is a position in the set.
    pub fn of(job: &Job) -> CJob {
        CJob {
            task: u32::try_from(job.task).unwrap_or(u32::MAX),
            chunk: job.chunk,
            number: job.number,
            arrival: job.arrival,
            deadline: job.deadline,
        }
    }
}

impl CRecord {
    /// Converts a record whose task is a position in the set.
    pub fn of(record: &Record) -> CRecord {
        let status = record.status;
        CRecord {
            job: CJob::of(&record.job),
            visible: record.visible,
            decision: record.decision,
            enqueued: record.enqueued,
            completion: record.completion,
            status: u32::from(status.missed)
                | u32::from(status.overrun) << 1
                | u32::from(status.late_wake) << 2
                | u32::from(status.failed) << 3
                | u32::from(status.overhead) << 4,
            reserved: 0,
        }
    }
}

/// Returns the `gs_status` of an error.
pub fn status(kind: Kind) -> c_int {
    match kind {
        Kind::NoDriver => -1,
        Kind::NoDevice => -2,
        Kind::Plan => -3,
        Kind::Unproven => -4,
        Kind::Partition => -5,
        Kind::Cuda => -6,
        Kind::Lost => -7,
        Kind::Usage => -8,
        Kind::Timeout => -9,
        Kind::Internal => -10,
    }
}
