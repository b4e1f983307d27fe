//! An activity is a group of jobs that recur in a recording, with their GPU work.
//!
//! A job is a named range, a kernel launch, or a group of launches on one stream. The GPU work of a job is a set of
//! launches.

mod by_kernel;
mod by_range;
mod by_stream;
mod outside;
mod outsiders;
mod rhythm;
pub mod signs;
mod warm_up;

use std::collections::{BTreeMap, BTreeSet};

use gpusched_model::counted;
use gpusched_model::error::excerpt;
use serde::Serialize;

use crate::model::{Launch, MemoryCopy, NameId, Recording, StreamKey};
use crate::summary::union_ns;
pub use by_stream::natural_gap;
pub use outside::process;
pub use outsiders::Outsiders;
pub use rhythm::Rhythm;
pub use warm_up::WarmUps;
pub(crate) use warm_up::split;

/// Rule that groups the launches of a recording into jobs.
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    Debug,
    Default,
    Serialize,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Grouping {
    /// Each named range is a job, and its name is the activity.
    #[default]
    Range,
    /// Each kernel launch is a job, and the name of the kernel is the activity.
    Kernel,
    /// Each group of launches on one stream without long gaps between them is a job. The stream is the activity.
    Stream,
}

/// One execution of an activity. All times are times of the recording [ns].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// Release: start of the range on the host, or start of the host call. If the file contains neither, the release is
    /// the start of the first launch.
    pub release: i64,
    /// Whether the file shows the release. If not, the time from the release to the start of the first launch is
    /// unknown.
    pub shows_release: bool,
    /// Start of the first launch. A job without launches starts at its release.
    pub start: i64,
    /// End of the last launch. A job without launches ends at its release.
    pub end: i64,
    /// Time during which at least one kernel of the job ran [ns].
    pub busy_ns: u64,
    /// Positions of the launches in the recording.
    pub launches: Vec<usize>,
    /// Positions of the copies of the job in the [recording](Recording::copies). Only jobs that are ranges have copies.
    pub copies: Vec<usize>,
    /// Number of launches of the job whose times the file does not contain. The job may be longer than it looks.
    pub open: usize,
}

impl Job {
    /// Creates a job from its launches. A position after the last launch counts the [open](Recording::open) launches.
    pub fn new(recording: &Recording, release: Option<i64>, mut launches: Vec<usize>) -> Option<Job> {
        let all = launches.len();
        launches.retain(|&index| index < recording.launches.len());
        let early = launches.iter().filter(|&&index| is_doubtful(recording, index));
        let open = all - launches.len() + early.count();
        let of = || launches.iter().filter_map(|&index| recording.launches.get(index));
        let first = of().map(|launch| launch.start).min();
        let shows_release = release.is_some();
        let release = release.or(first)?;
        let last = of().map(|launch| launch.end).max();
        let busy_ns = union_ns(of().map(|launch| (launch.start, launch.end)));
        Some(Job {
            release,
            shows_release,
            start: first.unwrap_or(release),
            end: last.unwrap_or(release),
            busy_ns,
            launches,
            copies: Vec::new(),
            open,
        })
    }

    /// Returns the number of copies between the first and the last launch, the number of other copies, and the time of the other
    /// copies [ns].
    pub fn copies(&self, recording: &Recording) -> (usize, usize, u64) {
        let copies = self
            .copies
            .iter()
            .filter_map(|&index| recording.copies.get(index));
        let (inside, outside): (Vec<&MemoryCopy>, Vec<&MemoryCopy>) =
            copies.partition(|copy| copy.start >= self.start && copy.end <= self.end);
        let times = outside.iter().map(|copy| (copy.start, copy.end));
        (inside.len(), outside.len(), union_ns(times))
    }

    /// Returns the start and the end of the job with its copies [ns].
    pub fn with_copies(&self, recording: &Recording) -> (i64, i64) {
        let copies = self.copies.iter();
        let copies = copies.filter_map(|&index| recording.copies.get(index));
        copies.fold((self.start, self.end), |(start, end), copy| {
            (start.min(copy.start), end.max(copy.end))
        })
    }

    /// Time from the first to the last launch during which no kernel of the job ran [ns].
    pub fn gaps_ns(&self) -> u64 {
        self.end.abs_diff(self.start).saturating_sub(self.busy_ns)
    }

    /// Returns the numbers of the GPUs of the launches, in increasing order. A job of one GPU has at most one.
    pub fn devices(&self, recording: &Recording) -> Vec<i64> {
        devices(recording, [self])
    }

    /// Returns the contexts of the launches, without duplicates.
    pub fn contexts(&self, recording: &Recording) -> Vec<StreamKey> {
        let launches = self
            .launches
            .iter()
            .filter_map(|&index| recording.launches.get(index));
        let mut contexts: Vec<StreamKey> = launches.map(|launch| context(recording, launch)).collect();
        contexts.sort_unstable();
        contexts.dedup();
        contexts
    }
}

/// Returns the numbers of the GPUs on which launches of `jobs` ran, in increasing order.
pub fn devices<'a>(recording: &Recording, jobs: impl IntoIterator<Item = &'a Job>) -> Vec<i64> {
    let launches = jobs.into_iter().flat_map(|job| &job.launches);
    let launches = launches.filter_map(|&index| recording.launches.get(index));
    let devices = launches.filter_map(|launch| recording.streams.get(launch.stream).device);
    devices.collect::<BTreeSet<i64>>().into_iter().collect()
}

