//! Published bounds for self-suspending tasks: against simulation, and against the end-to-end analysis.

use gpusched::end_to_end::{Baseline, analyze, baseline};
use gpusched::model::Interference;
use gpusched::model::end_to_end::{Answer, System};
use gpusched::simulator::validation::end_to_end::{Campaign, draw};
use rayon::ThreadPoolBuilder;

/// Returns the bounds of a baseline as an answer, for comparison with simulated runs.
fn answer(system: &System, method: Baseline) -> Answer {
    let mut answer = analyze(system);
    let bounds = baseline(system, method);
    answer.response_times_ns = (0..system.tasks().len())
        .map(|task| bounds.response_time(task))
        .collect();
    answer.evidence.bounds = bounds;
    answer.chains.clear();
    answer
}

#[test]
fn no_run_exceeds_a_baseline() {
    let analyses: [fn(&System) -> Answer; 3] = [
        |system| answer(system, Baseline::Oblivious),
        |system| answer(system, Baseline::Jitter),
        |system| answer(system, Baseline::Blocking),
    ];
    for (seed, analysis) in (30..).zip(analyses) {
        let mut campaign = Campaign::new(3000, seed);
        campaign.analysis = analysis;
        let report = campaign
            .run(&ThreadPoolBuilder::new().build().unwrap(), || ())
            .unwrap();
        assert_eq!(report.excess, None);
        assert!(
            report.tally.bounds > 500 && report.tally.attained > 50,
            "{:?}",
            report.tally
        );
    }
}

/// The end-to-end analysis uses the window of the baseline `jitter`, and other windows. The other two baselines may have
/// smaller bounds.
#[test]
fn no_jitter_bound_is_below_the_end_to_end_bound() {
    let mut smaller = [0; 3];
    let mut bounds = [0; 3];
    for index in 0..3000 {
        let draft = draw::system(31, index).unwrap();
        let system = System::new(&draft, Interference::Conflict).unwrap();
        let holistic = analyze(&system).response_times_ns;
        let methods = [Baseline::Jitter, Baseline::Oblivious, Baseline::Blocking];
        for (place, method) in methods.into_iter().enumerate() {
            let found = baseline(&system, method);
            for (task, end_to_end) in holistic.iter().enumerate() {
                if let Some(bound) = found.response_time(task) {
                    bounds[place] += 1;
                    smaller[place] += u32::from(end_to_end.is_none_or(|end_to_end| end_to_end > bound));
                }
            }
        }
    }
    assert_eq!(smaller[0], 0, "{smaller:?} of {bounds:?}");
    assert!(bounds.iter().all(|&count| count > 500), "{bounds:?}");
    assert!(smaller[1] > 0 && smaller[2] > 0, "{smaller:?} of {bounds:?}");
}
