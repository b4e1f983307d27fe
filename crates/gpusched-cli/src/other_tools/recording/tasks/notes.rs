//! Notes that help a user to judge the numbers of a task set: first what is unsafe, then what to do, then facts.

use std::collections::BTreeSet;

use super::files::{NAME, Note, Rank, of_inner, of_name, of_ranges, place_of};
use super::names;
use super::releases::of_releases;
use super::text::Text;
use crate::recording::source::{Source, of_recording};
use crate::report::clip;
use gpusched_model::provenance::SizeSign;
use gpusched_model::time::Time;
use gpusched_model::{Task, WarmUp, counted};
use gpusched_recording::activity::{listed, named_gpus};
use gpusched_recording::model::Missing;
use gpusched_recording::tasks::{Contradiction, CopyRule, Gaps, TaskReport, numbered};

/// With fewer jobs, a note doubts the longest time.
const FEW: usize = 5;

/// Largest number of notes about names without a task.
const LISTED: usize = 8;

impl Text<'_> {
    /// Returns the notes in the order of their importance.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<Note> = Vec::new();
        for report in &self.derived.tasks {
            notes.extend(of_releases(report));
            notes.extend(self.of_task(report));
        }
        let left_out = &self.derived.left_out;
        for (name, reason) in left_out.iter().take(LISTED) {
            let note = format!("no task for {:?}: {reason}", clip(name, NAME));
            notes.push((Rank::Unsafe, note));
        }
        if left_out.len() > LISTED {
            let note = format!("no task for {} more names", left_out.len() - LISTED);
            notes.push((Rank::Unsafe, note));
        }
        if let Some((numbered, hash)) = numbered(left_out.iter().map(|(name, _)| name.as_str())) {
            notes.push((
                Rank::Next,
                format!(
                    "if these are jobs of one task, separate its name from the number of the job with `#`: `{hash}` instead of `{numbered}`"
                ),
            ));
        }
        notes.extend(self.of_deadlines());
        notes.extend(self.of_files());
        notes.extend(self.of_sizes());
        notes.extend(self.of_copies());
        notes.extend(self.of_contention());
        notes.extend(self.of_traffic());
        notes.sort_by_key(|&(rank, _)| rank);
        notes.into_iter().map(|(_, note)| note).collect()
    }

    /// Returns a note about tasks without a stated deadline.
    fn of_deadlines(&self) -> Option<Note> {
        let tasks =
            { self.derived.set.tasks().iter() }.filter_map(|task| Some((task.name()?, task.period())));
        let untold: Vec<(&str, Time)> = tasks
            .filter(|(name, _)| !self.options.deadlines.contains_key(*name))
            .collect();
        let (first, period) = untold.first()?;
        let first = clip(first, NAME);
        let text = match untold.len() {
            1 => format!(
                "--deadline {first}=TIME: no deadline is stated for {first:?}, so it is the period, {period}"
            ),
            many => format!(
                "--deadline NAME=TIME: no deadline is stated for {many} tasks, so it is their period, such as {period} for {first:?}"
            ),
        };
        Some((Rank::Next, text))
    }

    /// Returns notes about each file.
    fn of_files(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        let mut methods: Vec<(&str, Vec<&Source>)> = Vec::new();
        for source in self.sources {
            let method = source.activities.method.as_str();
            match methods.iter_mut().find(|(other, _)| *other == method) {
                Some((_, sources)) => sources.push(source),
                None => methods.push((method, vec![source])),
            }
        }
        for (method, sources) in methods {
            let files: Vec<&str> = sources.iter().map(|source| source.file.as_str()).collect();
            let place = place_of(&files);
            let launches: usize = sources.iter().map(|source| source.recording.launches.len()).sum();
            match sources.iter().map(|source| source.activities.unassigned).sum() {
                0usize if method == USUAL => {}
                0 => notes.push((Rank::Fact, format!("{place}: {method}"))),
                some => notes.push((
                    Rank::Unsafe,
                    format!(
                        "{place}: {method}; {some} of {} belong to no job, so no C(m) contains them",
                        counted(launches as u64, "launch")
                    ),
                )),
            }
        }
        let named = self.sources.iter().filter_map(|source| of_name(source));
        notes.extend(named.map(|note| (Rank::Unsafe, note)));
        for source in self.sources {
            let recording = &source.recording;
            let complete = recording.open.is_empty() && recording.missing == Missing::default();
            let rank = if complete { Rank::Fact } else { Rank::Unsafe };
            let of_file = of_recording(recording, "C(m)").into_iter();
            notes.extend(of_file.map(|note| (rank, format!("{}: {note}", source.file))));
            notes.extend(of_processes(source).map(|note| (Rank::Next, note)));
        }
        let similar = names::of_similar(self.sources).into_iter();
        notes.extend(similar.map(|note| (Rank::Next, note)));
        let ranges = self.sources.iter().flat_map(|source| of_ranges(source));
        notes.extend(
            ranges
                .chain(of_inner(self.sources))
                .map(|note| (Rank::Fact, note)),
        );
        notes
    }

    /// Returns notes about files whose sizes only the user states, and about files without a stated size.
    fn of_sizes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        let mut sizes: Vec<u32> = { self.derived.whole_gpus.iter() }.map(|&(_, sms)| sms).collect();
        sizes.sort_unstable();
        sizes.dedup();
        for sms in sizes {
            let files = { self.derived.whole_gpus.iter() }.filter(|&&(_, other)| other == sms);
            let files: Vec<&str> = files.map(|(file, _)| file.as_str()).collect();
            let place = place_of(&files);
            notes.push((
                Rank::Fact,
                format!(
                    "{place}: no size (FILE@SMS), so gpusched assumes that kernels used the whole GPU, {}; C(m) is too long if they used fewer",
                    counted(sms, "SM")
                ),
            ));
        }
        let mut stated: Vec<&str> = Vec::new();
        for (file, _) in self.derived.tasks.iter().flat_map(|report| &report.stated_sizes) {
            if !stated.contains(&file.as_str()) {
                stated.push(file);
            }
        }
        let signs: Vec<&(String, u32, Contradiction)> = { self.derived.tasks.iter() }
            .flat_map(|report| &report.size_signs)
            .collect();
        for sign in [SizeSign::FileName, SizeSign::Processes, SizeSign::NoGreenContext] {
            let of: Vec<_> = signs.iter().filter(|(.., of)| of.sign == sign).collect();
            let files: BTreeSet<&str> = of.iter().map(|(file, ..)| file.as_str()).collect();
            let files: Vec<&str> = files.into_iter().collect();
            let Some((_, sms, first)) = of.first() else {
                continue;
            };
            let (place, number) = (place_of(&files), first.number);
            let text = match sign {
                SizeSign::FileName => format!(
                    "check the size of {place}: the name says {}, and you state {}; C({sms}) is unsafe if the name is right",
                    counted(number, "SM"),
                    counted(*sms, "SM")
                ),
                SizeSign::Processes => format!(
                    "check the size of {place}: the tasks ran in {number} processes, which suggests the whole GPU and not the stated {}; C({sms}) \
                     is unsafe then (for MPS, state a percentage: FILE@50%)",
                    counted(*sms, "SM")
                ),
                SizeSign::NoGreenContext => format!(
                    "check the size of {place}: no kernel ran in a green context (`greenContextId` is empty), which suggests the whole GPU, {}; \
                     record again in a green context, unless SM masks or MPS limit the kernels",
                    counted(number, "SM")
                ),
            };
            notes.push((Rank::Unsafe, text));
        }
        stated.retain(|file| signs.iter().all(|(of, ..)| of != file));
        if !stated.is_empty() {
            notes.push((
                Rank::Unsafe,
                format!(
                    "check the size of {}: the file does not show the number of SMs after `@`, so each verdict assumes it; C(m) is unsafe if \
                     kernels ran on more SMs",
                    place_of(&stated)
                ),
            ));
        }
        notes
    }

    /// Returns notes about copies and fills of memory, by task if the file shows their jobs.
    fn of_copies(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        // One note for all tasks, with the time of each.
        let outside = { self.derived.tasks.iter() }.filter(|report| report.copies.outside > 0);
        let times: Vec<String> = { outside.clone() }
            .take(LISTED)
            .map(|report| {
                let around = Time::from_ns(report.copies.around_ns());
                format!("{around} of {:?}", clip(&report.name, NAME))
            })
            .collect();
        let more = if outside.clone().count() > LISTED {
            ", …"
        } else {
            ""
        };
        let times = times.join(", ") + more;
        let longest = outside.map(|report| report.copies.longest_ns).max();
        match (longest, self.options.copies) {
            (None, _) => {}
            (Some(_), CopyRule::Count) => notes.push((
                Rank::Fact,
                format!("C(m) contains the longest time for copies before the first and after the last kernel, before the margin: {times}"),
            )),
            (Some(longest), CopyRule::LeaveOut) => notes.push((
                Rank::Unsafe,
                format!(
                    "--copies count, if deployed jobs copy: C(m) contains no copy before the first or after the last kernel, for up to {} per \
                     job; the option adds {times}, before the margin",
                    Time::from_ns(longest)
                ),
            )),
        }
        let inside = { self.derived.tasks.iter() }.filter(|report| report.copies.inside > 0);
        for report in inside.filter(|_| self.options.gaps == Gaps::Separate) {
            let copies = counted(report.copies.inside as u64, "copy");
            notes.push((
                Rank::Unsafe,
                format!(
                    "{:?}: {copies} between kernels, which C(m) does not contain (--gaps count)",
                    clip(&report.name, NAME)
                ),
            ));
        }
        let all = self.sources.iter().map(|source| source.recording.other.copies);
        let known = self.sources.iter().map(|source| {
            let known = source.recording.copies.len();
            known.saturating_sub(source.activities.copies) as u64
        });
        let copies = { all.zip(known) }
            .map(|(all, known)| all.saturating_sub(known))
            .fold(0, u64::saturating_add);
        if copies > 0 {
            let copies = match copies {
                1 => "1 copy or fill of memory counts".to_owned(),
                some => format!("{some} copies and fills of memory count"),
            };
            let note = match self.options.gaps {
                Gaps::Separate => {
                    format!("{copies} as gaps between kernels, so C(m) does not contain them (--gaps count)")
                }
                Gaps::Count => format!(
                    "{copies} as gaps: C(m) contains them only between kernels of a job; the file shows no job for them, which is unsafe if jobs \
                     do such copies"
                ),
            };
            notes.push((Rank::Unsafe, note));
        }
        notes
    }

    /// Returns notes about times in conflict.
    fn of_contention(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        for overlap in &self.derived.overlaps {
            let names: Vec<String> = { overlap.activities.iter() }
                .take(8)
                .map(|name| format!("{:?}", clip(name, NAME)))
                .collect();
            let more = if overlap.activities.len() > 8 { ", …" } else { "" };
            let mut reports = self.derived.tasks.iter();
            let doubtful =
                reports.any(|report| report.size_signs.iter().any(|(file, ..)| *file == overlap.file));
            let (rank, value) = match doubtful {
                true => (Rank::Unsafe, "but on more SMs than stated, they are too short"),
                false => (Rank::Fact, "which is pessimistic"),
            };
            notes.push((
                rank,
                format!(
                    "{}: kernels of {}{more} ran at the same time on one GPU, so their times in isolation contain interference, {value}; \
                     gpusched cannot determine a separate WCET in conflict",
                    overlap.file,
                    names.join(", ")
                ),
            ));
        }
        for (file, activities) in &self.derived.no_contention {
            let text = match activities.is_empty() {
                true => format!(
                    "{file}: this file shows no other activity; its times are times in conflict only if other work ran on the GPU (--conflict)"
                ),
                false => format!(
                    "{file}: kernels of {} never ran at the same time as kernels of another activity, so their times count as times in \
                     isolation, and this file gives no WCET in conflict (--conflict)",
                    listed(activities.iter().map(String::as_str))
                ),
            };
            notes.push((Rank::Unsafe, text));
        }
        let mut points = self.derived.tasks.iter().flat_map(|report| &report.points);
        if points.all(|point| !point.conflict) {
            notes.push((
                Rank::Unsafe,
                "no recording in conflict (--conflict): the WCET in conflict is the isolated WCET, which is unsafe if kernels of one \
                 partition delay each other"
                    .to_owned(),
            ));
        }
        notes
    }

    /// Returns a note about tasks without memory traffic, although the user states files of counters.
    fn of_traffic(&self) -> Option<Note> {
        let tasks = self.derived.set.tasks().iter();
        let tasks = tasks.filter(|task| self.has_counters && task.traffic().is_none());
        let untold: Vec<&str> = tasks.filter_map(Task::name).collect();
        let note = format!(
            "the hardware counters lack kernels or launches: the tasks {} have no `traffic`; `--interference bandwidth` and \
             `conflict+bandwidth` then assume the full memory bandwidth, which is safe; the other models ignore `traffic`",
            listed(untold.iter().copied())
        );
        (!untold.is_empty()).then_some((Rank::Fact, note))
    }

    fn of_task(&self, report: &TaskReport) -> Vec<Note> {
        let name = clip(&report.name, NAME);
        let mut notes = Vec::new();
        let mut add = |rank, text: String| notes.push((rank, format!("{name:?}: {text}")));
        let (dropped, longest) = report.dropped;
        if dropped > 0 {
            let covered = report.points.iter().any(|point| point.wcet_ns >= longest);
            let longest = Time::from_ns(longest);
            let rule = match self.options.warm_up.of(&report.name) {
                WarmUp::Jobs(1) => "the first job".to_owned(),
                WarmUp::Jobs(count) => format!("the first {count} jobs"),
                WarmUp::Time(time) => format!("the jobs of the first {time}"),
            };
            let (rank, rest) = match covered {
                true => (Rank::Fact, ""),
                false => (Rank::Unsafe, ", and no C(m) covers it"),
            };
            add(
                rank,
                format!(
                    "warm-up: dropped {} ({rule} of each recording); the longest takes {longest}{rest}",
                    counted(dropped as u64, "job")
                ),
            );
        }
        for (file, gpus) in &report.several_gpus {
            let gpus = named_gpus(gpus);
            add(
                Rank::Fact,
                format!(
                    "jobs of {file} ran on {gpus}, each on one of them, but a plan assigns the task to one GPU"
                ),
            );
        }
        if report.non_monotone {
            let text =
                "a job took longer on a larger number of SMs, so C(m) is the longest time on m or more SMs";
            add(Rank::Fact, text.to_owned());
        }
        if let Some(point) = report.points.iter().find(|point| point.jobs < FEW) {
            let (jobs, sms) = (counted(point.jobs as u64, "job"), counted(point.sms, "SM"));
            add(
                Rank::Unsafe,
                format!("only {jobs} on {sms}, so the longest time says little about later jobs"),
            );
        }
        let (gaps, share) = report.largest_gaps;
        if gaps > 0 && self.options.gaps == Gaps::Separate {
            let (gaps, share) = (Time::from_ns(gaps), 100.0 * share);
            add(
                Rank::Unsafe,
                format!(
                    "jobs have gaps of up to {gaps} ({share:.0} %) between kernels; C(m) does not contain them, which is unsafe (--gaps count)"
                ),
            );
        }
        let (incomplete, open) = report.incomplete;
        if incomplete > 0 {
            let (jobs, open) = (counted(incomplete as u64, "job"), counted(open as u64, "launch"));
            add(
                Rank::Unsafe,
                format!(
                    "{jobs} with {open} without times: these jobs took longer than the recording shows, so C(m) can be too short, which is \
                     unsafe"
                ),
            );
        }
        if report.possible > 0 {
            let launches = counted(report.possible as u64, "launch");
            add(
                Rank::Unsafe,
                format!(
                    "{launches} outside ranges may belong to these jobs, but count to other jobs or to no job, so C(m) can be too \
                     short, which is unsafe"
                ),
            );
        }
        if report.idle > 0 {
            let jobs = counted(report.idle as u64, "job");
            add(
                Rank::Unsafe,
                format!(
                    "{jobs} without GPU work, although the others have some: the file may lack their launches, so the task states \
                     `incomplete`; these jobs count as releases only"
                ),
            );
        }
        notes
    }
}

/// The usual rule for launches, which needs no note.
const USUAL: &str = "a launch belongs to the innermost range around its host call";

/// Returns a note if the tasks of `source` run in several processes. A dispatcher with green contexts runs in one process.
fn of_processes(source: &Source) -> Option<String> {
    let recording = &source.recording;
    let of = source.activities.list.iter().filter_map(|activity| {
        let job = activity.jobs.iter().find(|job| !job.launches.is_empty())?;
        let launch = recording.launches.get(*job.launches.first()?)?;
        recording.streams.get(launch.stream).process
    });
    let processes: BTreeSet<i64> = of.collect();
    (processes.len() > 1).then(|| {
        format!(
            "{}: the tasks run in {} processes; a plan with green contexts needs one process for all tasks, and MPS or MIG one process \
             for each partition",
            source.file,
            processes.len()
        )
    })
}
