//! Short notation for scenarios.

use gpusched::model::Scenario;
use gpusched::simulator::blocks::{Record, simulate};

/// Parses the scenario in `text`.
pub fn read(text: &str) -> Scenario {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Simulates `scenario` and records all events.
pub fn run(scenario: &Scenario) -> Record {
    let mut record = Record::default();
    simulate(scenario, 1, &mut record).unwrap();
    record.sort();
    record
}

/// Returns the SM of each block, by kernel.
pub fn sms(record: &Record) -> Vec<Vec<u32>> {
    let mut sms = vec![Vec::new(); record.kernels.len()];
    for block in &record.blocks {
        sms[block.kernel].push(block.sm);
    }
    sms
}

/// Returns the start and end of each kernel [ns].
pub fn spans(record: &Record) -> Vec<(u64, u64)> {
    let kernels = record.kernels.iter();
    kernels
        .map(|kernel| (kernel.start_ns.ns(), kernel.end_ns.ns()))
        .collect()
}

/// Returns a scenario with kernels of (blocks, warps), each in its own stream. All kernels run longer than the
/// experiment.
pub fn kernels(platform: &str, kernels: &[(u32, u32)]) -> Scenario {
    let kernels: Vec<String> = (0..)
        .zip(kernels)
        .map(|(stream, (blocks, warps)): (u32, _)| {
            let threads = 32 * warps;
            format!(r#"{{"stream":{stream},"blocks":{blocks},"threads":{threads},"block_time":"1ms"}}"#)
        })
        .collect();
    read(&format!(
        r#"{{"platform":{platform},"kernels":[{}]}}"#,
        kernels.join(",")
    ))
}
