//! Recordings on the command line: `FILE`, or `FILE@SIZE` with the number of SMs of the run.

use std::path::{Path, PathBuf};

use crate::Global;
use crate::arguments::device;
use crate::report::Progress;
use gpusched_model::error::{Error, Refusal, Result, excerpt};
use gpusched_model::provenance::ParseWarmUpError;
use gpusched_model::time::Time;
use gpusched_model::wcet::MAX_SMS;
use gpusched_model::{Bytes, Device, WarmUp, counted};
use gpusched_recording::activity::{Activities, Grouping, Options as Jobs, WarmUps, group, listed};
use gpusched_recording::model::{Missing, Recording, Tool};
use gpusched_recording::readers::{Options, read};
use gpusched_recording::summary::{self, Overlap};

/// Options for reading recordings and for grouping launches into jobs.
#[derive(Debug, clap::Args)]
pub struct Reading {
    /// Rule that groups launches into jobs
    #[arg(long, value_parser = crate::arguments::named::<Grouping>(), default_value_t)]
    by: Grouping,
    /// Name of an activity; may be repeated [default: all; for ranges, the outermost]
    #[arg(long = "name", value_name = "NAME")]
    names: Vec<String>,
    /// Shortest idle time that separates two jobs on a stream [default: from the gaps]
    ///
    /// Only with `--by stream`. gpusched sorts all gaps. The default is the gap after the largest relative increase.
    #[arg(long, value_name = "TIME")]
    gap: Option<Time>,
    /// GPU of the run, for sizes in percent and MIG slices
    #[arg(long, value_name = "NAME|FILE", value_parser = device)]
    pub gpu: Option<Device>,
    /// Drop the first N jobs of each activity, or the jobs of the first TIME; may be repeated [default: 0]
    ///
    /// `--warm-up detector=6` states the warm-up of one activity, or in an audit of one task.
    #[arg(long, value_name = "[NAME=]N|TIME", value_parser = warm_up)]
    warm_up: Vec<(Option<String>, WarmUp)>,
    #[command(flatten)]
    pub unpacking: Unpacking,
}

/// Option for compressed recordings.
#[derive(Debug, Default, clap::Args)]
pub struct Unpacking {
    /// Largest size of a recording after unpacking [default: 1GB]
    ///
    /// gpusched refuses a compressed recording that unpacks to more bytes. The option has no effect on other recordings.
    #[arg(long = "max-unpacked", value_name = "SIZE")]
    limit: Option<Bytes>,
}

impl Unpacking {
    /// Returns the limit in bytes.
    pub fn limit(&self) -> u64 {
        self.limit.map_or(1_000_000_000, Bytes::bytes)
    }
}

fn warm_up(text: &str) -> Result<(Option<String>, WarmUp), String> {
    let (name, rule) = match text.rsplit_once('=') {
        Some((name, rule)) => (Some(name.to_owned()), rule),
        None => (None, text),
    };
    let rule = rule
        .parse()
        .map_err(|error: ParseWarmUpError| error.to_string())?;
    Ok((name, rule))
}

/// A recording with its jobs.
pub struct Source {
    /// Name of the file.
    pub file: String,
    /// Content of the file.
    pub recording: Recording,
    /// Jobs of the recording.
    pub activities: Activities,
    /// Rule that grouped the launches.
    pub by: Grouping,
    /// Number of SMs that the command line states.
    pub sms: Option<u32>,
    /// Whether `sms` is the size of a client of MPS or of a MIG slice.
    pub client: bool,
}

impl Reading {
    /// Whether all options have their default values.
    pub fn is_default(&self) -> bool {
        let grouping = self.by == Grouping::default() && self.gap.is_none() && self.names.is_empty();
        let unpacking = self.unpacking.limit() == Options::UNPACKED;
        grouping && unpacking && self.gpu.is_none() && self.warm_ups().is_none()
    }

    /// Returns the jobs to drop. Of several rules for one name, the last counts.
    pub fn warm_ups(&self) -> WarmUps {
        let mut rules = WarmUps::default();
        for (name, rule) in &self.warm_up {
            match name {
                Some(name) => _ = rules.of.insert(name.clone(), *rule),
                None => rules.all = *rule,
            }
        }
        rules
    }

