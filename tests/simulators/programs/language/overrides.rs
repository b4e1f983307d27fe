//! Other launches of a program.

use gpusched::model::program::Overrides;

use super::{issues, program};

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
    for (overrides, expected) in [
        (
            Overrides {
                values: vec![("x".to_owned(), 1)],
                ..Overrides::default()
            },
            "found the name \"x\", expected a parameter or a buffer of t: n, m, a, b",
        ),
        (
            Overrides {
                values: vec![("a".to_owned(), -1)],
                ..Overrides::default()
            },
            "buffers.a: found -1",
        ),
        (
            Overrides {
                block: Some("2000".parse().unwrap()),
                ..Overrides::default()
            },
            "block: found 2000 threads",
        ),
        (
            Overrides {
                pc: Some(3),
                ..Overrides::default()
            },
            "pc: found 3",
        ),
    ] {
        let error = program.with(&overrides).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
