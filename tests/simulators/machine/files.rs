//! Machines in files: by name, as an object, and by path.

use gpusched::gpu::Machine;
use gpusched::gpu::machine::MachineShape;
use insta::assert_snapshot;

use crate::support::transcript::{Transcript, variants};

#[test]
fn presets_survive_a_round_trip() {
    for machine in Machine::all() {
        let json = serde_json::to_string(&machine).unwrap();
        assert_eq!(serde_json::from_str::<Machine>(&json).unwrap(), machine);
        assert_eq!(
            serde_json::from_str::<MachineShape>(&json).unwrap(),
            machine.clone().into_shape()
        );
        let name = serde_json::to_string(&machine.name).unwrap();
        assert_eq!(serde_json::from_str::<Machine>(&name).unwrap(), machine);
    }
    let names: Vec<String> = Machine::all().map(|machine| machine.name.clone()).collect();
    assert_eq!(names, ["rtx2060", "titanv", "titanv-gpcs"]);
}

#[test]
fn what_is_no_machine_is_refused() {
    let read = |text: &str| serde_json::from_str::<Machine>(text).unwrap_err().to_string();
    let json = serde_json::to_string(&Machine::named("rtx2060").unwrap()).unwrap();
    let changes = r#"
"clusters":30 → "clusters":0
"clusters":30 → "clusters":-1
"clusters":30 → "clusters":30,"sms":30
"clusters":30 → "clusters":30,"clusters":30
"scheduler":"lrr" → "scheduler":"rrr"
dramid@8; → dramid@8
"ways":16 → "ways":0
"#;
    let mut told = Transcript::default();
    for text in ["\"gtx1\"", "7", "{}"] {
        told.case(text, read(text));
    }
    for (given, text) in variants(&json, changes) {
        told.case(given, read(&text));
    }
    assert_snapshot!(told);
}

#[test]
fn gpcs_with_errors_are_refused() {
    let read = |text: &str| serde_json::from_str::<Machine>(text).unwrap_err().to_string();
    let json = serde_json::to_string(&Machine::named("titanv-gpcs").unwrap()).unwrap();
    let changes = r#"
"of_cluster":[0, → "of_cluster":[
"of_cluster":[0, → "of_cluster":[0,0,
,2,3] → ,2,4294967295]
,2,3] → ,2,6.5]
"reads_per_cycle":3.58265 → "reads_per_cycle":0.99
"reads_per_cycle":3.58265 → "reads_per_cycle":-1
"writes_per_cycle":2.302 → "writes_per_cycle":128.000000001
"writes_per_cycle":2.302 → "writes_per_cycle":"2"
,"writes_per_cycle":2.302 →
"#;
    let mut told = Transcript::default();
    for (given, text) in variants(&json, changes) {
        told.case(given, read(&text));
    }
    assert_snapshot!(told);
}

#[test]
fn machines_are_found_by_name_or_file() {
    assert_eq!(Machine::find("titanv").unwrap().sms(), 80);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.json");
    let mut shape = Machine::named("rtx2060").unwrap().into_shape();
    shape.name = "own".to_owned();
    let json = serde_json::to_string_pretty(&shape).unwrap();
    std::fs::write(&path, &json).unwrap();
    let path = path.to_str().unwrap();
    assert_eq!(Machine::find(path).unwrap().name, "own");
    std::fs::write(path, json.replace("\"sets\": 64", "\"sets\": 60")).unwrap();
    let error = Machine::find(path).unwrap_err().to_string();
    assert!(
        error.ends_with("own.json: at memory.l2.sets: found 60, expected a power of two up to 65536"),
        "{error}"
    );
    std::fs::write(path, json.replace("\"sets\": 64", "\"sets\": \"x\"")).unwrap();
    let error = Machine::find(path).unwrap_err().to_string();
    assert!(
        error.contains("own.json:") && error.contains("at memory.l2.sets"),
        "{error}"
    );
    assert!(
        Machine::find("gtx1")
            .unwrap_err()
            .to_string()
            .contains("expected one of rtx2060, titanv, titanv-gpcs, or a file")
    );
    assert!(
        Machine::find("missing.json")
            .unwrap_err()
            .to_string()
            .contains("cannot open")
    );
}
