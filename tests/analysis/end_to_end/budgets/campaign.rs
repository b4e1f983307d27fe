//! Random systems with budgets: the verifier confirms each verdict, simulated runs stay within the bounds, and corrupted
//! certificates are refused.

use gpusched::end_to_end::analyze_draft;
use gpusched::model::Interference;
use gpusched::model::end_to_end::{Answer, BudgetedSegment, Draft};
use gpusched::simulator::campaign::Campaign as _;
use gpusched::simulator::validation::end_to_end::budgets::Campaign;
use gpusched::time::Time;
use gpusched::verification::{Fault, verify_draft};

use crate::support::rounds;

/// In 18 runs of each system, best-effort cores access memory as their budgets permit, and no bound is exceeded.
/// `gpusched validate --end-to-end --budgets --systems 1000000` makes more runs.
#[test]
fn no_run_exceeds_a_bound() {
    let report = run(Campaign::new(rounds(3000), 55));
    assert_eq!(report.tally.exceeded, 0, "{:?}", report.excess);
    // Some runs reach their bounds, so they test the bounds.
    assert!(
        report.tally.attained * 10 > report.tally.bounds,
        "{:?}",
        report.tally
    );
}

/// A share of the systems has a process that chooses budgets, and a share of these processes has a bound.
#[test]
fn systems_have_processes() {
    let campaign = Campaign::new(0, 55);
    let (mut processes, mut bounds) = (0, 0);
    for index in 0..rounds(2000) {
        let draft = campaign.draft(index).unwrap();
        if draft.budgets.as_ref().unwrap().process.is_some() {
            let found = analyze_draft(&draft, Interference::None.into()).unwrap();
            processes += 1;
            bounds += u32::from(found.answer.response_times_ns.last().unwrap().is_some());
        }
    }
    assert!(
        processes > rounds(300) && bounds > rounds(200),
        "{processes} {bounds}"
    );
}

/// Best-effort cores that exceed their budgets by 2 ns in each period exceed bounds. So the campaign can fail.
#[test]
fn larger_budgets_exceed_bounds() {
    let beyond = Campaign {
        beyond: 2,
        ..Campaign::new(rounds(300), 56)
    };
    let report = run(beyond);
    assert!(
        report.tally.exceeded * 10 > report.tally.systems,
        "{:?}",
        report.tally
    );
    assert!(report.draft.is_some());
}

fn run(campaign: Campaign) -> gpusched::simulator::validation::end_to_end::Report {
    let mut record = campaign.record(0);
    for index in 0..campaign.systems {
        campaign.check(index, &mut record).unwrap();
    }
    campaign.report(record).unwrap()
}

fn verified(answer: &Answer, draft: &Draft) -> Result<(), Fault> {
    verify_draft(answer, draft, Interference::None.into()).map(|_| ())
}

/// The verifier recomputes each WCET with code of its own. It confirms all verdicts, and refuses each smaller number. It accepts a
/// larger WCET only for kernels with a profile, if the larger WCET solves its equation, too.
#[test]
fn corrupted_wcets_are_refused() {
    let campaign = Campaign::new(0, 57);
    let (mut refused, mut larger) = (0, 0);
    for index in 0..rounds(1000) {
        let draft = campaign.draft(index).unwrap();
        let found = analyze_draft(&draft, Interference::None.into()).unwrap();
        let answer = found.with_assumptions(&draft).answer;
        if let Err(fault) = verified(&answer, &draft) {
            panic!(
                "system {index}: {fault}\n{}",
                serde_json::to_string(&draft).unwrap()
            );
        }
        let budgets = answer.budgets.as_ref().unwrap();
        for (task, segments) in budgets.segments.iter().enumerate() {
            for (segment, found) in segments.iter().enumerate() {
                for changed in changes(*found) {
                    let mut wrong = answer.clone();
                    wrong.budgets.as_mut().unwrap().segments[task][segment] = changed;
                    if verified(&wrong, &draft).is_err() {
                        refused += 1;
                        continue;
                    }
                    let profile = draft.tasks[task].segments[segment].profile.is_some();
                    assert!(
                        profile && changed.wcet_ns > found.wcet_ns,
                        "system {index}: {found:?} {changed:?}"
                    );
                    larger += 1;
                }
            }
        }
        let mut wrong = answer.clone();
        wrong.budgets = None;
        assert!(verified(&wrong, &draft).is_err());
    }
    assert!(
        refused > rounds(10_000) && larger * 100 < refused,
        "{refused} {larger}"
    );
}

/// Numbers that differ from `found` by 1 ns, and a window that is missing or needless.
fn changes(found: BudgetedSegment) -> Vec<BudgetedSegment> {
    let near = |time: Time| {
        [time.ns().checked_sub(1), Some(time.ns() + 1)]
            .into_iter()
            .flatten()
            .map(Time::from_ns)
    };
    let mut all: Vec<BudgetedSegment> = Vec::new();
    all.extend(near(found.memory_time_ns).map(|memory_time_ns| BudgetedSegment {
        memory_time_ns,
        ..found
    }));
    all.extend(near(found.wcet_ns).map(|wcet_ns| BudgetedSegment { wcet_ns, ..found }));
    match found.window_ns {
        None => all.push(BudgetedSegment {
            window_ns: Some(found.wcet_ns),
            ..found
        }),
        Some(window) => {
            let windows = near(window).map(Some).chain([None]);
            all.extend(windows.map(|window_ns| BudgetedSegment { window_ns, ..found }));
        }
    }
    all
}
