//! Tests whether tasks meet their deadlines in one partition, under several policies.

use gpusched::interference::Conflict;
use gpusched::partitioning::Problem;
use gpusched::{Policy, TaskSet};

const SET: &str = r#"{"tasks": [
    {"name": "detection", "period": "33ms", "wcet": {"table": [[4, "18ms"], [8, "10ms"]]}},
    {"name": "planning", "period": "50ms", "deadline": "40ms", "wcet": {"table": [[4, "14ms"], [8, "9ms"]]}}
]}"#;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let set: TaskSet = serde_json::from_str(SET)?;
    for (policy, expected) in [
        (Policy::Edf, [true, true]),
        (Policy::NpEdf, [true, true]),
        (Policy::LiuLayland, [false, true]),
    ] {
        let problem = Problem::new(&set, 8, policy, &Conflict)?;
        let schedulable = [4, 8].map(|sms| {
            let verdict = problem.verdict(&[0, 1], sms);
            println!(
                "{policy} on {sms} SMs: {}, {}",
                verdict.schedulable, verdict.evidence
            );
            verdict.schedulable
        });
        assert_eq!(schedulable, expected);
    }
    Ok(())
}
