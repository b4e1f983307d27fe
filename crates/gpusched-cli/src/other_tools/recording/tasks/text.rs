//! Report on derived tasks as text, and notes.

use super::files::{NAME, of_inner, of_name, of_ranges, place_of};
use super::names;
use crate::recording::source::{Source, of_recording};
use crate::report::{Cell, Palette, Table, clip};
use gpusched_model::time::Time;
use gpusched_model::{Task, WarmUp, counted};
use gpusched_recording::activity::{Rhythm, listed, named_gpus};
use gpusched_recording::tasks::{Derived, Gaps, Options, TaskReport, numbered};

/// With fewer jobs, a note doubts the longest time.
const FEW: usize = 5;

/// Largest number of notes about names without a task.
const LISTED: usize = 8;

/// A task set with the description of its sources.
pub struct Text<'a> {
    pub derived: &'a Derived,
    pub sources: &'a [&'a Source],
    pub options: &'a Options<'a>,
    /// Whether the user states files of hardware counters.
    pub has_counters: bool,
}

/// Returns the observed releases if the period is derived from these releases.
fn observed(report: &TaskReport) -> Option<Rhythm> {
    report.rhythm.filter(|_| report.stated.is_none())
}

/// From this share of the time between releases on, a thread may be too busy to start its ranges at the arrivals [‰].
const FULL: u64 = 950;

/// Returns notes about releases that do not fit the period of `task`.
fn of_releases(report: &TaskReport, task: &Task) -> Vec<String> {
    let mut notes = Vec::new();
    let name = clip(&report.name, NAME);
    let (period, jitter) = (task.period(), task.jitter());
    let large = jitter.ns() > period.ns() / 2;
    let periodic = report.rhythm.filter(|rhythm| rhythm.periodic);
    let shorter = periodic.map(|rhythm| rhythm.period_ns);
    let shorter = shorter.filter(|&observed| observed.saturating_add(report.tolerance_ns) < period.ns());
    let shorter = report.more_often.or(shorter).filter(|_| report.stated.is_some());
    if report.stated.is_some() && (large || shorter.is_some()) {
        let observed = match (report.rhythm, report.more_often) {
            (Some(rhythm), _) if rhythm.periodic => {
                format!("the observed period is {}", Time::from_ns(rhythm.period_ns))
            }
            (_, Some(mean)) => format!("jobs are released every {} in the mean", Time::from_ns(mean)),
            (Some(rhythm), None) => format!(
                "the smallest observed distance between releases is {}",
                Time::from_ns(rhythm.least_distance_ns)
            ),
            (None, None) => "the recordings show no period".to_owned(),
        };
        let longer = match shorter {
            Some(_) => "; the jitter grows with the length of the recording, so it is unsafe",
            None => "; in a longer recording, the jitter may be larger",
        };
        notes.push(format!(
            "{name:?}: the stated period {period} leads to the jitter {jitter}, but {observed}{longer}"
        ));
    }
    if let Some(observed) = shorter {
        let observed = Time::from_ns(observed);
        notes.push(format!(
            "{name:?}: if the deployed system keeps the period {period}, state `--period {name}={observed}` here, and then {period} as \
             `period` in the task set"
        ));
        return notes;
    }
    if let Some((file, job)) = report.latest.as_ref().filter(|_| jitter.ns() > period.ns() / 4) {
        let advice = match report.settled {
            Some((jobs, jitter)) => {
                let jitter = Time::from_ns(jitter);
                format!(
                    "without the first {jobs} jobs of each recording, the jitter is {jitter} (--warm-up {jobs})"
                )
            }
            None => "no --warm-up of up to 50 jobs makes it small".to_owned(),
        };
        notes.push(format!(
            "{name:?}: job {job} of {file} is released latest after its arrival, which leads to the jitter {jitter}; {advice}"
        ));
    }
    if report.stated.is_none() && report.filled_permille >= FULL {
        let percent = report.filled_permille / 10;
        notes.push(format!(
            "{name:?}: jobs fill {percent} % of the time between releases, so a busy thread may start its ranges late; the observed \
             period {period} is unsafe if the real period is shorter (--period)"
        ));
    }
    notes
}

