//! Documents: JSON or JSONL, errors with line and field, and documents of another kind.

use gpusched::gpu::Program;
use gpusched_model::reader::{Document, Documents, TaskSets, line_of};
use gpusched_model::{Benchmarks, Bound, Device, Kernel, MemoryProfile, Plan, TaskSet, WarpScenario};

const TASK: &str = r#"{"period":"5ms","wcet":{"table":[[1,10]]}}"#;

fn read(text: &'static [u8]) -> TaskSets {
    TaskSets::new("x", text)
}

fn lines(text: impl Into<Vec<u8>>) -> Result<Vec<usize>, String> {
    TaskSets::new("x", std::io::Cursor::new(text.into()))
        .map(|set| set.map(|(line, _)| line).map_err(|e| e.to_string()))
        .collect()
}

#[test]
fn jsonl_and_documents_are_told_apart() {
    let set = format!(r#"{{"tasks":[{TASK}]}}"#);
    assert_eq!(lines(set.clone()), Ok(vec![1]));
    assert_eq!(lines(format!("\n{set}\r\n\n  \n{set}\n")), Ok(vec![2, 5]));
    let pretty = format!("\n{{\n \"tasks\": [\n  {TASK}\n ]\n}}\n\n");
    assert_eq!(lines(pretty), Ok(vec![2]));
}

#[test]
fn errors_name_line_and_field() {
    let set = format!(r#"{{"tasks":[{TASK}]}}"#);
    for (text, expected) in [
        (
            format!("{set}\n\n{{\"tasks\":[{TASK},{{\"period\":0}}]}}"),
            "x:3: at tasks[1].period: invalid value: 0",
        ),
        (format!("{set}\n{{\"tasks\":["), "x:2: found the end of the text"),
        (
            format!("{{\n\"tasks\":[\n{TASK},\n{{\"period\":-1}}]}}"),
            "x:4: at tasks[1].period: invalid value: integer `-1`",
        ),
        (format!("{set} {set}"), "x:1: trailing characters (column"),
        (
            format!("{{\n\"tasks\":[\n{TASK}]}}\n x"),
            "x:4: trailing characters (column 2)",
        ),
        ("\u{feff}{}".to_owned(), "x:1: found a byte order mark"),
        ("[1]".to_owned(), "x:1: found \"[1]\", expected a task set"),
        (" \n\n".to_owned(), "x: found nothing, expected a task set"),
    ] {
        let message = lines(text.clone()).expect_err(&text);
        assert!(message.contains(expected), "{text}: {message}");
    }
    let message = lines(*b"{\n\"name\":\"\xff\"}").unwrap_err();
    assert!(
        message.starts_with("x:2: found bytes that are not UTF-8"),
        "{message}"
    );
}

#[test]
fn long_values_are_clipped() {
    let long = "\u{1b}[31m".repeat(100_000);
    let message = lines(format!(r#"{{"{long}":1}}"#).replace('\u{1b}', "\\u001b")).unwrap_err();
    assert!(message.len() < 2_000 && !message.contains('\u{1b}'), "{message}");
}

#[test]
fn nothing_follows_an_error() {
    let mut sets = read(b"x\n{}\n");
    assert!(sets.next().is_some_and(|set| set.is_err()));
    assert!(sets.next().is_none());
}

#[test]
fn batches_are_bounded() {
    let mut sets = read(b"{}\n{}\n\n{}\n");
    assert_eq!(sets.batch(2).unwrap().len(), 2);
    assert!(!sets.at_end());
    assert_eq!(
        sets.batch(2)
            .unwrap()
            .iter()
            .map(|raw| raw.line)
            .collect::<Vec<_>>(),
        [4]
    );
    assert!(sets.at_end());
    assert!(sets.batch(2).unwrap().is_empty());
}

#[test]
fn lines_of_paths() {
    let text = "\n{\n \"a\": [1,\n  {\"b\\n\": 2, \"c\":\n 3}],\n \"d\": 4}";
    for (field, line) in [
        ("", 2),
        ("a", 3),
        ("a[0]", 3),
        ("a[1]", 4),
        ("a[1].c", 5),
        ("d", 6),
        ("a[1].x", 4),
        ("a[7]", 3),
        ("x.y", 2),
    ] {
        assert_eq!(line_of(text, field), line, "{field}");
    }
}

/// Returns the error of reading `text` as a document of type `T`.
fn refused<T: Document>(text: &str) -> String {
    let mut documents = Documents::<T>::new("x", std::io::Cursor::new(text.to_owned()));
    documents.next().unwrap().map(drop).unwrap_err().to_string()
}

/// Checks that `field` distinguishes a document of type `T`, which messages call `kind`, from other documents.
fn check_kind<T: Document>(field: &str, kind: &str) {
    assert!(T::EXPECTED.starts_with(&format!("{kind}: ")), "{kind}");
    let text = format!("{{\"{field}\":null}}");
    let own = refused::<T>(&text);
    assert!(!own.contains("looks like"), "{own}");
    let other = refused::<WarpScenario>(&text);
    assert!(
        other.ends_with(&format!("; the document looks like {kind}")),
        "{other}"
    );
}

#[test]
fn kinds_are_called_as_where_they_are_expected() {
    check_kind::<Kernel>("active_blocks", "a kernel");
    check_kind::<Benchmarks>("benchmarks", "benchmarks");
    check_kind::<Program>("body", "a program");
    check_kind::<Bound>("certificate", "a bound");
    check_kind::<Plan>("gpu_sms", "a plan");
    check_kind::<MemoryProfile>("points", "a profile");
    check_kind::<Device>("sms_per_tpc", "a device");
    check_kind::<TaskSet>("tasks", "a task set");
}

#[test]
fn documents_of_another_kind_are_told() {
    let message = refused::<WarpScenario>;
    let told = message(r#"{"name":"k","active_blocks":4,"clusters":[]}"#);
    assert!(told.ends_with("; the document looks like a kernel"), "{told}");
    assert!(message(r#"{"name":"x","tasks":[]}"#).contains("looks like a task set"));
    // The message about a faulty scenario suggests no other kind of document.
    for text in [
        r#"{"scheduler":"gto","kernels":[{"tasks":1}]}"#,
        r#"{"scheduler":"gto","colour":1}"#,
    ] {
        assert!(!message(text).contains("looks like"), "{text}");
    }
}