/// Returns a list of the GPUs `devices` for messages, such as `the GPUs 0 and 1`.
pub fn named_gpus(devices: &[i64]) -> String {
    match devices {
        [] => "an unknown GPU".to_owned(),
        [only] => format!("GPU {only}"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(i64::to_string).collect();
            format!("the GPUs {} and {last}", first.join(", "))
        }
    }
}

/// Whether a time of the launch number `index` is wrong. Each kernel takes time, so its end is not its start. No kernel starts before
/// its host call, but the clocks of host and GPU may differ by up to 1 ms.
fn is_doubtful(recording: &Recording, index: usize) -> bool {
    let Some(launch) = recording.launches.get(index) else {
        return false;
    };
    let call = recording.call(index);
    launch.start == launch.end || call.is_some_and(|call| launch.start < call.start.saturating_sub(1_000_000))
}

/// Returns the part of [`Activities::method`] about names that occur in several processes. `found` states processes of names.
fn of_several_processes(recording: &Recording, found: impl Iterator<Item = (NameId, Option<i64>)>) -> String {
    let mut processes: BTreeMap<NameId, BTreeSet<i64>> = BTreeMap::new();
    for (name, process) in found {
        processes.entry(name).or_default().extend(process);
    }
    processes.retain(|_, processes| processes.len() > 1);
    let mut names = processes.keys().map(|&name| recording.names.get(name)).peekable();
    match names.peek() {
        None => String::new(),
        Some(_) => format!(
            "; several processes have jobs with the name {}: they count as one task, so use different names for different tasks",
            listed(names)
        ),
    }
}

/// Returns the part of [`Activities::method`] about `jobs` jobs whose release the file does not show.
fn without_calls(jobs: usize) -> String {
    match jobs {
        0 => String::new(),
        some => format!(
            "; {} without a host call: the release is the start on the GPU, so the file does not show the wait before the start",
            counted(some, "job")
        ),
    }
}

/// Returns the context of a launch, without its stream.
fn context(recording: &Recording, launch: &Launch) -> StreamKey {
    StreamKey {
        stream: None,
        ..recording.streams.get(launch.stream)
    }
}

/// All jobs of one name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Activity {
    /// Name of the ranges or of the kernel, or description of the stream.
    pub name: String,
    /// Jobs in the order of their releases.
    pub jobs: Vec<Job>,
}

/// The activities of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Activities {
    /// Activities in the order of their first job.
    pub list: Vec<Activity>,
    /// Number of launches that belong to no job.
    pub unassigned: usize,
    /// Number of launches without times whose job the file does not show. Each can belong to any job.
    pub open: usize,
    /// Number of copies of the recording that belong to no job, and are in no range.
    pub copies: usize,
    /// The launches outside all ranges. Empty if jobs are no ranges.
    pub outside: Outsiders,
    /// Names of activities whose jobs contain launches after their ranges, each with the number of these launches.
    pub after: Vec<(String, usize)>,
    /// Names of ranges that are no jobs, because they are inside ranges with other names.
    pub inner: Vec<String>,
    /// Number of ranges of profiler steps that are no jobs, because there are other ranges.
    pub steps: usize,
    /// Text that states how gpusched assigned launches to jobs.
    pub method: String,
}

/// Options of [`group`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options<'a> {
    /// Rule for jobs.
    pub by: Grouping,
    /// Names of the activities. An empty list means all activities. For ranges, an empty list means the outermost
    /// ranges of each thread.
    pub names: &'a [String],
    /// Whether a launch outside all ranges belongs to the jobs that probably launched it: to the last job of its thread, or
    /// to jobs of other threads if its thread has no ranges. If the value is true, execution times may include launches of other work.
    /// [`Outsiders`] states the launches that may also belong to other activities.
    pub borrow: bool,
    /// Shortest gap between two jobs on a stream [ns]. If `None`, [`natural_gap`] determines the gap.
    pub gap_ns: Option<u64>,
}

/// Groups the launches of `recording` into jobs.
///
/// # Errors
/// Fails with a message if the recording contains no launches, or no ranges that are linked with launches.
pub fn group(recording: &Recording, options: &Options<'_>) -> Result<Activities, &'static str> {
    if recording.launches.is_empty() {
        return Err("no kernel launches with start and end");
    }
    let mut found = match options.by {
        Grouping::Range => by_range::group(recording, options)?,
        Grouping::Kernel => by_kernel::group(recording, options.names),
        Grouping::Stream => by_stream::group(recording, options),
    };
    for activity in &mut found.list {
        activity.jobs.sort_by_key(|job| (job.release, job.start));
    }
    found.list.retain(|activity| !activity.jobs.is_empty());
    found
        .list
        .sort_by_key(|activity| activity.jobs.first().map(|job| job.release));
    Ok(found)
}

/// Returns a list of `names` for messages, with at most eight names.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 8;
    let mut names = names.into_iter();
    let mut texts: Vec<String> = names.by_ref().take(MOST).map(excerpt).collect();
    texts.extend(names.next().map(|_| "…".to_owned()));
    texts.join(", ")
}

/// Returns whether `names` contains `name` or is empty.
fn wanted(recording: &Recording, names: &[String], name: NameId) -> bool {
    names.is_empty() || names.iter().any(|wanted| wanted == recording.names.get(name))
}
