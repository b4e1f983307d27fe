//! The seven experiments of [Masola23] Table 3 from published points only.

use gpusched::model::{Group, MemoryProfile};
use gpusched::prediction::{Model, Prediction, predict};
use insta::assert_snapshot;

use crate::prediction::group;
use crate::support::transcript::Transcript;

fn experiment(number: usize) -> Group {
    let path = format!(
        "{}/tasksets/groups/masola23-experiment-{number}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let group = group(&std::fs::read_to_string(path).unwrap());
    group
        .resolved(|_, name| MemoryProfile::published(name).ok_or(()))
        .unwrap()
}

/// Totals as published. They differ from the sums of the individual bandwidths by up to 0.11 GB/s.
#[test]
fn demands_are_the_totals_of_table_3() {
    let published = [315.35, 343.61, 73.14, 542.11, 436.40, 399.91, 224.16];
    for (number, total) in (1..).zip(published) {
        for model in Model::ALL {
            let found = predict(model, &experiment(number)).unwrap();
            let demand = found.windows[0].demand;
            assert!((demand - total).abs() < 0.115, "{number}: {demand}");
        }
    }
}

/// Fig. 9: kernels slow down only where the demand exceeds the memory bandwidth. Experiment 2 is a borderline case.
#[test]
fn fluids_slow_down_where_demand_exceeds_memory() {
    let worst = |prediction: &Prediction| {
        prediction
            .kernels
            .iter()
            .map(|kernel| kernel.slowdown())
            .fold(0.0, f64::max)
    };
    let worst: Vec<f64> = (1..=7)
        .map(|number| worst(&predict(Model::Fluid, &experiment(number)).unwrap()))
        .collect();
    for (number, slowdown) in (1..).zip(&worst) {
        let expected = match number {
            1 | 3 | 7 => 1.0..=1.0 + 1e-12,
            2 => 1.0001..=1.15,
            _ => 1.15..=1.8,
        };
        assert!(expected.contains(slowdown), "{number}: {worst:?}");
    }
}

#[test]
fn what_is_no_group_is_refused() {
    let mut told = Transcript::default();
    for text in [
        r#"{"kernels":[]}"#,
        r#"{"kernels":[{"sms":0,"profile":"VADD"}]}"#,
        r#"{"kernels":[{"sms":20,"profile":"VADD"},{"sms":11,"profile":"VADD"}]}"#,
        r#"{"kernels":[{"sms":30,"profile":"VADD"},{"sms":1,"profile":"VADD"}]}"#,
        r#"{"platform":{"sms":0},"kernels":[]}"#,
        r#"{"platform":{"bandwidth":0},"kernels":[]}"#,
        r#"{"platform":{"effective_bandwidth":349},"kernels":[]}"#,
        r#"{"platform":{"l2_banks":0},"kernels":[]}"#,
        r#"{"platform":{"alpha":0},"kernels":[]}"#,
        r#"{"kernels":[{"sms":1,"profile":7}]}"#,
        r#"{"kernels":[{"sms":1}]}"#,
    ] {
        told.case(text, serde_json::from_str::<Group>(text).unwrap_err());
    }
    assert_snapshot!(told);
    let unresolved = group(r#"{"kernels":[{"sms":1,"profile":"VADD"}]}"#);
    let message = predict(Model::Fluid, &unresolved).unwrap_err().to_string();
    assert!(
        message.contains("found the name of a profile, expected the profile"),
        "{message}"
    );
    let json = serde_json::to_string(&unresolved).unwrap();
    assert_eq!(group(&json), unresolved);
}
