//! Programs with other launches.

use gpusched::gpu::program::Overrides;
use insta::assert_snapshot;

use super::{issues, program};
use crate::support::transcript::Transcript;

#[test]
fn launches_are_overridden() {
    let program = program(
        "32",
        r#"{"loop":"n","body":[{"op":"load","address":"b","bytes":4}]}"#,
    );
    let values = vec![("n".to_owned(), 5), ("a".to_owned(), 5000)];
    let other = program
        .with(&Overrides {
            values,
            pc: Some(64),
            ..Overrides::default()
        })
        .unwrap();
    assert_eq!(issues(&other, 0, 0).len(), 11);
    assert_eq!((other.value("n"), other.value("b")), (Some(5), Some(0xC000_1400)));
    let mut told = Transcript::default();
    for (given, overrides) in [
        (
            "x = 1",
            Overrides {
                values: vec![("x".to_owned(), 1)],
                ..Overrides::default()
            },
        ),
        (
            "a = -1",
            Overrides {
                values: vec![("a".to_owned(), -1)],
                ..Overrides::default()
            },
        ),
        (
            "2000 threads",
            Overrides {
                block: Some("2000".parse().unwrap()),
                ..Overrides::default()
            },
        ),
        (
            "pc = 3",
            Overrides {
                pc: Some(3),
                ..Overrides::default()
            },
        ),
    ] {
        told.case(given, program.with(&overrides).unwrap_err());
    }
    assert_snapshot!(told);
}