impl Text<'_> {
    /// Returns notes that help a user to judge the numbers of the task set.
    pub fn notes(&self) -> Vec<String> {
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
            let unassigned = match sources.iter().map(|source| source.activities.unassigned).sum() {
                0usize => String::new(),
                some => format!(
                    "; {some} of {} belong to no job, so no C(m) contains them",
                    counted(launches as u64, "launch")
                ),
            };
            notes.push(format!("{place}: {method}{unassigned}"));
        }
        notes.extend(self.sources.iter().filter_map(|source| of_name(source)));
        notes.extend(self.sources.iter().flat_map(|source| of_ranges(source)));
        notes.extend(of_inner(self.sources));
        for source in self.sources {
            let of_file = of_recording(&source.recording, "C(m)");
            notes.extend(of_file.iter().map(|note| format!("{}: {note}", source.file)));
        }
        notes.extend(names::of_similar(self.sources));
        notes.extend(self.whole_gpus());
        for overlap in &self.derived.overlaps {
            let names: Vec<String> = { overlap.activities.iter() }
                .take(8)
                .map(|name| format!("{:?}", clip(name, NAME)))
                .collect();
            let more = if overlap.activities.len() > 8 { ", …" } else { "" };
            notes.push(format!(
                "{}: kernels of {}{more} ran at the same time on one GPU, so their times in isolation contain interference, which is \
                 pessimistic; gpusched cannot determine a separate WCET in conflict",
                overlap.file,
                names.join(", ")
            ));
        }
        for file in &self.derived.no_contention {
            notes.push(format!(
                "{file}: kernels of different activities never ran at the same time; if no other work ran on the GPU, its times are no \
                 times in conflict (--conflict)"
            ));
        }
        for (report, task) in self.derived.tasks.iter().zip(self.derived.set.tasks()) {
            notes.extend(self.of_task(report));
            notes.extend(of_releases(report, task));
        }
        let left_out = &self.derived.left_out;
        for (name, reason) in left_out.iter().take(LISTED) {
            notes.push(format!("no task for {:?}: {reason}", clip(name, NAME)));
        }
        if left_out.len() > LISTED {
            notes.push(format!("no task for {} more names", left_out.len() - LISTED));
        }
        if let Some((numbered, hash)) = numbered(left_out.iter().map(|(name, _)| name.as_str())) {
            notes.push(format!(
                "if these are jobs of one task, separate its name from the number of the job with `#`: `{hash}` instead of `{numbered}`"
            ));
        }
        if self
            .derived
            .tasks
            .iter()
            .all(|report| report.points.iter().all(|point| !point.conflict))
        {
            notes.push(
                "no recording in conflict (--conflict): the WCET in conflict is the isolated WCET, which is unsafe if kernels of one \
                 partition delay each other"
                    .to_owned(),
            );
        }
        let tasks = self
            .derived
            .set
            .tasks()
            .iter()
            .filter(|task| task.traffic().is_none());
        let untold: Vec<&str> = tasks.filter_map(Task::name).collect();
        let (reason, whose) = match self.has_counters {
            false => ("no hardware counters (--counters)", "the tasks have".to_owned()),
            true => (
                "the hardware counters lack kernels or launches",
                format!("the tasks {} have", listed(untold.iter().copied())),
            ),
        };
        if !untold.is_empty() {
            notes.push(format!(
                "{reason}: {whose} no `traffic`; `--interference bandwidth` and `conflict+bandwidth` then assume the full memory \
                 bandwidth, which is safe; the other models ignore `traffic`"
            ));
        }
        notes
    }

    /// Returns a note about files without a stated size, and a note about copies.
    fn whole_gpus(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let mut sizes: Vec<u32> = { self.derived.whole_gpus.iter() }.map(|&(_, sms)| sms).collect();
        sizes.sort_unstable();
        sizes.dedup();
        for sms in sizes {
            let files = { self.derived.whole_gpus.iter() }.filter(|&&(_, other)| other == sms);
            let files: Vec<&str> = files.map(|(file, _)| file.as_str()).collect();
            let place = place_of(&files);
            notes.push(format!(
                "{place}: no size (FILE@SMS), so gpusched assumes that kernels used the whole GPU, {}; C(m) is too long if they used fewer",
                counted(sms, "SM")
            ));
        }
        let mut stated: Vec<&str> = Vec::new();
        for (file, _) in self.derived.tasks.iter().flat_map(|report| &report.stated_sizes) {
            if !stated.contains(&file.as_str()) {
                stated.push(file);
            }
        }
        if !stated.is_empty() {
            let place = place_of(&stated);
            notes.push(format!(
                "{place}: the file does not show the stated number of SMs, so each verdict assumes it; it is unsafe if kernels ran on \
                 more SMs"
            ));
        }
        let copies = self.sources.iter().map(|source| source.recording.other.copies);
        let copies = copies.fold(0, u64::saturating_add);
        if copies > 0 {
            let copies = match copies {
                1 => "1 copy or fill of memory counts".to_owned(),
                some => format!("{some} copies and fills of memory count"),
            };
            notes.push(match self.options.gaps {
                Gaps::Separate => {
                    format!("{copies} as gaps between kernels, so C(m) does not contain them (--gaps count)")
                }
                Gaps::Count => format!(
                    "{copies} as gaps: C(m) contains them only between kernels of a job, and no copy before its first or after its last kernel, \
                     which is unsafe if jobs do such copies"
                ),
            });
        }
        notes
    }

    fn of_task(&self, report: &TaskReport) -> Vec<String> {
        let name = clip(&report.name, NAME);
        let mut notes = Vec::new();
        let (dropped, longest) = report.dropped;
        if dropped > 0 {
            let longest = Time::from_ns(longest);
            let rule = match self.options.warm_up {
                WarmUp::Jobs(1) => "the first job".to_owned(),
                WarmUp::Jobs(count) => format!("the first {count} jobs"),
                WarmUp::Time(time) => format!("the jobs of the first {time}"),
            };
            notes.push(format!(
                "{name:?}: warm-up: dropped {} ({rule} of each recording); the longest takes {longest}",
                counted(dropped as u64, "job")
            ));
        }
        if let Some(rhythm) = observed(report).filter(|rhythm| !rhythm.periodic) {
            let least = Time::from_ns(rhythm.least_distance_ns);
            let place = report.closest.as_ref().map(|(file, job)| {
                format!(
                    ", before job {job} of {file}; if it catches up after slow first jobs, raise --warm-up"
                )
            });
            notes.push(format!(
                "{name:?}: releases are not periodic, so the period is the smallest distance between releases, {least}{}",
                place.unwrap_or_default()
            ));
        }
        if let Some(cold) = &report.cold {
            let (now, warm) = cold.wcets;
            let jobs = match cold.warm_up {
                1 => "the first job is a warm-up".to_owned(),
                count => format!("the first {count} jobs are a warm-up"),
            };
            notes.push(format!(
                "{name:?}: one of the first jobs of {} takes {}, and each later job takes at most {}; if {jobs}, `--warm-up {}` gives \
                 C({}) = {warm} instead of {now}",
                cold.file, cold.longest, cold.later, cold.warm_up, cold.sms
            ));
        }
        for (file, gpus) in &report.several_gpus {
            notes.push(format!(
                "{name:?}: jobs of {file} ran on {}, each on one of them, but a plan assigns the task to one GPU",
                named_gpus(gpus)
            ));
        }
        if report.non_monotone {
            notes.push(format!(
                "{name:?}: a job took longer on a larger number of SMs, so C(m) is the longest time on m or more SMs"
            ));
        }
        if let Some(point) = report.points.iter().find(|point| point.jobs < FEW) {
            notes.push(format!(
                "{name:?}: only {} on {}, so the longest time says little about later jobs",
                counted(point.jobs as u64, "job"),
                counted(point.sms, "SM")
            ));
        }
        let (gaps, share) = report.largest_gaps;
        if gaps > 0 && self.options.gaps == Gaps::Separate {
            let (gaps, share) = (Time::from_ns(gaps), 100.0 * share);
            notes.push(format!(
                "{name:?}: jobs have gaps of up to {gaps} ({share:.0} %) between kernels; C(m) does not contain them, which is unsafe (--gaps count)"
            ));
        }
        let (incomplete, open) = report.incomplete;
        if incomplete > 0 {
            notes.push(format!(
                "{name:?}: {} with {} without times: these jobs took longer than the recording shows, so C(m) can be too short, which is \
                 unsafe",
                counted(incomplete as u64, "job"),
                counted(open as u64, "launch")
            ));
        }
        if report.possible > 0 {
            notes.push(format!(
                "{name:?}: {} outside ranges may belong to these jobs, but count to other jobs or to no job, so C(m) can be too \
                 short, which is unsafe",
                counted(report.possible as u64, "launch")
            ));
        }
        if report.idle > 0 {
            let jobs = counted(report.idle as u64, "job");
            notes.push(format!(
                "{name:?}: {jobs} without GPU work: counted as releases only"
            ));
        }
        notes
    }

    /// Returns the report.
    pub fn render(&self, palette: &Palette) -> String {
        let mut text = String::new();
        let time = |ns: Option<u64>| Cell::or(ns.map(Time::from_ns), "-");
        let tasks = self.derived.tasks.iter().zip(self.derived.set.tasks());
        let points = tasks.flat_map(|(report, task)| {
            let points = report.points.iter().enumerate();
            points.map(move |(index, point)| ((index == 0).then_some((report, task)), point))
        });
        let table = Table::of(points)
            .text("task", |(first, _)| {
                first.map(|(report, _)| clip(&report.name, NAME))
            })
            .number("jobs", |(_, point)| point.jobs)
            .time("period", |(first, _)| first.map(|(_, task)| task.period()))
            .time("least distance", |(first, _)| {
                let rhythm = first.map(|(report, _)| observed(report));
                rhythm.map(|rhythm| time(rhythm.map(|rhythm| rhythm.least_distance_ns)))
            })
            .time("jitter", |(first, _)| first.map(|(_, task)| task.jitter()))
            .number("SMs", |(_, point)| point.sms)
            .text(
                "contention",
                |(_, point)| if point.conflict { "conflict" } else { "isolated" },
            )
            .time("median", |(_, point)| time(point.times.median_ns))
            .time("p99", |(_, point)| time(point.times.p99_ns))
            .time("longest", |(_, point)| time(point.times.max_ns))
            .time("C(m)", |(_, point)| Time::from_ns(point.wcet_ns));
        text += &table.done().render(palette.header);
        text += &format!("\nC(m) is {} times the longest time\n", self.options.margin);
        for report in &self.derived.tasks {
            text += &self.worst(report);
        }
        text.push('\n');
        for note in self.notes() {
            text += &format!("note: {note}\n");
        }
        text
    }

    /// Returns the longest jobs of a task with their places, and the extreme-value estimate of the task.
    fn worst(&self, report: &TaskReport) -> String {
        let worst = report.worst.iter().map(|job| {
            let (time, at) = (Time::from_ns(job.execution_ns), Time::from_ns(job.at_ns));
            let file = match self.sources {
                [_] => String::new(),
                _ => format!(" in {}", job.file),
            };
            format!(
                "{time} on {} (job {} at {at}{file})",
                counted(job.sms, "SM"),
                job.job
            )
        });
        let mut text = format!(
            "{}: longest time {}; gaps fill at most {:.0} % of a job",
            clip(&report.name, NAME),
            worst.collect::<Vec<String>>().join(", "),
            100.0 * report.largest_gaps.1
        );
        if let Some((sms, slowdown)) = report.slowdown {
            text += &format!(
                "; in conflict on {} up to {slowdown:.2} times as long",
                counted(sms, "SM")
            );
        }
        if let Some((sms, estimate)) = &report.tail {
            let trusted = estimate.tail.as_ref().is_some_and(|tail| tail.trustworthy);
            text += &match (trusted, estimate.warnings.first()) {
                (true, _) => format!(
                    "; estimated on {}: a job exceeds {} with probability {:e}",
                    counted(*sms, "SM"),
                    estimate.wcet,
                    self.options.exceedance
                ),
                (false, Some(warning)) => {
                    format!(
                        "; no extreme-value estimate on {}: {warning}",
                        counted(*sms, "SM")
                    )
                }
                (false, None) => String::new(),
            };
        }
        text + "\n"
    }
}
