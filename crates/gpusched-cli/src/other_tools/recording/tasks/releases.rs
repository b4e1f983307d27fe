//! Notes about releases: their period, their jitter, and first jobs that look like a warm-up.

use super::files::{NAME, Note, Rank};
use crate::report::clip;
use gpusched_model::counted;
use gpusched_model::time::Time;
use gpusched_recording::activity::Rhythm;
use gpusched_recording::tasks::{Settles, TaskReport};

/// From this share of the time between releases on, a thread may be too busy to start its ranges at the arrivals [‰].
const FULL: u64 = 950;

/// Returns the observed releases if the period is derived from these releases.
pub(super) fn observed(report: &TaskReport) -> Option<Rhythm> {
    report.rhythm.filter(|_| report.stated.is_none())
}

/// Returns notes about releases that do not fit the period of the recorded system.
pub(super) fn of_releases(report: &TaskReport) -> Vec<Note> {
    let mut notes = Vec::new();
    let name = clip(&report.name, NAME);
    let (period, jitter) = report.recorded;
    let large = jitter.ns() > period.ns() / 2;
    // A note about the warm-up explains a large jitter.
    if let Some(settles) = &report.settles {
        notes.push((Rank::Next, of_warm_up(&name.to_string(), settles)));
    }
    let explained = report.settles.is_some();
    // Up to 1 % is a difference of clocks, or of rounding.
    let near = |observed: u64| u128::from(observed) * 101 >= u128::from(period.ns()) * 100;
    let about = report.shorter.filter(|&observed| near(observed) && !large);
    let shorter = report.shorter.filter(|_| about.is_none());
    if let Some(observed) = about.map(Time::from_ns) {
        let text = format!(
            "{name:?}: the stated period {period} is at most 1 % longer than the observed distance {observed}; the jitter {jitter} \
             contains this difference for the length of the recording only"
        );
        notes.push((Rank::Fact, text));
    }
    if report.stated.is_some() && (large && !explained || shorter.is_some()) {
        let observed = match (report.rhythm, shorter) {
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
        notes.push((
            Rank::Unsafe,
            format!(
                "{name:?}: the stated period {period} leads to the jitter {jitter}, but {observed}{longer}"
            ),
        ));
    }
    if let Some(observed) = shorter {
        let observed = Time::from_ns(observed);
        let advice = format!(
            "{name:?}: if only the deployed system keeps the period {period}, replace `--period {name}={period}` by \
             `--deployed-period {name}={period}`; the jitter is then the jitter of the recorded period {observed}"
        );
        notes.push((Rank::Next, advice));
        return notes;
    }
    let latest = report.latest.as_ref();
    if let Some((file, job)) = latest.filter(|_| jitter.ns() > period.ns() / 4 && !explained) {
        notes.push((
            Rank::Next,
            format!(
                "{name:?}: job {job} of {file} is released latest after its arrival, which leads to the jitter {jitter}; no --warm-up of \
                 up to 50 jobs makes it small"
            ),
        ));
    }
    if report.stated.is_none() && report.filled_permille >= FULL {
        let percent = report.filled_permille / 10;
        notes.push((
            Rank::Unsafe,
            format!(
                "{name:?}: jobs fill {percent} % of the time between releases, so a busy thread may start its ranges late; the observed \
                 period {period} is unsafe if the real period is shorter (--period)"
            ),
        ));
    } else if let Some((file, first, count)) = report.queued.as_ref().filter(|_| !explained) {
        notes.push((
            Rank::Unsafe,
            format!(
                "{name:?}: {count} jobs of {file}, the first is job {first}, start directly after the job before: a busy thread starts \
                 their ranges late, so the file does not show their arrivals"
            ),
        ));
    }
    if let Some(rhythm) = observed(report).filter(|rhythm| !rhythm.periodic && !explained) {
        let least = Time::from_ns(rhythm.least_distance_ns);
        let place = report.closest.as_ref().map(|(file, job)| {
            format!(", before job {job} of {file}; if it catches up after slow first jobs, raise --warm-up")
        });
        notes.push((
            Rank::Unsafe,
            format!(
                "{name:?}: releases are not periodic, so the period is the smallest distance between releases, {least}{}",
                place.unwrap_or_default()
            ),
        ));
    }
    for (file, at, hole) in &report.holes {
        let jobs = counted(hole.jobs, "job");
        let (at, long) = (
            Time::from_ns(*at),
            Time::from_ns(hole.between.1.abs_diff(hole.between.0)),
        );
        notes.push((
            Rank::Unsafe,
            format!(
                "{name:?}: {file} has no release for {long} after job {} at {at}, where its period gives {jobs}: the file may lack jobs, \
                 so the task states `incomplete`",
                hole.after
            ),
        ));
    }
    notes
}

/// Returns a note that compares a task with and without its first jobs.
fn of_warm_up(name: &str, settles: &Settles) -> String {
    let told = |index: usize| {
        let (period, jitter, periodic) = settles.rhythms[index];
        match periodic {
            true => format!("period {period}, jitter {jitter}"),
            false => format!("irregular releases, period {period}"),
        }
    };
    let shorter = settles.longest > Time::ZERO;
    let wcets = |index: usize| {
        let wcets = settles.wcets.iter().filter(|_| shorter);
        let wcets = wcets.map(|(sms, conflict, wcets)| {
            let contention = if *conflict { " in conflict" } else { "" };
            format!(", C({sms}) = {}{contention}", wcets[index])
        });
        wcets.collect::<String>()
    };
    let jobs = match settles.jobs {
        1 => "the first job is".to_owned(),
        many => format!("the first {many} jobs are"),
    };
    let late = match settles.queued {
        0 => String::new(),
        1 => "; 1 dropped job starts directly after the job before, because its thread is busy".to_owned(),
        many => {
            format!("; {many} dropped jobs start directly after the job before, because their thread is busy")
        }
    };
    let safer = match shorter {
        false => "; C(m) stays".to_owned(),
        true => format!(
            "; the larger C(m) is safer, because dropped jobs take up to {}",
            settles.longest
        ),
    };
    format!(
        "{name:?}: if {jobs} a warm-up, `--warm-up {}` gives {}{}. Without it: {}{}{safer}{late}",
        settles.jobs,
        told(1),
        wcets(1),
        told(0),
        wcets(0)
    )
}
