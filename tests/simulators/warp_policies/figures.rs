//! Reconstructions of [Singh22] Fig. 3 and [Singh21] Fig. 4.1, through the command. The papers do not print the
//! programs, and priority 8 of K2 is an assumption.
//!
//! `expected/` contains the finishing time of each kernel. These times follow from the text around the figures. Three
//! files also contain the order of issues, which the rules of docs/errata.md determine.

use serde_json::Value;

use crate::support::{root, run};

fn read(path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(root().join(path)).unwrap()).unwrap()
}

#[test]
fn reconstructed_figures() {
    let mut with_order = 0;
    for name in [
        "singh21-fig4.1-gto",
        "singh21-fig4.1-lrr",
        "singh21-fig4.1-rt-paws-0-8",
        "singh21-fig4.1-rt-paws-1-8",
        "singh22-fig3-gto",
        "singh22-fig3-lrr",
        "singh22-fig3-qaws-1-4",
        "singh22-fig3-qaws-1-6",
    ] {
        let expected = read(&format!("tests/simulators/warp_policies/expected/{name}.json"));
        let answer = run(&format!(
            "simulate warps tasksets/warps/{name}.json --format json"
        ));
        assert_eq!(answer.code, 0, "{name}: {}", answer.stderr);
        let found: Value = serde_json::from_str(&answer.stdout).unwrap();
        let kernels = expected["kernels"].as_array().unwrap();
        assert_eq!(found["kernels"].as_array().unwrap().len(), kernels.len());
        for (found, expected) in found["kernels"].as_array().unwrap().iter().zip(kernels) {
            assert_eq!(
                (&found["name"], &found["finish"]),
                (&expected["name"], &expected["finish"]),
                "{name}"
            );
        }
        if let Some(order) = expected.get("issue_order") {
            assert_eq!(&found["issue_order"], order, "{name}");
            with_order += 1;
        }
    }
    assert_eq!(with_order, 3);
}

#[test]
fn every_sample_is_a_reconstructed_figure() {
    let names = |folder: &str| {
        let entries = std::fs::read_dir(root().join(folder)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(
        names("tasksets/warps"),
        names("tests/simulators/warp_policies/expected")
    );
    assert_eq!(names("tasksets/warps").len(), 8);
}
