//! A timeline that shows a recorded run together with its plan.

use gpusched_model::time::Time;
use gpusched_model::{Plan, TaskSet};
use gpusched_recording::audit::{Audit, FindingKind, Run};
use gpusched_sim::timeline::{Instant, Mark, Slice, Timeline, TimelineError};

/// Returns a timeline with two tracks per task. One track shows the planned window of each job, from its release to its
/// deadline. The other track shows the recorded kernels of the job. Each partition is a process. Violations are
/// instants.
pub fn timeline(
    run: &Run<'_>,
    set: &TaskSet,
    plan: Option<&Plan>,
    names: &[(String, String)],
    audit: &Audit,
) -> Result<Timeline, TimelineError> {
    let mut timeline = Timeline::new();
    let origin = run.recording.start();
    let since = |at: i64| Time::from_ns(at.abs_diff(origin));
    let whole: Vec<usize> = (0..set.tasks().len()).collect();
    let partitions: Vec<(String, &[usize])> = match plan {
        None => vec![("all SMs".to_owned(), &whole)],
        Some(plan) => {
            let parts = plan.partitions.iter().enumerate();
            parts
                .map(|(index, part)| {
                    (
                        format!("partition {index}: {} SMs", part.sms),
                        part.tasks.as_slice(),
                    )
                })
                .collect()
        }
    };
    for (title, tasks) in partitions {
        let process = timeline.process(&title)?;
        for &index in tasks {
            let Some(task) = set.tasks().get(index) else {
                continue;
            };
            let label = set.label(index);
            let given = names.iter().find(|(task, _)| *task == label);
            let wanted = given.map_or(label.as_str(), |(_, activity)| activity);
            let activity = run.activities.iter().find(|activity| activity.name == wanted);
            let windows = timeline.planned_track(process, &format!("{label}: plan"))?;
            let kernels = timeline.track(process, &format!("{label}: run"))?;
            for (number, job) in activity
                .into_iter()
                .flat_map(|activity| &activity.jobs)
                .enumerate()
            {
                let name = format!("job {number}");
                let (release, deadline) = (since(job.release), task.deadline());
                let end = release.checked_add(deadline).unwrap_or(Time::LIMIT);
                timeline.slice(windows, Slice::new(&name, "release to deadline", release, end))?;
                timeline.instant(kernels, Instant::new(&name, Mark::Release, release))?;
                timeline.instant(kernels, Instant::new(&name, Mark::Deadline, end))?;
                for &launch in &job.launches {
                    if let Some(launch) = run.recording.launches.get(launch) {
                        let slice = Slice::new(&name, &label, since(launch.start), since(launch.end));
                        timeline.slice(kernels, slice)?;
                    }
                }
            }
            let violations = audit.findings.iter();
            let violations =
                violations.filter(|finding| finding.task == label && finding.kind != FindingKind::Unknown);
            for finding in violations {
                if let Some(at) = finding.at_ns {
                    let name = finding.kind.to_string();
                    timeline.instant(kernels, Instant::new(&name, Mark::Violation, Time::from_ns(at)))?;
                }
            }
        }
    }
    Ok(timeline)
}