    /// Reads the recording `argument`, which is `FILE` or `FILE@SIZE`. `borrow` is an option of the
    /// [grouping](gpusched_recording::activity::Options::borrow).
    ///
    /// # Errors
    /// Fails for a file that is not a recording with launches, and for an unknown size.
    pub fn source(&self, global: &Global, argument: &Path, borrow: bool) -> Result<Source> {
        if self.gap.is_some() && self.by != Grouping::Stream {
            return Err(Error::parameter(
                "gap",
                "a gap without `--by stream`",
                "`--by stream`",
            ));
        }
        let (path, size) = split(argument);
        if size.is_none() {
            refuse_bad_size(&path)?;
        }
        let progress = Progress::new(global, "bytes");
        let options = Options {
            tool: None,
            calls: true,
            unpacked: self.unpacking.limit(),
        };
        let recording = read(&path, options, &mut |bytes| progress.at(bytes))?;
        let client = matches!(size, Some(Size::Percent(_) | Size::Slice(_)));
        let sms = size.map(|size| self.sms(size, &path, &recording)).transpose()?;
        let jobs = Jobs {
            by: self.by,
            names: &self.names,
            borrow,
            gap_ns: self.gap.map(Time::ns),
        };
        let activities = group(&recording, &jobs).map_err(|found| {
            let refusal = Refusal::new("", found, "launches that belong to jobs").at(&path, None);
            Error::from(refusal.hint(match recording.launches.is_empty() {
                true => with_kernels(&recording),
                false => "record ranges (`record_function` in PyTorch, NVTX, roctx), or try `--by kernel` or `--by stream`",
            }))
        })?;
        let found = |name: &&String| activities.list.iter().all(|activity| activity.name != **name);
        if let Some(missing) = self.names.iter().find(found) {
            let all = Jobs { names: &[], ..jobs };
            let all = group(&recording, &all).map(|all| all.list).unwrap_or_default();
            let names = all.iter().map(|activity| activity.name.as_str());
            let expected = format!("the name of an activity: {}", listed(names));
            return Err(Refusal::new("name", format!("{missing:?}"), expected)
                .at(&path, None)
                .into());
        }
        let mut jobs = activities.list.iter().flat_map(|activity| &activity.jobs);
        if self.by == Grouping::Range && jobs.all(|job| job.launches.is_empty()) {
            let found = "ranges without launches";
            let refusal = Refusal::new("", found, "launches that belong to ranges").at(&path, None);
            return Err(refusal.hint("try `--by kernel` or `--by stream`").into());
        }
        Ok(Source {
            file: path.display().to_string(),
            recording,
            activities,
            by: self.by,
            sms,
            client,
        })
    }

    /// Returns the number of SMs that `size` states.
    fn sms(&self, size: Size, path: &Path, recording: &Recording) -> Result<u32> {
        let refuse = |found: String, expected: &str| {
            let hint = "add `--gpu NAME`, or state the number of SMs: FILE@SMS";
            Error::from(Refusal::new("", found, expected).at(path, None).hint(hint))
        };
        match size {
            Size::Sms(sms) => Ok(sms),
            Size::Percent(percent) => {
                let of_file = recording.sms_of(&recording.streams.devices());
                let total = self.gpu.as_ref().map(Device::sms).or(of_file);
                let total =
                    total.ok_or_else(|| refuse(format!("{percent} % of an unknown GPU"), "a known GPU"))?;
                // The client has at most this number of SMs. A smaller number would make C(m) too small.
                Ok(u32::try_from((u64::from(total) * u64::from(percent)).div_ceil(100)).unwrap_or(total))
            }
            Size::Slice(name) => {
                let mig = self.gpu.as_ref().and_then(Device::mig);
                let mig = mig.ok_or_else(|| refuse(format!("MIG slice {name}"), "a GPU with MIG"))?;
                let profile = mig.profile(&name);
                let profile =
                    profile.ok_or_else(|| refuse(format!("MIG slice {name}"), "a slice of this GPU"))?;
                Ok(profile.sms)
            }
        }
    }
}

/// Returns notes about the content of `recording`. `counter` names a quantity, such as `C(m)`, that does not count
/// launches without a start or an end.
pub fn of_recording(recording: &Recording, counter: &str) -> Vec<String> {
    let mut notes = recording.notes.clone();
    if recording.other.graphs > 0 {
        notes.push(format!(
            "{} of whole CUDA graphs: each counts as one kernel from its start to its end (nsys profile --cuda-graph-trace=node records the kernels)",
            counted(recording.other.graphs, "launch")
        ));
    }
    if !recording.open.is_empty() {
        notes.push(format!(
            "{} without a start or an end: no {counter} contains them, which is unsafe",
            counted(recording.open.len() as u64, "launch")
        ));
    }
    notes.extend(of_missing(&recording.missing));
    notes.extend(of_overlap(recording));
    notes.extend(of_processes(recording));
    notes
}

