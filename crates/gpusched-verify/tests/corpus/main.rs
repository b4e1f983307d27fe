//! Guarantee: the verifier accepts each good certificate in `cases/`, and refuses each broken one at the stated field.
//!
//! Each line of `cases/*.jsonl` is a certificate with the task set, system or kernel that it is about, and with the command
//! that computed it. Each line of `cases/*.txt` breaks one statement of a certificate: the name of the certificate, the
//! place, the change, and the field at which the verifier must refuse. ` & ` separates several changes.
//!
//! To add a certificate, add its line and run this test with `GPUSCHED_UPDATE=1`. It adds the refused ones of all changes
//! ([`change::all`]), and prints the accepted ones. Look at these: a false statement among them is a defect of the verifier.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod case;
mod change;
/// Private, so compiled once more.
#[path = "../../src/conditions/fraction.rs"]
mod fraction;
mod fractions;
/// Private, so compiled once more.
#[path = "../../src/conditions/multiple.rs"]
mod multiple;
mod multiples;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use case::Case;
use change::Change;

/// Returns the files of certificates.
fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/cases");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    files.sort();
    files
}

#[test]
fn broken_certificates_are_refused() {
    let updates = std::env::var_os("GPUSCHED_UPDATE").is_some();
    let mut broken = 0;
    for file in files() {
        let text = fs::read_to_string(&file).unwrap();
        let cases: BTreeMap<String, Case> = text.lines().map(Case::read).collect();
        let list = file.with_extension("txt");
        let mut lines = fs::read_to_string(&list).unwrap_or_default();
        for (name, case) in &cases {
            assert_eq!(case.check(), Ok(()), "{name}");
            if updates && !lines.contains(&format!("{name} ")) {
                lines += &changes(name, case);
                fs::write(&list, &lines).unwrap();
            }
        }
        for line in lines.lines() {
            let (change, field) = line.split_once(" => ").unwrap();
            let (name, change) = change.split_once(' ').unwrap();
            let changes: Vec<Change> = change.split(" & ").map(Change::parse).collect();
            let changed = cases[name].with(&changes).expect(line);
            assert_eq!(changed.check().expect_err(line).field, field, "{line}");
            broken += 1;
        }
    }
    assert!(broken >= 800, "{broken} broken certificates");
}

/// Returns lines for the refused changes of a case: one for each kind of change, place without positions, and refused
/// field without positions.
fn changes(name: &str, case: &Case) -> String {
    let plain = |place: &str| place.replace(|c: char| c.is_ascii_digit(), "");
    let mut seen = BTreeSet::new();
    let mut lines = String::new();
    for change in change::all(&case.json) {
        let Some(changed) = case.with(std::slice::from_ref(&change)) else {
            continue;
        };
        match changed.check() {
            Ok(()) => println!("{name} accepts {change}"),
            Err(fault) => {
                if seen.insert((plain(&change.place), change.kind, plain(&fault.field))) {
                    lines += &format!("{name} {change} => {}\n", fault.field);
                }
            }
        }
    }
    lines
}
