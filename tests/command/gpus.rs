//! `gpusched gpus`: the built-in GPUs, their partition rules, and the sources.

use gpusched::model::Device;
use insta::assert_snapshot;
use serde_json::Value;

use crate::support::run;
use crate::support::transcript::{Transcript, refusals};

#[test]
fn gpus_are_listed_with_their_rules() {
    let mut told = Transcript::default();
    for options in ["", "h100 gb10", "tasksets/devices/a30.json", "l4 --format csv"] {
        let answer = run(&format!("gpus {options}"));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        told.case(options, answer.stdout);
    }
    assert_snapshot!(told);
}

#[test]
fn the_list_as_json_is_that_of_the_files() {
    let list = run("gpus --format json").stdout;
    let list: Vec<Value> = serde_json::from_str(&list).unwrap();
    assert_eq!(list.len(), Device::all().count());
    for (gpu, device) in list.into_iter().zip(Device::all()) {
        assert_eq!(gpu["name"], device.name());
        assert_eq!(gpu["tpcs"].as_u64(), device.tpcs().map(u64::from));
        let mut file = gpu.clone();
        for field in ["tpcs", "gpcs", "granularities"] {
            file.as_object_mut().unwrap().remove(field);
        }
        assert_eq!(file, serde_json::to_value(&device).unwrap());
        let ways = gpu["granularities"].as_array().unwrap().len();
        assert_eq!(ways, device.granularities().len());
    }
    let csv = run("gpus --format csv").stdout;
    assert_eq!(csv.lines().count(), Device::all().count() + 1);
}

#[test]
fn unknown_gpus_are_refused_with_near_names() {
    assert_snapshot!(refusals([
        "gpus orin_nano",
        "gpus qqq",
        "gpus none.json",
        "test SET --gpu H100",
        "test SET --gpu orin --sms 16",
        "test SET --gpu orin --device orin",
        "simulate tasks SET",
        "simulate blocks tasksets/scenarios/sanudo20-fig5-left.json --gpu l4",
    ]));
}

/// The message about an unknown name contains similar names. The most similar name is first.
#[test]
fn near_names_are_told() {
    for (name, near) in [
        ("RTX-4090", "did you mean rtx4090?\n"),
        ("H100", "did you mean h100?\n"),
        ("orin_nano", "did you mean orin-nano?\n"),
        ("rtx490", "did you mean rtx4090"),
        ("4090", "did you mean rtx4090?\n"),
        ("spark", "did you mean gb10?\n"),
        ("qqq", "or a device file\n"),
    ] {
        let said = run(&format!("gpus {name}")).stderr;
        let (_, end) = said
            .split_once(", expected a name that `gpusched gpus` lists, ")
            .unwrap();
        let end = end.trim_start_matches("or a device file; ");
        assert!(end.starts_with(near), "{name}: {said}");
    }
}
