//! Analysis against simulation: a fixed part of `gpusched validate --shared-memory`.

use gpusched::interference::{Interference, model_of};
use gpusched::model::device::Granularity;
use gpusched::model::{OtherTraffic, Verdict};
use gpusched::partitioning::Problem;
use gpusched::simulator::campaign::Campaign as _;
use gpusched::simulator::validation::shared::campaign::verdicts;
use gpusched::simulator::validation::shared::draw::{OnDevice, System};
use gpusched::simulator::validation::shared::{Campaign, Report};

use crate::support::rounds;

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}

type Analysis = fn(&System) -> gpusched::error::Result<Vec<Verdict>>;

fn campaign(systems: u64, analysis: Analysis) -> Report {
    run(systems, false, analysis)
}

fn run(systems: u64, devices: bool, analysis: Analysis) -> Report {
    let campaign = Campaign {
        systems,
        seed: 2,
        devices,
        analysis,
    };
    pool(2).install(|| campaign.run(None, |_| {})).unwrap()
}

/// Checks partitions of real GPUs at every granularity.
#[test]
fn nothing_accepted_misses_on_any_hardware() {
    let report = run(rounds(6_000), true, |system| verdicts(system, true));
    let total = report.total();
    assert_eq!((total.accepted_missed, report.broken), (0, None));
    assert!(
        total.accepted > rounds(1_000) && total.blind_missed > rounds(200),
        "{total:?}"
    );
}

/// The comparison detects an analysis that gives the whole memory to each MIG instance.
#[test]
fn a_memory_that_is_not_divided_is_noticed() {
    let report = run(rounds(6_000), true, |system| {
        let mut whole = system.clone();
        let mig = |device: &OnDevice| device.offer.hardware().granularity == Granularity::Mig;
        match whole.device.take_if(|device| mig(device)) {
            // The analysis treats each partition as if it were alone on the GPU.
            Some(device) => {
                let model = model_of(Interference::Conflict);
                let problem = Problem::new(
                    &whole.set,
                    device.offer.hardware().device.sms(),
                    whole.policy,
                    model,
                )?;
                let parts = system.parts();
                Ok(problem.sharing(whole.memory)?.verdicts(&parts))
            }
            None => verdicts(system, true),
        }
    });
    assert!(report.broken.is_some(), "{:?}", report.total());
}

#[test]
fn nothing_accepted_misses_and_the_blind_analysis_is_wrong() {
    // Each policy needs findings, so the campaign has the same size in both tiers.
    let report = campaign(9_000, |system| verdicts(system, true));
    let total = report.total();
    assert_eq!((total.accepted_missed, report.broken), (0, None));
    assert_eq!(total.systems, 9_000);
    assert!(total.accepted > 1_000, "{total:?}");
    assert!(total.blind_missed > 200, "{total:?}");
    for (policy, tally) in &report.policies {
        assert!(
            tally.accepted > 50 && tally.blind_missed > 5,
            "{policy}: {tally:?}"
        );
    }
}

/// The comparison detects an analysis that ignores traffic, an analysis with doubled bandwidth, and an analysis that
/// treats all other traffic as batches.
#[test]
fn wrong_analyses_are_caught() {
    let blind = campaign(600, |system| verdicts(system, false));
    assert!(blind.broken.is_some(), "{:?}", blind.total());
    let optimist = campaign(3_000, |system| {
        let mut rich = system.clone();
        let bandwidth = rich.memory.bandwidth.bytes_per_second() * 2;
        rich.memory.bandwidth = gpusched::model::Bandwidth::new(bandwidth).unwrap();
        verdicts(&rich, true)
    });
    assert!(optimist.broken.is_some(), "{:?}", optimist.total());
    let hasty = campaign(2_000, |system| {
        let batches = system.set.other_traffic().iter().map(|other| OtherTraffic {
            batch: true,
            ..other.clone()
        });
        let set = system.set.clone().beside(batches.collect());
        verdicts(
            &System {
                set,
                ..system.clone()
            },
            true,
        )
    });
    assert!(hasty.broken.is_some(), "{:?}", hasty.total());
}

#[test]
fn threads_do_not_matter() {
    let run = |threads| {
        let campaign = Campaign {
            systems: 300,
            seed: 5,
            devices: true,
            analysis: |system| verdicts(system, true),
        };
        let run = || campaign.run(None, |_| {}).unwrap().policies;
        pool(threads).install(run)
    };
    assert_eq!(run(1), run(3));
}