/// Returns notes about what a recording lacks, apart from launches without times.
pub fn of_missing(missing: &Missing) -> Vec<String> {
    let mut notes = Vec::new();
    if missing.unrecorded > 0 {
        let calls = counted(missing.unrecorded, "host call");
        notes.push(format!(
            "{calls} launched work without a record: the profiler lost the record, or the recording ended before the work"
        ));
    }
    if missing.uncalled > 0 {
        let launches = counted(missing.uncalled, "launch");
        notes.push(format!(
            "{launches} without a host call: the profiler lost the call, or the recording started after the call"
        ));
    }
    if let Some(first) = &missing.first_impossible {
        let events = counted(missing.impossible, "event");
        notes.push(format!(
            "{events} with impossible values, set aside; the first: {first}"
        ));
    }
    if missing.ranges > 0 {
        let ranges = counted(missing.ranges, "range");
        notes.push(format!(
            "{ranges} without a start or an end: the file may lack jobs"
        ));
    }
    if missing.idle > 0 {
        let ranges = counted(missing.idle, "range");
        notes.push(format!(
            "{ranges} without GPU work, although other ranges of the name have some: the file may lack launches"
        ));
    }
    if missing.absent > 0 {
        let ranges = match missing.absent {
            1 => "1 range is".to_owned(),
            many => format!("{many} ranges are"),
        };
        notes.push(format!(
            "{ranges} absent between ranges with a fixed period: the file may lack jobs, or the program was not triggered"
        ));
    }
    notes
}

/// Returns what to do about a file without the times of kernels. No grouping finds jobs in it.
fn with_kernels(recording: &Recording) -> &'static str {
    match recording.origin.tool {
        Tool::Nsys if recording.origin.report != "sqlite" => {
            "add the report of all launches, `nsys stats --report cuda_gpu_trace --format csv`, or use the SQLite file"
        }
        Tool::Nsys => "record kernels: `nsys profile --trace=cuda,nvtx`",
        Tool::Ncu => {
            "Nsight Compute states no start of a kernel, so record the run with `nsys profile --trace=cuda,nvtx`"
        }
        Tool::Kineto => "record kernels: `torch.profiler.ProfilerActivity.CUDA`",
        Tool::Rocprof => "record kernels: `rocprofv3 --kernel-trace --marker-trace`",
        Tool::Trtexec => "state the times of all inferences: `trtexec --exportTimes`",
    }
}

/// Returns a note about kernels of one stream that ran at the same time.
pub fn of_overlap(recording: &Recording) -> Option<String> {
    let overlap = Overlap::longest(recording)?;
    let kernel = excerpt(recording.names.get(overlap.kernel));
    Some(format!(
        "kernels of one stream overlap: {kernel} starts {} before the end of a kernel before it; parallel branches of a CUDA graph do \
         so, and otherwise the times are wrong",
        Time::from_ns(overlap.by_ns)
    ))
}

/// Returns a note about kernels of several processes that ran at the same time.
pub fn of_processes(recording: &Recording) -> Option<String> {
    let longest = Time::from_ns(summary::of_processes(recording)?);
    Some(format!(
        "kernels of several processes ran at the same time, for up to {longest}; without MPS, their times contain time slices of other \
         processes, so record each process alone for times in isolation"
    ))
}

/// Size of the partition of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Size {
    Sms(u32),
    Percent(u32),
    Slice(String),
}

/// Splits `FILE@SIZE`. If the text after the last `@` is not a size, it belongs to the name of the file.
fn split(argument: &Path) -> (PathBuf, Option<Size>) {
    let text = argument.to_string_lossy();
    let parsed = text.rsplit_once('@').and_then(|(file, size)| {
        let number = |text: &str, most| text.parse().ok().filter(|number| (1..=most).contains(number));
        let size = match size.strip_suffix('%') {
            Some(percent) => Size::Percent(number(percent, 100)?),
            None if size.contains('g') && size.contains('.') => Size::Slice(size.to_owned()),
            None => Size::Sms(number(size, MAX_SMS)?),
        };
        Some((PathBuf::from(file), size))
    });
    match parsed {
        Some((file, size)) => (file, Some(size)),
        None => (argument.to_owned(), None),
    }
}

/// Refuses `FILE@TEXT` if only `FILE` exists. In this case, `TEXT` is an invalid size, and not a part of the file name.
fn refuse_bad_size(path: &Path) -> Result<()> {
    let text = path.to_string_lossy();
    let Some((file, size)) = text.rsplit_once('@') else {
        return Ok(());
    };
    if path.exists() || !Path::new(file).is_file() {
        return Ok(());
    }
    let expected = format!(
        "a number of SMs from 1 to {MAX_SMS}, a percentage from 1% to 100%, or a MIG slice such as 3g.20gb"
    );
    let refusal = Refusal::new("", format!("the size {size:?} after `@`"), expected);
    Err(refusal.at(file, None).into())
}
